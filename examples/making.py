"""How the example is made from what is written by hand: recipe, pairs and datasheet."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import kostra
from kostra.evaluate import results

PLACE = Path(__file__).parent / "everyday_pairs"
WRITTEN = ("recipe.toml", "datasheet.toml", "data")
"""What people wrote."""
MADE = ("release", "report.html", "tables", "results", "leaderboard.html")
"""What kostra makes of it. The tables are those of the report; its figures stand in the page."""
ENCODERS = ("hashed", "dice", "jaccard", "indel", "static")
TITLE = "Everyday pairs: encoders against simulated annotators"
NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
"""The one moment at which all of it is made, so that the same bytes come out on any day."""


def make(place: Path) -> None:
    """Make the example in a folder, which may be its own; what was made before is replaced."""
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch) / PLACE.name
        project.mkdir()
        for name in WRITTEN:
            _copy(PLACE / name, project / name)
        kostra.build(project, simulate=True, now=NOW)
        made = Path(scratch) / "made"
        kostra.release(project, made / "release", now=NOW)
        _copy(project / "report.html", made / "report.html")
        _copy(project / "report" / "tables", made / "tables")
        found = kostra.evaluate(project / "dataset", ENCODERS).evaluations
        results.write([replace(one, seconds=0.0) for one in found], made / "results")  # how long it took is no result
        kostra.leaderboard(made / "results", made / "leaderboard.html", title=TITLE)
        place.mkdir(parents=True, exist_ok=True)
        for name in MADE:
            shutil.rmtree(place / name, ignore_errors=True)
            _copy(made / name, place / name)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        target.write_bytes(source.read_bytes())
