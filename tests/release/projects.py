"""A small project that is built in about a second, for the tests of what leaves kostra."""

from __future__ import annotations

from pathlib import Path

import kostra

HARD = (
    "A well-known, half-empty bus – or two",
    'He said "no", then \'maybe\', then ""',
    "Two\nlines, and\ta tab",
    "1. First the 2. then 10.5",
    "👩‍🚀 went to the 🌙 🇨🇿",
    "شخص يقرأ כתב עברית",
    "a; b, c | d <b>&amp;</b> ${text} {{x}}",
)
RECIPE = """\
[recipe]
name = "small"
title = "A small dataset"
protocol = "pairs that we wrote, rated by two people"
language = "en"
seed = 3
citation = "Nobody. A Try. 2026."
licence = "CC-BY-4.0"

[score]
question = "similarity"
low = 0.0
high = 5.0

[simulation]
annotators = 4

[[steps]]
name = "pairs"
use = "sources/files"
note = "pairs that we wrote"
[steps.with]
paths = ["data/pairs.csv"]
table = "pairs"

[[steps]]
name = "annotate"
use = "campaign/annotate"
reads = ["pairs"]
note = "people rate each pair"
[steps.with]
payment = "Twelve euros an hour."
[[steps.with.phases]]
name = "main"
task = "rating"
overlap = 2
[[steps.with.phases.questions]]
name = "similarity"
prompt = "How close in meaning are these two | sentences?"
low = 0.0
high = 5.0
[[steps.with.phases.blocks]]
purpose = "instructions"
text = "Read both sentences twice."
[[steps.with.phases.blocks]]
purpose = "main"

[[steps]]
name = "scores"
use = "scoring/mean"
reads = ["annotate"]

[[steps]]
name = "release"
use = "release/dataset"
reads = ["pairs", "annotate", "scores"]
"""


def pairs_csv(number: int = 60, *, hard: bool = True) -> str:
    """Pairs of which every two share a sentence, some of them hard to quote."""
    rows = ["pair,text_a,text_b"]
    for place in range(number):
        first = HARD[place] if hard and place < len(HARD) else f"The {place // 2}. cat sat on mat {place // 2}."
        cells = [f"p{place:03d}", first, f"Dog number {place} ran."]
        rows.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    return "\n".join(rows) + "\n"


def a_project(folder: Path, *, number: int = 60, recipe: str = RECIPE, built: bool = True) -> Path:
    """Make the project, and build it with simulated annotators."""
    (folder / "data").mkdir(parents=True)
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    (folder / "data" / "pairs.csv").write_text(pairs_csv(number), encoding="utf-8")
    if built:
        kostra.build(folder, simulate=True)
    return folder
