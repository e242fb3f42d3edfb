from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.sources.released import Released, cdsc
from kostra.tables import Frame, check, schema_named

HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
GOOD = HEADER + "1\tPada .\tJest mokro .\t3.17\tNEUTRAL\n"


@pytest.fixture(scope="module")
def parts(data: Path) -> list[Released]:
    return [cdsc.read(data / name) for name in ("cdsc_train.tsv", "cdsc_trial.tsv")]


@pytest.fixture(scope="module")
def held_out(data: Path) -> Frame:
    return cdsc.read_scores(data / "cdsc_test_scores.tsv")


def histogram(scores: Iterable[float]) -> list[int]:
    """How many scores round to 0, 1, … 5, halves up."""
    count = Counter(math.floor(score + 0.5) for score in scores)
    return [count[point] for point in range(6)]


def column(frames: Iterable[Frame], question: str, name: str) -> pl.Series:
    return pl.concat(frame.filter(pl.col("question") == question)[name] for frame in frames)


def read_text(folder: Path, text: str) -> Released:
    path = folder / "cdsc.tsv"
    path.write_text(text, encoding="utf-8")
    return cdsc.read(path)


def test_every_table_keeps_its_schema(parts: list[Released]) -> None:
    for released in parts:
        for name, frame in released.tables.items():
            assert check(frame, schema_named(name)).equals(frame)
        assert (released.name, released.language, released.low, released.high) == ("cdsc", "pl", 0, 5)


def test_every_pair_has_a_score_from_six_answers_and_a_label_from_three(parts: list[Released]) -> None:
    for released in parts:
        pairs, scores = released.tables["pairs"], released.tables["scores"]
        assert scores["item"].to_list() == pairs["pair"].to_list() * 2
        related, entailed = scores.head(pairs.height), scores.tail(pairs.height)
        assert related["question"].unique().to_list() == ["relatedness"]
        assert related["appearances"].unique().to_list() == [6]
        assert related["label"].null_count() == pairs.height
        assert entailed["question"].unique().to_list() == ["entailment"]
        assert entailed["appearances"].unique().to_list() == [3]
        assert entailed["score"].null_count() == pairs.height


def test_every_score_is_a_mean_of_six_whole_answers(parts: list[Released], held_out: Frame) -> None:
    scores = column([*(released.tables["scores"] for released in parts), held_out], "relatedness", "score")
    assert max(abs(score - round(score * 6) / 6) for score in scores) <= 0.005


def test_train_and_trial_round_half_up_to_the_digests_histogram(parts: list[Released]) -> None:
    scores = column((released.tables["scores"] for released in parts), "relatedness", "score")
    assert histogram(scores) == [1804, 1312, 941, 1946, 2130, 867]


def test_all_pairs_round_half_up_to_the_papers_table_3(parts: list[Released], held_out: Frame) -> None:
    frames = [*(released.tables["scores"] for released in parts), held_out]
    assert histogram(column(frames, "relatedness", "score")) == [1978, 1428, 1082, 2159, 2387, 966]
    assert column(frames, "relatedness", "item").n_unique() == 10_000


def test_labels_of_train_and_trial_are_counted_as_in_the_digest(parts: list[Released]) -> None:
    labels = column((released.tables["scores"] for released in parts), "entailment", "label")
    assert Counter(labels) == {"neutral": 6696, "entailment": 1617, "contradiction": 687}


def test_repeated_pairs_are_reported_with_their_lines(parts: list[Released]) -> None:
    train, trial = parts
    assert trial.findings == ()
    repeated, swapped = train.findings
    assert (repeated.kind, len(repeated.lines), repeated.lines[:4]) == ("duplicates", 26, (368, 3452, 396, 2690))
    assert (swapped.kind, len(swapped.lines), swapped.lines[:4]) == ("swapped_duplicates", 16, (6, 5081, 291, 7972))


def test_a_file_without_sentences_gives_scores_and_a_finding(data: Path, held_out: Frame) -> None:
    released = cdsc.read(data / "cdsc_test_scores.tsv")
    assert list(released.tables) == ["scores"]
    assert released.tables["scores"].equals(held_out)
    assert [finding.kind for finding in released.findings] == ["no_sentences"]


def test_a_score_out_of_range_is_kept_and_reported(tmp_path: Path) -> None:
    released = read_text(tmp_path, GOOD + "2\tA .\tB .\t5.5\tNEUTRAL\n")
    assert [(finding.kind, finding.lines) for finding in released.findings] == [("out_of_range", (3,))]
    assert 5.5 in released.tables["scores"]["score"]


@pytest.mark.parametrize(
    ("text", "said", "accepted"),
    [
        ("", ": the file is empty", ""),
        (HEADER, ":1: there is no row below the header", "accepted: at least one pair"),
        (GOOD + "2\tA .\tB .\t1.0\n", ":3: found 4 columns where the header has 5", "accepted: rows as wide as"),
        (GOOD + "2\tA .\tB .\tmany\tNEUTRAL\n", ':3: column "relatedness_score": found "many"', "a finite number"),
        (
            GOOD + "2\tA .\tB .\t1.0\tPARAPHRASE\n",
            ':3: column "entailment_judgment": found "PARAPHRASE"',
            "accepted: one of ENTAILMENT, CONTRADICTION, NEUTRAL",
        ),
        (GOOD + "2\tA .\t\t1.0\tNEUTRAL\n", ':3: column "sentence_B": found nothing', "accepted: a sentence"),
        (GOOD + "2\t \tB .\t1.0\tNEUTRAL\n", ':3: column "sentence_A": found nothing', "accepted: a sentence"),
        (GOOD + "1\tA .\tB .\t1.0\tNEUTRAL\n", 'pair_ID "1" stands twice (lines 2 and 3)', "each pair_ID once"),
        (GOOD.replace("relatedness_score", "score"), ':1: unknown column of CDSCorpus as released "score"', "pair_ID"),
    ],
)  # fmt: skip
def test_unreadable_content_is_refused_with_its_line(tmp_path: Path, text: str, said: str, accepted: str) -> None:
    with pytest.raises(KostraError) as caught:
        read_text(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "cdsc.tsv"))
    assert said in str(caught.value)
    assert accepted in str(caught.value)


def test_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cdsc.tsv"
    path.write_bytes(HEADER.encode() + "1\tŻółw śpi .\tPada .\t3.17\tNEUTRAL\n".encode("cp1250"))
    with pytest.raises(KostraError, match=r"cdsc\.tsv:2: the text is not UTF-8"):
        cdsc.read(path)
