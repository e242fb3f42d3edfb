"""What each extra weighs: ``python -m docs.making.weights`` measures the installed packages and writes the table.

The files of a package are those that its installation lists (``importlib.metadata``). An extra weighs what it brings
beyond the core: its packages, and what these need in turn. An environment with all extras must be installed.
"""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

PAGE = Path(__file__).resolve().parent.parent / "how-to" / "where-it-runs.md"
BEGIN, END = "<!-- weights: python -m docs.making.weights -->", "<!-- end of weights -->"
APART = ("dev", "docs", "bench")
"""Extras for those who work on kostra, which users do not install."""
WHAT_FOR = {
    "models": "sentence-transformers, Hugging Face, fine-tuning",
    "mteb": "models of MTEB's registry; includes torch",
    "parse": "UDPipe, spaCy, Morfeusz and other parsers and inflection",
    "stanza": "Stanza's parsers; includes torch",
    "postgres": "PostgreSQL",
    "cluster": "Dask and SLURM",
    "crowd": "Dawid–Skene and MACE",
    "neighbours": "nearest neighbours in big corpora",
    "split": "sentence splitting",
    "detect": "language detection",
    "zstd": "files compressed with zstd, on Python before 3.14",
    "spell": "spelling proposals",
    "dictionaries": "hunspell dictionaries of many languages",
}
"""What users get for it."""


def main() -> None:
    """Measure, and write the table into its page."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}", encoding="utf-8")
    print(table())


def table() -> str:
    """The weights as a Markdown table."""
    core = needed("kostra", frozenset())
    rows = [f"| (the core) | {_megabytes(core)} | {len(core) - 1} | everything on these pages that names no extra |"]
    for extra in extras():
        more = needed("kostra", frozenset({extra})) - core
        rows.append(f"| `{extra}` | {_megabytes(more)} | {len(more)} | {WHAT_FOR[extra]} |")
    said = f"Measured on {platform.system()} {platform.machine()}, Python {sys.version_info[0]}.{sys.version_info[1]}."
    return "\n".join(["| extra | MB | packages | what for |", "|---|--:|--:|---|", *rows, "", said])


def extras() -> list[str]:
    """The extras that users may want."""
    return [name for name in distribution("kostra").metadata.get_all("Provides-Extra") or [] if name not in APART]


def needed(name: str, wanted: frozenset[str], seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """A package and all that it needs, with these extras of it; by normalised names."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    mark = f"{key}[{','.join(sorted(wanted))}]"
    if mark in seen:
        return frozenset()
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return frozenset()  # for another system or version of Python
    seen |= {mark}
    closure = {key}
    for line in found.requires or []:
        requirement = Requirement(line)
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": one}) for one in ("", *wanted)):
            closure |= needed(requirement.name, frozenset(requirement.extras), seen)
    return frozenset(closure)


def _megabytes(packages: frozenset[str]) -> str:
    total = sum(_bytes(distribution(name)) for name in packages if name != "kostra")
    return f"{total / 1e6:,.0f}" if total >= 1e6 else f"{total / 1e6:.1f}"


def _bytes(found: Distribution) -> int:
    paths = (Path(str(found.locate_file(path))) for path in found.files or [])
    return sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc")


if __name__ == "__main__":
    main()
