"""SNLI as released (``snli_1.0_dev.jsonl`` and its sisters): inference pairs with a gold label, or none (``-``)."""

from __future__ import annotations

from pathlib import Path

from kostra.sources.nli import read_nli
from kostra.sources.released import Released

CITATION = (
    "Samuel R. Bowman, Gabor Angeli, Christopher Potts and Christopher D. Manning. 2015. A large annotated corpus for "
    "learning natural language inference. In Proceedings of EMNLP 2015, pages 632–642. "
    "https://aclanthology.org/D15-1075/"
)
LOW, HIGH = 0.0, 1.0
"""Pairs have labels and no score, so the range is only a placeholder."""


def read(path: str | Path) -> Released:
    r"""Read a released file into pairs and labels of the question ``entailment``; pairs without gold get none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "dev.jsonl"
    ...     _ = file.write_text(
    ...         '{"gold_label": "neutral", "sentence1": "A dog.", "sentence2": "A pet.", "pairID": "1"}\n'
    ...     )
    ...     read(file).tables["scores"].select("item", "label").row(0)
    ('1', 'neutral')
    """
    made, findings = read_nli(path, language="en", take="pairs")
    return Released(
        name="snli", citation=CITATION, language="en", low=LOW, high=HIGH, tables=made, findings=tuple(findings)
    )
