"""Nobody is found again in a release: not by name, id or file, and the next version calls them the same."""

from __future__ import annotations

import stat
from pathlib import Path

import polars as pl
from tests.release.projects import a_project

import kostra
from kostra.release.pseudonyms import pseudonyms, unnamed, with_pseudonyms
from kostra.release.released import Released
from kostra.tables import ANNOTATORS, JUDGMENTS, SENTENCES, check

NAMES = ("Jana Nováková", "xaver_77", "quiet-heron")
HEADER = "judgment,item,version,question,annotator,value,status,phase,block,answered_at\n"


def answers(*names: str, of: int = 60) -> str:
    """Whoever is named first answers first; the ids tell the names, as those of other people's scripts do."""
    rows = [
        f"{name}-{n},p{n:03d},1,similarity,{name},{(n + place) % 6},answered,main,main,2026-03-0{place + 1}T10:00:00Z\n"
        for place, name in enumerate(names)
        for n in range(of)
    ]
    return HEADER + "".join(rows)


def released_bytes(folder: Path) -> bytes:
    return b"\0".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_no_byte_of_a_release_names_an_annotator_and_who_is_who_stays_private(tmp_path: Path) -> None:
    project = a_project(tmp_path / "project", built=False)
    (project / "data/judgments.csv").write_text(answers(*NAMES), encoding="utf-8")
    kostra.build(project)
    kostra.release(project, tmp_path / "out")
    written = released_bytes(tmp_path / "out")
    for name in NAMES:
        assert name.encode() not in written
    found = pl.read_parquet(tmp_path / "out/judgments/judgments.parquet")
    assert sorted(found["annotator"].unique()) == ["annotator-001", "annotator-002", "annotator-003"]
    assert found.filter(pl.col("answered_at").dt.day() == 1)["annotator"].unique().to_list() == ["annotator-001"]
    private = project / "private/pseudonyms.csv"
    assert '"Jana Nováková","annotator-001"' in private.read_text(encoding="utf-8")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_the_next_version_calls_everybody_the_same(tmp_path: Path) -> None:
    project = a_project(tmp_path / "project", built=False)
    (project / "data/judgments.csv").write_text(answers("zoe", "adam"))
    kostra.build(project)
    kostra.release(project, tmp_path / "out")
    (project / "data/judgments.csv").write_text(answers("newcomer", "zoe", "adam"))
    kostra.build(project)
    kostra.release(project, tmp_path / "out")
    found = pl.read_parquet(tmp_path / "out/judgments/judgments.parquet")
    first = found.filter(pl.col("answered_at").dt.day() == 1)["annotator"].unique().to_list()
    second = found.filter(pl.col("answered_at").dt.day() == 2)["annotator"].unique().to_list()
    assert (first, second) == (["annotator-003"], ["annotator-001"])


def test_authors_of_rewrites_are_not_named_in_ids(tmp_path: Path) -> None:
    sentences = check(
        pl.DataFrame(
            {
                "sentence": ["s1", "s1:past:jana"], "text": ["It rains.", "It rained."], "source": ["own"] * 2,
                "language": ["en"] * 2, "group": [None, "s1"], "label": ["jana", "jana"], "origin": [None, "s1"],
                "change": [None, "past"],
            }
        ),
        SENTENCES,
    )  # fmt: skip
    judgments = check(
        pl.DataFrame(
            {
                "judgment": ["jana-1", "jana-2"], "item": ["s1", "s1>s1:past:jana"], "version": [1, 1],
                "question": ["past", "best"], "annotator": ["jana"] * 2, "value": ["It rained.", "s1:past:jana"],
                "status": ["superseded", "answered"], "phase": ["main"] * 2, "block": ["main"] * 2,
                "supersedes": [None, "jana-1"],
            }
        ),
        JUDGMENTS,
    )  # fmt: skip
    pairs = pl.DataFrame({"pair": ["s1>s1:past:jana"], "text_a": ["It rains."], "text_b": ["It rained."]})
    people = check(
        pl.DataFrame({"annotator": ["jana", "otto"], "kind": ["person"] * 2, "role": ["judge"] * 2}), ANNOTATORS
    )
    made = Released(pairs, pairs.clear(), judgments=judgments, sentences=sentences, annotators=people)
    found = with_pseudonyms(made, pseudonyms(made, {}))
    assert found.pairs["pair"].to_list() == ["s1>s1:past:annotator-001"]
    assert found.sentences is not None
    assert found.sentences["sentence"].to_list() == ["s1", "s1:past:annotator-001"]
    assert found.sentences["label"].to_list() == ["jana", "annotator-001"]  # a seed's label is a kind, and no author
    assert found.judgments is not None
    assert found.judgments.select("judgment", "item", "value", "supersedes").rows() == [
        ("j-000001-0", "s1", "It rained.", None),
        ("j-000002-0", "s1>s1:past:annotator-001", "s1:past:annotator-001", "j-000001-0"),
    ]
    assert found.annotators is not None
    assert found.annotators["annotator"].to_list() == ["annotator-001", "annotator-002"]


def test_a_number_is_no_name_in_a_message() -> None:
    assert unnamed("12 of 12 answers by fox", {"12": "annotator-001", "fox": "annotator-002"}) == (
        "12 of 12 answers by annotator-002"
    )
