from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from scipy.stats import pearsonr

from kostra.errors import KostraError
from kostra.sources.released import Released, czech_news_sts
from kostra.tables import Finding, Frame, check, schema_named

GOOD = "Prší.\tJe mokro.\t3.0\t3,3,3,3,3,3,3,3,3\t4\n"


@pytest.fixture(scope="module")
def released(data: Path) -> Released:
    return czech_news_sts.read(data / "cna_free_test.tsv")


def scores(released: Released, question: str) -> pl.Series:
    return released.tables["scores"].filter(pl.col("question") == question)["score"]


def finding(released: Released, kind: str) -> Finding:
    (found,) = [finding for finding in released.findings if finding.kind == kind]
    return found


def read_text(folder: Path, text: str) -> Released:
    path = folder / "test.tsv"
    path.write_text(text, encoding="utf-8")
    return czech_news_sts.read(path)


def test_every_table_keeps_its_schema(released: Released) -> None:
    for name, frame in released.tables.items():
        assert check(frame, schema_named(name)).equals(frame)
    assert (released.name, released.language, released.low, released.high) == ("czech_news_sts", "cs", 0, 6)


def test_pairs_are_called_after_their_lines(released: Released) -> None:
    assert released.tables["pairs"]["pair"].to_list() == [f"line-{line:04d}" for line in range(1, 1201)]


def test_nine_anonymous_answers_stand_behind_every_mean(released: Released) -> None:
    judgments: Frame = released.tables["judgments"]
    assert judgments.height == 1200 * 9
    assert judgments["annotator"].null_count() == judgments.height
    means = judgments.group_by("item", maintain_order=True).agg(pl.col("value").cast(pl.Float64).mean())["value"]
    assert means.to_list() == pytest.approx(scores(released, "similarity").to_list())
    appearances = released.tables["scores"].group_by("question").agg(pl.col("appearances").unique())
    assert dict(appearances.iter_rows()) == {"similarity": [9], "round_1": [1]}


def test_mean_and_deviation_are_those_of_the_digest(released: Released) -> None:
    similarity = scores(released, "similarity")
    assert similarity.mean() == pytest.approx(2.655, abs=0.0005)
    assert similarity.std() == pytest.approx(1.784, abs=0.0005)


def test_the_rounds_correlate_as_released_and_as_in_the_paper(released: Released) -> None:
    similarity, round_1 = scores(released, "similarity").to_list(), scores(released, "round_1").to_list()
    assert pearsonr(similarity, round_1).statistic == pytest.approx(0.8755, abs=0.00005)
    assert round_1[3] == -4
    mended = [*round_1[:3], 4.0, *round_1[4:]]
    assert pearsonr(similarity, mended).statistic == pytest.approx(0.8787, abs=0.00005)


def test_every_quirk_of_the_file_is_reported_with_its_lines(released: Released) -> None:
    assert [finding.kind for finding in released.findings] == [
        "anonymous",
        "out_of_range",
        "duplicates",
        "swapped_duplicates",
        "identical_sentences",
    ]
    assert finding(released, "out_of_range").lines == (4,)
    assert "-4" in finding(released, "out_of_range").message
    # Ten pairs; two of them stand three times, so that 12 rows repeat an earlier one.
    assert finding(released, "duplicates").lines == (
        *(73, 75), *(155, 156), *(445, 446), *(451, 452), *(466, 467), *(478, 480), *(526, 527), *(532, 534),
        *(1075, 1076, 1077), *(1081, 1082, 1083),
    )  # fmt: skip
    assert "10 pairs stand more than once (rows that repeat an earlier one: 12)" in str(finding(released, "duplicates"))
    assert finding(released, "swapped_duplicates").lines == (
        *(128, 130), *(395, 400), *(518, 520), *(728, 730), *(762, 802), *(816, 835), *(822, 823), *(837, 838),
        *(1116, 1126),
    )  # fmt: skip
    assert len(finding(released, "identical_sentences").lines) == 127


def test_a_mean_that_is_not_the_mean_of_the_answers_is_reported(tmp_path: Path) -> None:
    # The nine answers sum to 21: 2.3333… On line 1 that is rounded to two decimals, on line 2 it is wrong.
    answers = "3,3,3,2,2,2,2,2,2"
    released = read_text(tmp_path, f"A.\tB.\t2.33\t{answers}\t2\nC.\tD.\t2.34\t{answers}\t2\n")
    assert finding(released, "mean_differs").lines == (2,)


def test_another_number_of_answers_is_reported_and_counted(tmp_path: Path) -> None:
    released = read_text(tmp_path, GOOD + "A.\tB.\t2.5\t2,3\t2\n")
    assert finding(released, "answer_count").lines == (2,)
    assert released.tables["scores"]["appearances"].to_list() == [9, 2, 1, 1]
    assert released.tables["judgments"].height == 11


def test_answers_and_means_out_of_range_are_kept_and_reported(tmp_path: Path) -> None:
    released = read_text(tmp_path, GOOD + "A.\tB.\t7\t7,7,7,7,7,7,7,7,7\t2\n")
    kinds = [(finding.kind, set(finding.lines)) for finding in released.findings if finding.kind == "out_of_range"]
    assert kinds == [("out_of_range", {2}), ("out_of_range", {2})]
    assert scores(released, "similarity").to_list() == [3, 7]


def test_quotes_belong_to_the_sentence(tmp_path: Path) -> None:
    released = read_text(tmp_path, GOOD.replace("Prší.", '"Prší.'))
    assert released.tables["pairs"]["text_a"].to_list() == ['"Prší.']


@pytest.mark.parametrize(
    ("text", "said", "accepted"),
    [
        ("", ": the file is empty", ""),
        ("A.\tB.\t3\t3,3\n", ":1: found 4 columns", "accepted: 5, separated by tabs"),
        (GOOD + "A.\tB.\t3\n", ":2: found 3 columns where the first row has 5", ""),
        (GOOD + "A.\tB.\tthree\t3,3\t3\n", ':2: column "mean": found "three"', "accepted: a number"),
        (GOOD + "A.\tB.\t3\t3,x\t3\n", ':2: column "answers": found "x"', "accepted: numbers separated by commas"),
        (GOOD + "A.\tB.\t3\t3,\t3\n", ':2: column "answers": found nothing', "accepted: numbers separated by commas"),
        (GOOD + "A.\tB.\t3\t3\tnan\n", ':2: column "round-1 score": found "nan"', "accepted: a number"),
        (GOOD + "A.\t \t3\t3\t3\n", ':2: column "second sentence": found nothing', "accepted: a sentence"),
    ],
)
def test_unreadable_content_is_refused_with_its_line(tmp_path: Path, text: str, said: str, accepted: str) -> None:
    with pytest.raises(KostraError) as caught:
        read_text(tmp_path, text)
    assert f"test.tsv{said}" in str(caught.value)
    assert accepted in str(caught.value)


def test_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_bytes(b"A.\tB.\t3\t3\t3\n" + GOOD.encode("cp1250"))
    with pytest.raises(KostraError, match=r"test\.tsv:2: the text is not UTF-8"):
        czech_news_sts.read(path)
