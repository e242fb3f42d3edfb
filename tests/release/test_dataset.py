"""The dataset folder: nothing lost, nothing broken by what a text holds, the same bytes each time."""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra import tables
from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.release import dataset
from kostra.release.licences import licence_named
from kostra.release.markup import inline
from kostra.steps import Context, Inputs
from kostra.tables import Frame

NASTY = (
    'He said "no", twice', "two\nlines\r\nand a third", "a lone\rcarriage return", "tab\there", "👩‍🚀 went to 🌙",
    "שלום עולם", "a | b `c` # d", "---\nlicense: mit\n---", "<script>alert(1)</script>", "=1+1", " blanks around ",
    "line\u2028separator",
)  # fmt: skip
LICENCES = [
    ("CC0-1.0", "cc0-1.0"), ("cc-by-sa-4.0", "cc-by-sa-4.0"), ("ODC-By-1.0", "odc-by"), ("C-UDA-1.0", "c-uda"),
    ("LGPL-3.0-only", "lgpl-3.0"), ("GPL-1.0-only", "other"), ("ask us", "other"), ("to be chosen", "other"),
]  # fmt: skip


def pairs_table(texts: tuple[str, ...] = ("one", "two", "three"), **columns: list[Any]) -> Frame:
    ids = [f"p{number:02d}" for number in range(len(texts))]
    frame = pl.DataFrame({"pair": ids, "text_a": texts, "text_b": texts[::-1], **columns})
    return tables.check(frame, tables.PAIRS)


def scores_table(*rows: dict[str, Any]) -> Frame:
    given = pl.DataFrame([{"question": "relatedness", "appearances": 2, **row} for row in rows])
    return tables.check(given, tables.SCORES)


def scores_of(pairs: Frame, *, leave_out: int = 0) -> Frame:
    ids = pairs["pair"].to_list()
    return scores_table(*({"item": item, "score": place / len(ids)} for place, item in enumerate(ids[leave_out:])))


def judgments_table(*rows: tuple[str, str, str, str]) -> Frame:
    """Rows of item, annotator, value and status."""
    plain = {"version": 1, "question": "relatedness", "phase": "main", "block": "main"}
    made = [
        {"judgment": f"j{n}", "item": item, "annotator": who, "value": value, "status": status, **plain}
        for n, (item, who, value, status) in enumerate(rows)
    ]
    return tables.check(pl.DataFrame(made), tables.JUDGMENTS)


def annotators_table(kind: str, *names: str, note: str | None = None) -> Frame:
    rows = [{"annotator": name, "kind": kind, "note": note} for name in names]
    return tables.check(pl.DataFrame(rows, schema_overrides={"note": pl.String}), tables.ANNOTATORS)


def a_context(folder: Path, *, history: dict[str, Any] | None = None, **about: Any) -> Context:
    step = Step(name="release", use="release/dataset", reads=("judge",))
    described = {"title": "A try", "protocol": "ratings", "language": "cs", "citation": "Nobody. Nothing. 2026."}
    before = (
        Step(name="judge", use="campaign/annotate", note="asked a | b"),
        Step(name="aside", use="evaluate/relatedness"),
    )
    recipe = Recipe(
        recipe=About(**{"name": "try", "seed": 1, **described, **about}),
        score=Score(question="relatedness", low=0.0, high=1.0),
        steps=(*before, step),
    )
    folder.mkdir(parents=True, exist_ok=True)
    return Context(
        recipe=recipe,
        step=step,
        project=folder,
        folder=folder,
        rng=np.random.default_rng(1),
        now=datetime(2026, 1, 1, tzinfo=UTC),
        history=history or {},
    )


def made(context: Context, **given: Frame) -> Path:
    """Run the step on pairs, scores and whatever else is given; three scored pairs by default."""
    pairs = given.pop("pairs", pairs_table())
    scores = given.pop("scores") if "scores" in given else scores_of(pairs)
    assert dataset.run(Inputs({"pairs": pairs, "scores": scores, **given}), dataset.Options(), context) == {}
    return context.folder / "dataset"


