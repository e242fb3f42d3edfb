"""Every command block of every page is run, as it stands and in its order; what pages say is printed is printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.annotate.conftest import new_database, postgres_server  # noqa: F401 - fixtures
from tests.documentation import UNTRIED, Block, Terminal, blocks_of, lines_of

from docs.making import commands

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = {
    str(path.relative_to(DOCS)): blocks_of(path.read_text(encoding="utf-8")) for path in sorted(DOCS.rglob("*.md"))
}
RUN = [name for name, blocks in PAGES.items() if any(block.is_run for block in blocks)]
MODELS = {"tutorials/cdsc.md": "pl.udpipe"}
"""What a page asks the reader to fetch from elsewhere."""
POSTGRESQL = "how-to/postgresql.md"
"""Whose reader has a database, at an address in `DATABASE`."""
UNTRIED_BLOCKS = 11
"""How many blocks no test can run: a cluster, a public server, a tool of others. Each says why."""


@pytest.mark.long
@pytest.mark.parametrize("name", RUN)
def test_what_a_page_says_can_be_typed_and_prints_what_it_says(
    name: str, tmp_path: Path, data: Path, request: pytest.FixtureRequest
) -> None:
    if name in MODELS:
        models: Path = request.getfixturevalue("models")
        shutil.copyfile(models / MODELS[name], tmp_path / MODELS[name])
    database = {"DATABASE": request.getfixturevalue("new_database")()} if name == POSTGRESQL else {}
    terminal = Terminal(tmp_path, data=data, **database)
    try:
        assert terminal.follow(PAGES[name], name=name)
    finally:
        terminal.close()


def test_blocks_that_no_test_runs_are_few_and_say_why() -> None:
    untried = [(name, block) for name, blocks in PAGES.items() for block in blocks if block.is_untried]
    assert len(untried) == UNTRIED_BLOCKS
    assert all(len(block.title.removeprefix(UNTRIED)) > 10 for _, block in untried)


def test_commands_stand_in_blocks_that_are_run_or_say_why_not() -> None:
    """An indented or plain block with a command would escape the test above."""
    escaped = [
        f"{name}:{block.line}"
        for name, blocks in PAGES.items()
        for block in blocks
        if block.language in ("", "sh", "shell", "console")
        and any(line.startswith("kostra ") for line in _lines(block))
    ]
    assert escaped == []


def test_every_command_is_shown_at_work_in_some_page() -> None:
    shown = {
        line.split()[1]
        for blocks in PAGES.values()
        for block in blocks
        if block.language == "bash"
        for line in _lines(block)
        if line.startswith("kostra ")
    }
    assert sorted(set(commands.commands()) - shown) == []


@pytest.mark.long
def test_the_documentation_builds_without_a_warning_and_asks_nothing_of_other_hosts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        command, check=False, cwd=DOCS.parent, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, b"")
    built = sorted(tmp_path.rglob("*.html"))
    assert len(built) > len(PAGES)
    for page in built:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"<(?:script|img|iframe)[^>]*src=.?https?://[^ >]*", text) == [], page.name
        assert re.findall(r"<link[^>]*stylesheet[^>]*https?://[^ >]*", text) == [], page.name


def _lines(block: Block) -> list[str]:
    return lines_of(block.text)
