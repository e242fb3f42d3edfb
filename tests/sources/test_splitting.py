"""Documents into sentences: every sentence is a stretch of its document, and the way it was found is recorded."""

from __future__ import annotations

import importlib.util
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sources import split
from kostra.sources.conllu import read_conllu
from kostra.steps import Context, Inputs
from kostra.tables import DOCUMENTS, check

real = pytest.mark.skipif(importlib.util.find_spec("sentencex") is None, reason="needs the extra split")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    step = Step(name="own", use="sources/split")
    about = About(name="try", title="Try", protocol="none", language="en", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="relatedness", low=0.0, high=1.0), steps=(step,))
    now = datetime(2026, 3, 1, tzinfo=UTC)
    rng = np.random.default_rng(1)
    return Context(recipe=recipe, step=step, project=tmp_path, folder=tmp_path, rng=rng, now=now)


def boundaries(language: str, text: str) -> list[dict[str, Any]]:
    """A simple splitter in sentencex's form: after a full stop, and at an empty line."""
    pieces = [match.span() for match in re.finditer(r"\n\n|(?:(?!\n\n)[^.])*\.\s?|(?:(?!\n\n)[^.])+", text)]
    return [
        {"start_index": start, "end_index": end, "is_paragraph_break": text[start:end] == "\n\n"}
        for start, end in pieces
    ]


@pytest.fixture
def simple(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencex", SimpleNamespace(get_sentence_boundaries=boundaries))
    monkeypatch.setattr(split, "version", lambda _: "0")


def documents(*texts: str | None, language: str = "en") -> pl.DataFrame:
    rows = [
        {
            "document": f"d{number}",
            "source": "own",
            "language": language,
            "kind": "review",
            "group": "book",
            "text": text,
        }
        for number, text in enumerate(texts, 1)
    ]
    return check(pl.DataFrame(rows, schema_overrides={"text": pl.String}), DOCUMENTS)


@pytest.mark.usefixtures("simple")
def test_sentences_keep_their_document_place_and_offsets(context: Context) -> None:
    frame = documents(" One.  Two.", None, "Three.\n\nfour.")
    made = split.run(Inputs({"documents": frame}), split.Options(label_by_kind=True), context)["sentences"]
    assert made.select("sentence", "text", "document", "position", "group", "label").rows() == [
        ("d1-1", "One.", "d1", 1, "book", "review"),
        ("d1-2", "Two.", "d1", 2, "book", "review"),
        ("d3-1", "Three.", "d3", 1, "book", "review"),
        ("d3-2", "four.", "d3", 2, "book", "review"),
    ]
    texts = dict(frame.select("document", "text").rows())
    places = pl.read_csv(context.folder / "offsets.csv")
    found = [texts[document][start:end] for _, document, start, end in places.rows()]
    assert found == made["text"].to_list()
    assert [finding.message for finding in context.findings] == [
        "documents without text, which give no sentences: 1 (d2)",
        "sentences split with sentencex 0 (en)",
    ]


@pytest.mark.usefixtures("simple")
def test_a_full_stop_before_a_lower_case_letter_ends_no_czech_sentence() -> None:
    text = "Bylo mu 8. dubna. Pak šel. – řekl.\n\nmalé písmeno."
    assert [span.text for span in split.split_text(text, language="cs")] == [
        "Bylo mu 8. dubna.", "Pak šel. – řekl.", "malé písmeno.",
    ]  # fmt: skip
    assert len(split.split_text(text, language="en")) == 5


@pytest.mark.usefixtures("simple")
def test_documents_without_any_text_are_refused(context: Context) -> None:
    with pytest.raises(KostraError, match="none of the 2 documents has a text"):
        split.run(Inputs({"documents": documents(None, "  ")}), split.Options(), context)


def test_splitting_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencex", None)
    with pytest.raises(KostraError, match="splitting documents into sentences needs") as caught:
        split.split_text("One.", language="en")
    assert caught.value.remedy == "pip install 'kostra[split]'"


@real
@pytest.mark.parametrize("language", ["en", "cs", "pl"])
@given(text=st.text(alphabet='aB. ?!\n…„”"—8éž😀\u0301', max_size=60))
def test_every_sentence_is_a_stretch_of_its_text_in_order_and_nothing_is_lost(language: str, text: str) -> None:
    spans = split.split_text(text, language=language)
    assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]
    ends = [0, *(place for span in spans for place in (span.start, span.end))]
    assert ends == sorted(ends)
    assert "".join("".join(span.text.split()) for span in spans) == "".join(text.split())


@real
@pytest.mark.parametrize(
    ("name", "language", "least"),
    [("pl_pud-ud-test", "pl", 0.98), ("cs_pud-first600", "cs", 0.99), ("en_ewt-ud-dev", "en", 0.8)],
)
def test_treebanks_are_split_as_their_authors_did(data: Path, name: str, language: str, least: float) -> None:
    frame, _ = read_conllu(data / "ud" / f"{name}.conllu", language=language)
    hit = found = wanted = 0
    texts = frame["text"].to_list()
    for start in range(0, len(texts), 10):
        gold, at = [], 0
        for text in texts[start : start + 10]:
            at += len(text)
            gold.append(at)
            at += 1
        spans = split.split_text(" ".join(texts[start : start + 10]), language=language)
        ours = {span.end for span in spans[:-1]}
        hit += len(ours & set(gold[:-1]))
        found += len(ours)
        wanted += len(gold) - 1
    assert 2 * hit / (found + wanted) > least