def card_of(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def parsed(card: str) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    found: dict[str, Any] = yaml.safe_load(card.split("---\n")[1])
    return found


def csv_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, strict=True))


# The data ----------------------------------------------------------------------------------------------


def test_any_text_survives_csv_and_parquet(tmp_path: Path) -> None:
    folder = made(a_context(tmp_path), pairs=pairs_table(NASTY))
    rows = csv_rows(folder / "data/pairs.csv")
    assert tuple(row["text_a"] for row in rows) == NASTY
    assert tuple(row["text_b"] for row in rows) == NASTY[::-1]
    frame = pl.read_parquet(folder / "data/pairs.parquet")
    assert tuple(frame["text_a"]) == NASTY
    assert pl.read_csv(folder / "data/pairs.csv", schema=frame.schema).equals(frame)


def test_pairs_stand_by_id_with_the_declared_columns(tmp_path: Path) -> None:
    pairs = pairs_table().sort("pair", descending=True)
    frame = pl.read_parquet(made(a_context(tmp_path), pairs=pairs) / "data/pairs.parquet")
    assert frame["pair"].to_list() == ["p00", "p01", "p02"]
    expected = ["pair", "text_a", "text_b", "score", "standard_error", "appearances", "source", "subset"]
    assert frame.columns == expected


def test_contexts_are_released_where_there_are_some(tmp_path: Path) -> None:
    pairs = pairs_table(context_a=["<sent>one</sent> then", None, None])
    frame = pl.read_parquet(made(a_context(tmp_path), pairs=pairs) / "data/pairs.parquet")
    assert frame.columns[-1] == "context_a"


def test_unscored_pairs_stand_apart_and_are_counted(tmp_path: Path) -> None:
    context, pairs = a_context(tmp_path), pairs_table()
    folder = made(context, pairs=pairs, scores=scores_of(pairs, leave_out=1))
    assert [row["pair"] for row in csv_rows(folder / "data/unscored.csv")] == ["p00"]
    assert pl.read_parquet(folder / "data/pairs.parquet")["pair"].to_list() == ["p01", "p02"]
    assert [finding.message for finding in context.findings] == ["1 of 3 pairs have no score: p00"]
    assert "1 more pair got no score" in card_of(folder)


def test_other_questions_become_columns(tmp_path: Path) -> None:
    labels = [
        {"item": "p00", "question": "entailment", "label": "neutral", "score": None, "appearances": 3},
        {"item": "p01", "question": "entailment", "label": "entails", "score": None, "appearances": 3},
    ]
    scores = scores_table(*({"item": item, "score": 0.5, "label": None} for item in ("p00", "p01", "p02")), *labels)
    folder = made(a_context(tmp_path), scores=scores)
    frame = pl.read_parquet(folder / "data/pairs.parquet")
    assert frame["label_entailment"].to_list() == ["neutral", "entails", None]
    assert frame["appearances_entailment"].to_list() == [3, 3, None]
    assert "score_entailment" not in frame.columns
    assert "Labels in `label_entailment`: entails (1), neutral (1)." in card_of(folder)


@pytest.mark.parametrize("score", [1.25, -0.001])
def test_a_score_outside_the_declared_range_is_refused_by_name(tmp_path: Path, score: float) -> None:
    with pytest.raises(KostraError, match=rf"outside 0 to 1: p01 \({score}\)"):
        made(a_context(tmp_path), scores=scores_table({"item": "p00", "score": 1.0}, {"item": "p01", "score": score}))
    assert not (tmp_path / "dataset").exists()


def test_a_mean_may_pass_the_end_by_rounding(tmp_path: Path) -> None:
    folder = made(a_context(tmp_path), scores=scores_table({"item": "p00", "score": 1.0 + 2e-16}))
    assert (folder / "data" / "pairs.csv").is_file()


