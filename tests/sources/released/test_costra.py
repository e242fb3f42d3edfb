from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.sources.released import Released, costra
from kostra.tables import Finding, check, schema_named

SEED = "0\t1\tseed\tPes štěká.\tPes štěká .\t\t1\t\t\n"
PAST = "1\t1\tpast\tPes štěkal.\tPes štěkal .\t0\t\t\t\n"


@pytest.fixture(scope="module")
def released(data: Path) -> Released:
    return costra.read(data / "costra11.tsv")


def finding(released: Released, kind: str) -> Finding:
    (found,) = [finding for finding in released.findings if finding.kind == kind]
    return found


def read_text(folder: Path, text: str) -> Released:
    path = folder / "costra.tsv"
    path.write_text(text, encoding="utf-8")
    return costra.read(path)


def test_every_table_keeps_its_schema(released: Released) -> None:
    for name, frame in released.tables.items():
        assert check(frame, schema_named(name)).equals(frame)
    assert (released.name, released.language, released.low, released.high) == ("costra", "cs", 0, 1)


def test_every_rewrite_names_its_seed_and_its_change(released: Released) -> None:
    sentences = released.tables["sentences"]
    seeds = sentences.filter(pl.col("label") == "seed")
    rewrites = sentences.filter(pl.col("label") != "seed")
    assert (seeds.height, rewrites.height) == (126, 6842)
    assert seeds["origin"].null_count() == seeds["change"].null_count() == seeds.height
    assert rewrites["change"].equals(rewrites["label"].alias("change"))
    origins = rewrites.join(seeds, left_on="origin", right_on="sentence", suffix="_of_seed")
    assert origins.height == rewrites.height
    assert origins["group"].equals(origins["group_of_seed"].alias("group"))


def test_every_comparison_stands_once_between_known_sentences(released: Released) -> None:
    judgments, pairs = released.tables["judgments"], released.tables["pairs"]
    # The file lists 14,358 ids under more, as many under less, 3,034 under too similar and 1,004 under too
    # dissimilar, each comparison from both sides; the one sentence that stands under its own more and less
    # is its own mirror image. So 14,357 + 1,517 + 502 comparisons, and two odd rows.
    values = Counter(judgments["value"])
    assert values["more"] + values["less"] == 14_357 + 2
    assert (values["too_similar"], values["too_dissimilar"]) == (1517, 502)
    assert set(judgments["item"]) == set(pairs["pair"])
    assert judgments["annotator"].null_count() == judgments.height
    text = dict(released.tables["sentences"].select("sentence", "text").iter_rows())
    for pair, a, b, text_a, text_b in pairs.select("pair", "sentence_a", "sentence_b", "text_a", "text_b").iter_rows():
        assert pair == f"{a}>{b}"
        assert (text[a], text[b]) == (text_a, text_b)
        assert int(a) <= int(b)


def test_comparisons_are_by_the_six_extended_transformations_and_simplicity(released: Released) -> None:
    assert Counter(released.tables["pairs"]["subset"]) == {
        "formal sentence": 2609,
        "future": 1787,
        "generalization": 2882,
        "nonstandard sentence": 5034,
        "opposite meaning": 2399,
        "past": 1473,
        "simple sentence": 193,
    }


def test_every_oddity_of_the_file_is_reported_with_its_lines(released: Released) -> None:
    assert [finding.kind for finding in released.findings] == [
        "absent_seeds",
        "duplicates",
        "near_duplicates",
        "white_space",
        "anonymous",
        "direction",
        "self_comparison",
        "contradictory",
    ]
    assert finding(released, "absent_seeds").message.endswith("from 1 to 149; absent: 23")
    assert "27, on 54 rows" in finding(released, "duplicates").message
    assert finding(released, "duplicates").lines[:4] == (261, 292, 490, 496)
    assert "6,941 different strings are only 6,930" in finding(released, "near_duplicates").message
    assert finding(released, "near_duplicates").lines[:4] == (74, 75, 667, 674)
    assert finding(released, "white_space").lines[:3] == (107, 127, 171)
    assert finding(released, "self_comparison").lines == finding(released, "contradictory").lines == (5536,)


def test_the_seeds_tell_which_way_more_runs(released: Released) -> None:
    said = finding(released, "direction").message
    usual = "formal sentence, future, generalization, nonstandard sentence, past"
    assert f'2,268 rewrites ({usual}) have their seed under "more"' in said
    assert '480 rewrites (opposite meaning) have their seed under "less"' in said


@pytest.mark.parametrize(
    ("transformation", "expected"),
    [
        ("minimal change", 0.887),
        ("possibility", 0.843),
        ("ban", 0.819),
        ("nonsense", 0.675),
        ("different meaning", 0.699),
        ("paraphrase", 0.556),
        ("simple sentence", 0.606),
    ],
)
def test_string_similarity_to_the_seed_is_that_of_the_papers_table_5(
    released: Released, transformation: str, expected: float
) -> None:
    indel = pytest.importorskip("rapidfuzz.distance").Indel
    sentences = released.tables["sentences"]
    rewrites = sentences.filter(pl.col("change") == transformation)
    both = rewrites.join(sentences, left_on="origin", right_on="sentence", suffix="_of_seed")
    alike = [indel.normalized_similarity(a, b) for a, b in both.select("text", "text_of_seed").iter_rows()]
    assert sum(alike) / len(alike) == pytest.approx(expected, abs=0.001)


