"""The README's commands are run as they stand: what a newcomer copies must work."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
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
    environment = {
        **os.environ,
        "KOSTRA_DATA": str(data),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    ran, served = 0, None
    try:
        for command in commands():
            if command.startswith(SET_UP):
                continue
            if command.startswith("kostra serve"):
                served = _serve(command, cwd=tmp_path, env=environment)
                continue
            if command.startswith("kostra collect"):  # by now people have answered; here simulated ones have
                _run("kostra simulate my-dataset", cwd=tmp_path, env=environment)
            _run(command, cwd=tmp_path, env=environment)
            ran += 1
    finally:
        if served is not None:
            served.terminate()
            served.wait(timeout=30)
    assert served is not None
    assert ran >= 20


def _run(command: str, *, cwd: Path, env: dict[str, str]) -> None:
    done = subprocess.run(  # noqa: S602 - a newcomer's shell runs it too
        command, check=False, shell=True, cwd=cwd, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"


def _serve(command: str, *, cwd: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    """The site, once it answers."""
    served = subprocess.Popen(command.split(), cwd=cwd, env=env)
    for _ in range(600):
        with contextlib.suppress(OSError), urllib.request.urlopen("http://127.0.0.1:8000/health", timeout=1):
            return served
        assert served.poll() is None, "the site ended"
        time.sleep(0.1)
    raise AssertionError("the site did not start within a minute")


@pytest.mark.long
def test_the_python_of_the_readme_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        subprocess.run([sys.executable, "-c", block], check=True, capture_output=True)
