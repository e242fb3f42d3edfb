"""The README's commands are run as they stand: what a newcomer copies must work."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
def test_every_command_of_the_readme_runs_in_its_order(tmp_path: Path, data: Path) -> None:
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
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = 0
    for command in commands():
        if command.startswith(SET_UP):
            continue
        done = subprocess.run(  # noqa: S602 - a newcomer's shell runs it too
            command, check=False, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        ran += 1
    assert ran >= 7


@pytest.mark.long
def test_the_python_of_the_readme_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        subprocess.run([sys.executable, "-c", block], check=True, capture_output=True)
