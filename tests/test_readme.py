"""The README's commands are run as they stand: what a newcomer copies must work."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.documentation import Terminal, blocks_of

import kostra
from kostra.projects import _SAMPLES

README = Path(__file__).resolve().parent.parent / "README.md"
SET_UP = ("make ", "pip install")
"""Commands that set up the machine: CI itself runs those, and these tests could not without doing it twice."""


def commands() -> list[str]:
    """The indented command lines of the README, without their comments."""
    lines = re.findall(r"^    ((?:kostra|make|pip|cp) .*)$", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [line.split("  #")[0].strip() for line in lines]


def test_the_readme_has_the_two_commands_of_the_promise() -> None:
    assert [line for line in commands() if line.startswith("make ")] == ["make demo", "make test"]


@pytest.mark.long
def test_every_command_of_the_readme_runs_in_its_order(tmp_path: Path, data: Path, models: Path) -> None:
    shutil.copyfile(_SAMPLES / "en" / "pairs.csv", tmp_path / "my-pairs.csv")
    shutil.copyfile(data / "semrel_arb_bws_ids.csv", tmp_path / "answers.csv")
    shutil.copyfile(data / "str2022.csv", tmp_path / "str2022.csv")
    project = kostra.new("rating", tmp_path / "rehearsal")
    kostra.build(project, simulate=True)
    shutil.copyfile(project / "dataset" / "judgments" / "judgments.csv", tmp_path / "judgments.csv")
    ratings = ["item,annotator,value", *(f"p{n % 40},ann{n // 40},{(n * 7) % 6}" for n in range(120))]
    (tmp_path / "ratings.csv").write_text("\n".join(ratings) + "\n", encoding="utf-8")
    captions = (_SAMPLES / "en" / "captions.csv").read_text(encoding="utf-8").splitlines()[1:]
    (tmp_path / "corpus.txt").write_text("\n".join(line.split(",")[1] for line in captions), encoding="utf-8")
    (tmp_path / "items.txt").write_text("\n".join(f"item {number}" for number in range(120)), encoding="utf-8")
    scored = [line.split(",") for line in (_SAMPLES / "en" / "sts.csv").read_text(encoding="utf-8").splitlines()[1:13]]
    pairs = [f"{row[1]},{row[2]},{row[-1]}" for row in scored if len(row) == 4]
    (tmp_path / "scored.csv").write_text("\n".join(["sentence1,sentence2,score", *pairs]) + "\n", encoding="utf-8")
    polish = (_SAMPLES / "pl" / "captions.csv").read_text(encoding="utf-8").splitlines()[1:6]
    (tmp_path / "captions.txt").write_text("\n".join(line.split(",")[1] for line in polish), encoding="utf-8")
    shutil.copyfile(models / "pl.udpipe", tmp_path / "pl.udpipe")
    terminal = Terminal(tmp_path, data=data)
    ran = 0
    try:
        for command in commands():
            if command.startswith(SET_UP):
                continue
            if command.startswith("kostra collect"):  # by now people have answered; here simulated ones have
                terminal.run("kostra simulate my-dataset", where="README.md")
            terminal.run(command, where="README.md")
            ran += 1
    finally:
        terminal.close()
    assert ran >= 20


@pytest.mark.long
def test_the_python_of_the_readme_runs(tmp_path: Path, data: Path) -> None:
    blocks = [block for block in blocks_of(README.read_text(encoding="utf-8")) if block.language == "python"]
    assert Terminal(tmp_path, data=data).follow(blocks, name="README.md") == len(blocks) > 0