def test_a_comparison_is_told_from_the_side_of_the_first_sentence(tmp_path: Path) -> None:
    released = read_text(tmp_path, SEED + PAST)
    assert released.tables["judgments"].select("item", "value").rows() == [("0>1", "less")]
    assert released.tables["pairs"].select("pair", "subset").rows() == [("0>1", "past")]
    assert [finding.kind for finding in released.findings] == ["anonymous", "direction"]


def test_a_comparison_that_only_the_second_sentence_lists_is_kept_and_reported(tmp_path: Path) -> None:
    released = read_text(tmp_path, SEED.replace("\t1\t\t\n", "\t\t\t\n") + PAST)
    assert released.tables["judgments"].select("item", "value").rows() == [("0>1", "less")]
    assert finding(released, "one_sided").lines == (2,)


def test_contradictory_lists_are_kept_and_reported(tmp_path: Path) -> None:
    released = read_text(tmp_path, SEED.replace("\t\t1\t\t\n", "\t1\t\t\t\n") + PAST)
    assert released.tables["judgments"]["value"].to_list() == ["more", "less"]
    assert released.tables["pairs"]["pair"].to_list() == ["0>1"]
    assert finding(released, "one_sided").lines == (1, 2)
    assert finding(released, "contradictory").lines == (1,)


def test_ids_that_point_nowhere_are_left_out_and_counted(tmp_path: Path) -> None:
    released = read_text(tmp_path, SEED.replace("\t1\t\t\n", "\t1,77\t\t\n") + PAST)
    assert released.tables["judgments"]["item"].to_list() == ["0>1"]
    assert finding(released, "dangling").lines == (1,)


def test_comparisons_across_seeds_are_kept_and_reported(tmp_path: Path) -> None:
    released = read_text(tmp_path, SEED + PAST.replace("1\t1\t", "1\t2\t"))
    assert finding(released, "crossed").lines == (1,)
    assert finding(released, "no_seed").lines == (2,)
    assert released.tables["sentences"]["origin"].to_list() == [None, None]


def test_two_seeds_of_one_number_leave_the_origin_empty(tmp_path: Path) -> None:
    second = "2\t1\tseed\tKočka spí.\tKočka spí .\t\t\t\t\n"
    released = read_text(tmp_path, SEED + PAST + second)
    assert released.tables["sentences"]["origin"].null_count() == 3
    assert finding(released, "no_seed").lines == (1, 2, 3)


def test_a_file_without_comparisons_has_empty_tables_of_them(tmp_path: Path) -> None:
    released = read_text(tmp_path, "0\t1\tseed\tPes štěká.\tKočka\t\t\t\t\n")
    assert released.tables["pairs"].is_empty()
    assert released.tables["judgments"].is_empty()
    assert [finding.kind for finding in released.findings] == ["tokenized_differs"]


@pytest.mark.parametrize(
    ("text", "said", "accepted"),
    [
        ("", ": the file is empty", ""),
        ("0\t1\tseed\tPes.\n", ":1: found 4 columns", "accepted: 9, separated by tabs: id, seed number"),
        (SEED + "1\t1\tpast\tPes.\n", ":2: found 4 columns where the first row has 9", ""),
        (SEED + PAST.replace("\tpast", "\tpest"), ':2: unknown transformation "pest"', 'did you mean "past"?'),
        (SEED + PAST.replace("1\t1", "x\t1"), ':2: column "id": found "x"', "accepted: a whole number"),
        (SEED + PAST.replace("1\t1", "1\t"), ':2: column "seed number": found nothing', "accepted: a whole number"),
        (SEED + PAST.replace("Pes štěkal.", " "), ':2: column "sentence": found nothing', "accepted: a sentence"),
        (SEED + PAST.replace("\t0\t", "\t0;1\t"), ':2: column "more": found "0;1"', "ids separated by commas"),
        (SEED + PAST.replace("\t0\t", "\t0,0\t"), ':2: column "more": found "0,0"', "each once"),
        (SEED + SEED, ":2: the id 0 stands on line 1 already", "accepted: each id once"),
    ],
)  # fmt: skip
def test_unreadable_content_is_refused_with_its_line(tmp_path: Path, text: str, said: str, accepted: str) -> None:
    with pytest.raises(KostraError) as caught:
        read_text(tmp_path, text)
    assert f"costra.tsv{said}" in str(caught.value)
    assert accepted in str(caught.value)


def test_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "costra.tsv"
    path.write_bytes(b"5\t9\tseed\tA.\tA .\t\t\t\t\n" + SEED.encode("cp1250"))
    with pytest.raises(KostraError, match=r"costra\.tsv:2: the text is not UTF-8"):
        costra.read(path)