def test_no_score_at_all_is_refused(tmp_path: Path) -> None:
    scores = scores_table({"item": "p00", "question": "similarity", "score": 0.5})
    with pytest.raises(KostraError, match='none of the 3 pairs has a score for "relatedness"') as caught:
        made(a_context(tmp_path), scores=scores)
    assert "the scores answer similarity" in str(caught.value)


def test_scores_of_other_items_are_counted(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    made(context, pairs=pairs_table(("one",)), scores=scores_of(pairs_table()))
    assert [finding.message for finding in context.findings] == ["2 scored items are no pair of this dataset: p01, p02"]


# Judgments, annotators, tuples -------------------------------------------------------------------------


def test_every_judgment_is_released_whatever_became_of_it(tmp_path: Path) -> None:
    judgments = judgments_table(
        ("p00", "x", "0.5", "answered"), ("p01", "y", "0.1", "superseded"), ("p01", "y", "", "impossible")
    )
    folder = made(a_context(tmp_path), judgments=judgments, annotators=annotators_table("person", "x", "y"))
    assert [row["status"] for row in csv_rows(folder / "judgments/judgments.csv")] == judgments["status"].to_list()
    assert pl.read_parquet(folder / "judgments/judgments.parquet").equals(judgments)
    assert [row["kind"] for row in csv_rows(folder / "judgments/annotators.csv")] == ["person", "person"]
    assert "Accepted judgments (one per question answered): 1 from people." in card_of(folder)


def test_notes_on_people_are_kept_back_and_counted(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    folder = made(context, annotators=annotators_table("person", "x", note="Jana from the office"))
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"Jana" not in everything
    assert [finding.kind for finding in context.findings] == ["private"]


def test_an_address_as_a_pseudonym_is_refused(tmp_path: Path) -> None:
    judgments = judgments_table(("p00", "jana@example.org", "0.5", "answered"))
    with pytest.raises(KostraError, match="e-mail address"):
        made(a_context(tmp_path), judgments=judgments)


def test_tuples_are_laid_out_wide(tmp_path: Path) -> None:
    long = pl.DataFrame({"tuple": ["t2", "t1", "t1"], "position": [1, 2, 1], "item": ["p02", "p01", "p00"]})
    folder = made(a_context(tmp_path), tuples=long, judgments=judgments_table(("t1", "x", "p00", "answered")))
    assert (folder / "tuples/tuples.csv").read_text() == "tuple,Item1,Item2\nt1,p00,p01\nt2,p02,\n"


def test_judged_items_that_are_not_in_the_folder_are_counted(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    made(context, judgments=judgments_table(("t1", "x", "p00", "answered")))
    assert "1 judged items are neither pairs nor tuples of this folder: t1" in context.findings[0].message


def test_ratings_need_neither_tuples_nor_judgments(tmp_path: Path) -> None:
    folder = made(a_context(tmp_path))
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    expected = ["CITATION.txt", "LICENSE.txt", "README.md", "checksums.txt", "data/pairs.csv", "data/pairs.parquet"]
    assert files == expected
    assert "The single judgments are not part of this release." in card_of(folder)
    assert "unscored" not in card_of(folder)


# The card ----------------------------------------------------------------------------------------------


def test_front_matter_is_what_hugging_face_reads(tmp_path: Path) -> None:
    folder = made(a_context(tmp_path, licence="CC-BY-4.0"), judgments=judgments_table(("p00", "x", "1", "answered")))
    front = parsed(card_of(folder))
    assert (front["pretty_name"], front["language"]) == ("A try", ["cs"])
    assert front["license"] == "cc-by-4.0"
    assert front["size_categories"] == ["n<1K"]
    assert front["annotations_creators"] == ["crowdsourced"]
    assert [entry["config_name"] for entry in front["configs"] if entry.get("default")] == ["pairs"]
    for entry in front["configs"]:
        assert all((folder / file["path"]).is_file() for file in entry["data_files"])


@pytest.mark.parametrize("text", NASTY)
def test_no_title_breaks_the_card(tmp_path: Path, text: str) -> None:
    title = f"x {text} y"
    card = card_of(
        made(a_context(tmp_path, title=title, protocol=text, citation=f"```\n{text}"), pairs=pairs_table(NASTY))
    )
    lines = card.split("\n")
    assert lines[0] == "---"
    end = lines.index("---", 1)
    # Without a YAML parser: every line of the front matter is a key, an entry, or a key with a JSON scalar.
    for line in lines[1:end]:
        scalar = line.split(": ", 1)[-1] if ": " in line else line.lstrip("- ")
        assert line.endswith(":") or json.loads(scalar) is not None
    assert lines[end + 2].startswith("# x ")
    assert parsed(card)["pretty_name"] == " ".join(title.split())
    headings = [line for line in lines if line.startswith("## ")]
    assert (headings[0], headings[-1]) == ("## Loading it", "## Citation")


def test_every_table_row_of_the_card_has_the_cells_of_its_head(tmp_path: Path) -> None:
    context = a_context(tmp_path, history={"judge": {"findings": ["judge: a | b"], "rows": {"judgments": 1}}})
    subsets = ["a|b"] * len(NASTY)
    card = card_of(made(context, pairs=pairs_table(NASTY, subset=subsets, source=subsets)))
    width = 0
    for line in card.split("\n"):
        cells = line.replace("\\|", "").count("|")
        if line.startswith("|"):
            assert width in (0, cells), line
            width = cells
        else:
            width = 0


def test_markdown_is_escaped_only_where_it_would_act() -> None:
    assert inline("split_half 0.062 a-b #1") == "split_half 0.062 a-b #1"
    assert inline("1. x") == r"1\. x"
    assert inline("_x_ *y* [z](w)") == r"\_x\_ \*y\* \[z\](w)"


@pytest.mark.parametrize("with_tables", [True, False])
def test_a_simulated_dataset_says_so_at_the_top(tmp_path: Path, with_tables: bool) -> None:
    history = {"judge": {"simulated": True, "rows": {"judgments": 1}, "findings": []}}
    given = {
        "judgments": judgments_table(("p00", "s1", "1", "answered")),
        "annotators": annotators_table("simulated", "s1"),
    }
    card = card_of(made(a_context(tmp_path, history=history), **(given if with_tables else {})))
    body = card.split("---\n", 2)[2].strip().split("\n")
    assert body[2].startswith("> **No person judged anything in this dataset.**")
    assert ("(1 in all) was given by 1 simulated annotator." in body[2]) == with_tables
    assert parsed(card)["annotations_creators"] == ["machine-generated"]
    assert "simulated" in parsed(card)["tags"]
    assert "**Pay:**" not in card


def test_answers_of_people_and_machines_are_told_apart(tmp_path: Path) -> None:
    judgments = judgments_table(("p00", "s", "1", "answered"), ("p00", "x", "1", "answered"))
    annotators = pl.concat([annotators_table("simulated", "s"), annotators_table("person", "x")])
    card = card_of(made(a_context(tmp_path), judgments=judgments, annotators=annotators))
    assert "**Not all answers in this dataset are people's:** 1 from people, 1 from simulated annotators" in card
    assert parsed(card)["annotations_creators"] == ["crowdsourced", "machine-generated"]


def test_people_s_data_claims_no_simulation_and_asks_about_the_people(tmp_path: Path) -> None:
    judgments = judgments_table(("p00", "x", "1", "answered"))
    card = card_of(made(a_context(tmp_path), judgments=judgments, annotators=annotators_table("person", "x")))
    assert "simulated annotators" not in card
    for asked in ("**Who annotated?**", "**Pay:**", "**Consent:**", "**Intended use:**", "**Which licence?**"):
        assert f"- [ ] {asked}" in card


def test_steps_counts_and_findings_come_from_the_manifests(tmp_path: Path) -> None:
    history = {
        "judge": {"rows": {"judgments": 1234}, "findings": ["judge: lost 3 of them"]},
        "aside": {"rows": {"results": 1}, "findings": []},
    }
    card = card_of(made(a_context(tmp_path, history=history)))
    assert r"1. **judge** (`campaign/annotate`): asked a \| b → 1,234 judgments" in card
    assert "- judge: lost 3 of them" in card
    assert "also ran **aside** (`evaluate/relatedness`), on which the released files do not rest." in card


def test_reliability_stands_in_the_card_with_its_interval(tmp_path: Path) -> None:
    row = {
        "statistic": "alpha",
        "question": "relatedness",
        "value": 0.5,
        "low": 0.25,
        "high": 0.75,
        "n": 9,
        "note": "x|y",
    }
    card = card_of(made(a_context(tmp_path), statistics=tables.check(pl.DataFrame([row]), tables.STATISTICS)))
    assert r"| `alpha` | relatedness | 0.500 | 0.250 to 0.750 | 9 | x\|y |" in card


# Licence, checksums, sameness --------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "hub"), LICENCES)
def test_licences(tmp_path: Path, said: str, hub: str) -> None:
    folder = made(a_context(tmp_path, licence=said))
    front = parsed(card_of(folder))
    assert front["license"] == hub
    assert ("license_name" in front) == (hub == "other")
    text = (folder / "LICENSE.txt").read_text()
    assert (said in text) == licence_named(said).chosen
    assert ("**None has been chosen yet.**" in card_of(folder)) == (said == "to be chosen")


def test_checksums_cover_every_other_file(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("# ours\n")
    folder = made(a_context(tmp_path), judgments=judgments_table(("p00", "x", "1", "answered")))
    lines = [line.split("  ", 1) for line in (folder / "checksums.txt").read_text().splitlines()]
    listed = {name: digest for digest, name in lines}
    there = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert list(listed) == [name for name in there if name != "checksums.txt"]
    for name, digest in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert (folder / "recipe.toml").read_text() == "# ours\n"
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--strict", "-c", "checksums.txt"], cwd=folder, check=True, capture_output=True)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    pairs = pairs_table(NASTY, source=["b", "a"] * 6, subset=["x", None, "y"] * 4)
    judgments = judgments_table(*((f"p{n:02d}", f"a{n % 5}", "1", "answered") for n in range(12)))
    tuples = pl.DataFrame(
        {"tuple": [f"t{n // 4}" for n in range(12)], "position": [1, 2, 3, 4] * 3, "item": ["p00"] * 12}
    )
    shuffled = {"pairs": pairs.sample(fraction=1, shuffle=True, seed=3), "judgments": judgments.reverse()}
    one = made(a_context(tmp_path / "one"), pairs=pairs, judgments=judgments, tuples=tuples)
    two = made(a_context(tmp_path / "two"), scores=scores_of(pairs).reverse(), tuples=tuples.reverse(), **shuffled)
    assert (one / "checksums.txt").read_text() == (two / "checksums.txt").read_text()


def test_the_plan_says_how_much_will_be_released(tmp_path: Path) -> None:
    said = dataset.plan({"pairs": 1200, "judgments": 9600}, dataset.Options(), a_context(tmp_path)).says
    assert said == "writes dataset/ with 1,200 pairs and 9,600 judgments, a card and checksums"


def test_the_name_may_differ_from_the_title(tmp_path: Path) -> None:
    context = a_context(tmp_path)
    inputs = Inputs({"pairs": pairs_table(), "scores": scores_of(pairs_table())})
    dataset.run(inputs, dataset.Options(name="Other"), context)
    assert parsed(card_of(context.folder / "dataset"))["pretty_name"] == "Other"
