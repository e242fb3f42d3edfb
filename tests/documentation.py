"""Runs what pages tell a reader to type: shared by the tests of the README and of the documentation.

In a page, a fenced block is one of these:

- ``bash`` or ``python`` is run, in the order of the page, in one folder. ``kostra serve`` and ``kostra preview`` go on
  beside the rest until the page ends, or until a line ``# Ctrl-C``;
- with a title that is a file's name, it is written to that file first: what the reader would put there;
- ``text`` right after a block that is run is what it prints: every line must be there, ``…`` stands for anything;
- with a title that begins with `UNTRIED`, it cannot be run by a test, and the title says why, for the reader too;
- anything else is only looked at.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

UNTRIED = "Not tried by our tests: "
_FENCE = re.compile(
    r"^(?P<mark>```+) *(?P<language>[\w-]*)(?: +title=\"(?P<title>[^\"]*)\")?[^\n]*\n(?P<text>.*?)^(?P=mark) *$",
    flags=re.MULTILINE | re.DOTALL,
)
_SERVERS = ("kostra serve ", "kostra preview ")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    title: str
    text: str
    line: int

    @property
    def is_untried(self) -> bool:
        """Whether it says why no test runs it."""
        return self.title.startswith(UNTRIED)

    @property
    def is_file(self) -> bool:
        """Whether it is what a file holds."""
        return bool(self.title) and not self.is_untried

    @property
    def is_run(self) -> bool:
        """Whether it is typed."""
        return self.language in ("bash", "python") and not self.title


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks of a page."""
    return [
        Block(found["language"], found["title"] or "", found["text"], page[: found.start()].count("\n") + 1)
        for found in _FENCE.finditer(page)
    ]


def lines_of(script: str) -> list[str]:
    """The lines of a script, those that end in a backslash joined with the next."""
    return [line.strip() for line in script.replace("\\\n", " ").split("\n") if line.strip()]


class Terminal:
    """One folder in which commands are run, and the sites that go on beside them."""

    def __init__(self, folder: Path, *, data: Path, **environment: str) -> None:
        self.folder = folder
        self._servers: list[subprocess.Popen[str]] = []
        self._environment = {
            **os.environ,
            "KOSTRA_DATA": str(data),
            "NO_COLOR": "1",
            "COLUMNS": "160",
            # What a page installs is there for this page alone, and nothing is fetched for it.
            "PIP_TARGET": str(folder / ".installed"),
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(folder / ".installed"), os.environ.get("PYTHONPATH")])),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            **environment,
        }

    def follow(self, blocks: list[Block], *, name: str) -> int:
        """Do what a page says; how many blocks were run."""
        ran, printed = 0, None
        for block in blocks:
            where = f"{name}:{block.line}"
            if block.is_file:
                path = self.folder / block.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif block.is_run:
                printed = self.run(block.text, where=where) if block.language == "bash" else self.python(block.text)
                ran += 1
                continue
            elif block.language == "text" and printed is not None:
                missing = unseen(block.text, printed)
                assert missing is None, f"{where}: it does not print\n{missing}\nbut\n{printed}"
            printed = None
        return ran

    def run(self, script: str, *, where: str) -> str:
        """Run a script as a reader's shell would; what it printed."""
        printed, waiting = "", list[str]()
        for line in lines_of(script):
            if line == "# Ctrl-C":
                printed += self._shell(waiting, where)
                self.close()
            elif line.startswith(_SERVERS):
                printed += self._shell(waiting, where)
                self._serve(line.split("  #")[0])
            else:
                waiting.append(line)
                continue
            waiting = []
        return printed + self._shell(waiting, where)

    def _shell(self, lines: list[str], where: str) -> str:
        if not lines:
            return ""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
            check=False, cwd=self.folder, env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
        )  # fmt: skip
        assert done.returncode == 0, f"{where}: exit code {done.returncode}\n{lines}\n{done.stdout}"
        return done.stdout

    def python(self, script: str) -> str:
        """Run a piece of Python; what it printed."""
        return self._shell([f"python -c {shlex.quote(script)}"], "python")

    def _serve(self, command: str) -> None:
        """Start a site, and wait until it answers."""
        words = shlex.split(command)
        default = "8000" if words[1] == "serve" else "8001"
        port = words[words.index("--port") + 1] if "--port" in words else default
        shell = ["bash", "-uc", f"exec {command}"]  # which knows the variables of the page
        served = subprocess.Popen(shell, cwd=self.folder, env=self._environment, text=True)
        self._servers.append(served)
        for _ in range(1200):
            assert served.poll() is None, f"{command}: the site ended"
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1):
                    return
            except urllib.error.HTTPError:  # it answers, be it only that one needs an invitation
                return
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"{command}: the site did not answer within two minutes")

    def close(self) -> None:
        """End the sites."""
        for served in self._servers:
            served.terminate()
            served.wait(timeout=30)
        self._servers.clear()


def unseen(expected: str, printed: str) -> str | None:
    """The first line that was not printed after the ones before it; blanks count as one.

    Examples
    --------
    >>> unseen("a …\\nc", "x\\na  b\\nc d")
    >>> unseen("c\\na", "a\\nc")
    'a'
    """
    rest = " ".join(printed.split())
    for line in filter(None, (" ".join(line.split()) for line in expected.split("\n"))):
        found = re.search(".*?".join(re.escape(part.strip()) for part in line.split("…")), rest)
        if found is None:
            return line
        rest = rest[found.end() :]
    return None
