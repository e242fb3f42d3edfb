from __future__ import annotations

from pathlib import Path

import pytest
from scipy.stats import spearmanr

from kostra.errors import KostraError
from kostra.sources.released import Released, str2021
from kostra.tables import check, schema_named
from kostra.text import dice, words

HEADER = "Index,SourceID,SubsetID,PairID,Text,Score\n"


@pytest.fixture(scope="module")
def released(data: Path) -> Released:
    return str2021.read(data / "str2022.csv")


def written(folder: Path, text: str) -> Path:
    path = folder / "str.csv"
    path.write_text(text, encoding="utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(KostraError) as caught:
        str2021.read(path)
    return str(caught.value)


def test_every_table_keeps_its_schema(released: Released) -> None:
    for name, frame in released.tables.items():
        assert check(frame, schema_named(name)).equals(frame)
    assert (released.name, released.language, released.low, released.high) == ("str2021", "en", 0, 1)


def test_every_score_belongs_to_a_pair_and_lies_in_range(released: Released) -> None:
    pairs, scores = released.tables["pairs"], released.tables["scores"]
    assert scores["item"].to_list() == pairs["pair"].to_list()
    assert scores["score"].is_between(0, 1).all()


def test_subsets_have_the_sizes_of_the_papers_table_2(released: Released) -> None:
    counts = dict(released.tables["pairs"]["subset"].value_counts().iter_rows())
    assert counts == {
        "Formality_pp": 300,
        "Formality_r": 700,
        "Goodreads": 1000,
        "ParaNMT_pp": 450,
        "ParaNMT_r": 300,
        "SNLI": 750,
        "STS": 250,
        "Stance": 750,
        "Wiki_pp": 500,
        "Wiki_r": 500,
    }


def test_dice_overlap_has_the_papers_correlation(released: Released) -> None:
    pairs = released.tables["pairs"]
    overlap = [dice(words(a), words(b)) for a, b in pairs.select("text_a", "text_b").iter_rows()]
    assert spearmanr(overlap, released.tables["scores"]["score"]).statistic == pytest.approx(0.571, abs=0.001)


def test_the_unknown_number_of_answers_and_swapped_pairs_are_reported(released: Released) -> None:
    assert [finding.kind for finding in released.findings] == ["not_released", "swapped_duplicates"]
    assert released.tables["scores"]["appearances"].unique().to_list() == [0]
    # A row takes two lines below the header, so the pair with Index i begins on line 2i + 2.
    swapped = [405, 998, 1678, 2742, 1776, 1993, 2363, 3107, 2632, 3300, 2731, 3144]
    assert released.findings[1].lines == tuple(2 * index + 2 for index in swapped)


def test_a_score_out_of_range_is_kept_and_reported(tmp_path: Path) -> None:
    released = str2021.read(written(tmp_path, HEADER + '0,S,S_r,p1,"One.\nTwo.",1.5\n'))
    assert released.tables["scores"]["score"].to_list() == [1.5]
    assert [(finding.kind, finding.lines) for finding in released.findings[1:]] == [("out_of_range", (2,))]


def test_windows_line_ends_leave_no_trace_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "str.csv"
    path.write_bytes((HEADER + '0,S,S_r,p1,"One.\nTwo.",1\n').replace("\n", "\r\n").encode())
    assert str2021.read(path).tables["pairs"].select("text_a", "text_b").row(0) == ("One.", "Two.")


@pytest.mark.parametrize("text", ['"One."', '"One.\nTwo.\nThree."', '"One.\n "'])
def test_a_text_that_is_not_two_sentences_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, HEADER + f'0,S,S_r,p1,"One.\nTwo.",1\n1,S,S_r,p2,{text},1\n')
    message = refused(path)
    assert message.startswith(f'{path}:4: column "Text": found')
    assert "accepted: two sentences on two lines" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": the file is empty"),
        (HEADER, ":1: there is no row below the header"),
        (HEADER + '0,S,S_r,p1,"One.\nTwo.",high\n', ':2: column "Score": found "high"'),
        (HEADER + '0,S,S_r,p1,"One.\nTwo.",nan\n', ':2: column "Score": found "nan"'),
        (HEADER + '0,S,S_r,p1,"One.\nTwo."\n', ":2: found 5 columns where the header has 6"),
        (HEADER + '0,S,S_r,p1,"One.\nTwo.",1\n1,S,S_r,p1,"Three.\nFour.",1\n', "(lines 2 and 4)"),
        (HEADER.replace("Score", "Mark") + '0,S,S_r,p1,"One.\nTwo.",1\n', ':1: unknown column of STR-2022 as released'),
        (HEADER + '0,S,S_r,p1,"One.\nTwo.,1\n', ":2: the CSV cannot be read"),
    ],
)  # fmt: skip
def test_unreadable_content_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    message = refused(path)
    assert message.startswith(str(path))
    assert said in message


def test_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "str.csv"
    path.write_bytes(HEADER.encode() + '0,S,S_r,p1,"Žába.\nKůň.",1\n'.encode("cp1250"))
    assert refused(path).startswith(f"{path}:2: the text is not UTF-8")
