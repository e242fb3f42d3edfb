"""Every command block of every page is run, as it stands and in its order; what pages say is printed is printed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.documentation import UNTRIED, Block, Terminal, blocks_of, lines_of

from docs.making import commands

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = {
    str(path.relative_to(DOCS)): blocks_of(path.read_text(encoding="utf-8")) for path in sorted(DOCS.rglob("*.md"))
}
RUN = [name for name, blocks in PAGES.items() if any(block.is_run for block in blocks)]
MODELS = {"tutorials/cdsc.md": "pl.udpipe"}
"""What a page asks the reader to fetch from elsewhere."""
UNTRIED_BLOCKS = 0
"""How many blocks no test can run: a cluster, a public server, a tool of others. Each says why."""


@pytest.mark.long
@pytest.mark.parametrize("name", RUN)
def test_what_a_page_says_can_be_typed_and_prints_what_it_says(
    name: str, tmp_path: Path, data: Path, request: pytest.FixtureRequest
) -> None:
    if name in MODELS:
        models: Path = request.getfixturevalue("models")
        shutil.copyfile(models / MODELS[name], tmp_path / MODELS[name])
    terminal = Terminal(tmp_path, data=data)
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


def _lines(block: Block) -> list[str]:
    return lines_of(block.text)
