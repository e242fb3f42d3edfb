"""What the released data say about the four papers: what must be equal is, and every table is accounted for."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from kostra.errors import KostraError
from kostra.reproduction import PAPERS, Check, Reproduction, reproduce
from kostra.reproduction.showing import lines


@cache
def _recomputed(paper: str, folder: Path) -> Reproduction:
    return reproduce(paper, data=folder)


def cells(found: Reproduction, table: str, pattern: str = "") -> dict[str, Check]:
    return {check.cell: check for check in found.checks if check.table == table and re.search(pattern, check.cell)}


def verdicts(checks: dict[str, Check]) -> set[str]:
    return {check.verdict for check in checks.values()}


TABLES = {
    "costra": [f"Table {n}" for n in range(1, 6)] + ["Figure 1"],
    "czech_news_sts": [f"Table {n}" for n in range(1, 6)] + [f"Figure {n}" for n in (4, 7, 8, 9, 10)],
    "cdsc": [f"Table {n}" for n in range(1, 5)],
    "str2021": [f"Table {n}" for n in range(1, 7)] + ["Figure 1", "Figure 2"],
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_table_and_figure_of_a_paper_is_accounted_for(paper: str, data: Path) -> None:
    found = _recomputed(paper, data)
    assert set(TABLES[paper]) <= set(found.tables())


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_not_equal_says_why_and_what_is_not_released_has_no_figure(paper: str, data: Path) -> None:
    for check in _recomputed(paper, data).checks:
        assert check.verdict == "equal" or check.why, check
        assert (check.computed is None) == (check.verdict == "not released"), check
        assert check.why != "why is not known", check


@pytest.mark.parametrize("paper", PAPERS)
def test_no_cell_stands_twice(paper: str, data: Path) -> None:
    named = [(check.table, check.cell) for check in _recomputed(paper, data).checks]
    assert len(named) == len(set(named))


def test_cdsc_relatedness_is_distributed_as_in_table_3(data: Path) -> None:
    found = _recomputed("cdsc", data)
    table = cells(found, "Table 3")
    assert [table[f"relatedness {degree}"].computed for degree in range(6)] == [1978, 1428, 1082, 2159, 2387, 966]
    assert verdicts(table) == {"equal"}
    assert verdicts(cells(found, "Table 4")) == {"not released"}


def test_cdsc_table_3_notices_a_pair_that_is_missing(data: Path, tmp_path: Path) -> None:
    for name in ("cdsc_train.tsv", "cdsc_trial.tsv", "cdsc_test_scores.tsv"):
        rows = (data / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (tmp_path / name).write_text("".join(rows[:-1] if "test" in name else rows), encoding="utf-8")
    found = reproduce("cdsc", data=tmp_path)
    assert sorted(check.verdict for check in cells(found, "Table 3").values()) == ["close"] * 2 + ["equal"] * 5


def test_costra_strings_are_as_similar_as_in_table_5_where_1_1_added_nothing(data: Path) -> None:
    table = cells(_recomputed("costra", data), "Table 5", "string$")
    same = {name.removesuffix(", string") for name, check in table.items() if check.verdict == "equal"}
    assert same == {
        "minimal change", "possibility", "ban", "nonsense", "different meaning", "paraphrase", "simple sentence"
    }  # fmt: skip
    assert table["gossip, string"].verdict == "not released"
    extended = [check for name, check in table.items() if check.verdict in ("close", "differs")]
    assert len(extended) == 6
    assert all("COSTRA 1.1 added" in check.why for check in extended)
    assert verdicts(cells(_recomputed("costra", data), "Table 5", "vector$")) == {"not released"}


def test_costra_has_as_many_rewritten_seeds_as_table_4_and_their_lengths(data: Path) -> None:
    found = _recomputed("costra", data)
    assert cells(found, "Table 4")["Total, annotations"].computed == 126
    assert verdicts(cells(found, "§3.2", "seed ")) == {"equal"}
    pearson = cells(found, "Table 5")["Pearson of the two columns"]
    assert (pearson.verdict, pearson.why.rpartition("; ")[2]) == (
        "not released",
        "the two columns as printed give 0.934",
    )


def test_str_has_the_pairs_of_table_2(data: Path) -> None:
    table = cells(_recomputed("str2021", data), "Table 2")
    assert len(table) == 14
    assert verdicts(table) == {"equal"}


def test_str_overlap_correlates_as_in_tables_4_5_and_6(data: Path) -> None:
    found = _recomputed("str2021", data)
    assert cells(found, "Table 4")["Q1 lexical overlap, Spearman"].verdict == "equal"
    folds = {**cells(found, "Table 5", "Dice"), **cells(found, "Table 6", "Dice")}
    assert len(folds) == 8
    assert verdicts(folds) == {"equal"}
    assert {check.tolerance for check in folds.values()} == {0.01}
    assert verdicts({**cells(found, "Table 5", r"^\d\d"), **cells(found, "Table 6", "SBERT")}) == {"not released"}


def test_czech_news_test_part_has_the_mean_and_deviation_of_table_4(data: Path) -> None:
    found = cells(_recomputed("czech_news_sts", data), "Table 4")
    assert {name for name, check in found.items() if check.verdict == "equal"} == {
        "test free, mean", "test free, variance", "test free, size"
    }  # fmt: skip
    assert found["test free, variance"].why.startswith("what the paper calls variance is the standard deviation")


def test_czech_news_correlation_of_the_rounds_comes_out_once_the_minus_is_dropped(data: Path) -> None:
    found = cells(_recomputed("czech_news_sts", data), "Table 2")
    released, mended = (check for name, check in found.items() if "cfree" in name and name.startswith("RAW"))
    assert (released.verdict, mended.verdict) == ("close", "equal")
    assert released.computed == pytest.approx(0.8755, abs=5e-5)
    assert mended.computed == pytest.approx(0.8787, abs=5e-5)
    assert released.why == "scores of round 1 lie outside the scale; reading −4 (line 4) as 4 gives 0.8787"


def test_czech_news_agreement_is_refused_since_nobody_is_named(data: Path) -> None:
    table = cells(_recomputed("czech_news_sts", data), "Table 1")
    assert verdicts(table) == {"not released"}
    assert all("names nobody" in check.why for check in table.values())
    bound = cells(_recomputed("czech_news_sts", data), "§5")["lower bound of the squared error"]
    assert bound.computed == pytest.approx(0.158, abs=5e-4)


def test_the_same_files_give_the_same_figures(data: Path) -> None:
    assert reproduce("cdsc", data=data).plain() == _recomputed("cdsc", data).plain()


# Files that are not as they were released ----------------------------------------------------------------


def copied(paper: str, data: Path, folder: Path, *, rows: int) -> Path:
    """The first rows of a paper's last file, and its other files whole."""
    *others, last = list[str](import_module(f"kostra.reproduction.{paper}").FILES)
    for name in others:
        (folder / name).write_bytes((data / name).read_bytes())
    text = (data / last).read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / last).write_text("".join(text[:rows]), encoding="utf-8")
    return folder / last


@pytest.mark.parametrize("paper", PAPERS)
def test_a_file_of_which_most_is_missing_is_one_error_that_names_it(paper: str, data: Path, tmp_path: Path) -> None:
    short = copied(paper, data, tmp_path, rows=5)
    with pytest.raises(KostraError, match=r"rows where [\d,]+ were released") as error:
        reproduce(paper, data=tmp_path)
    assert error.value.where is not None
    assert error.value.where.endswith(short.name)


def test_a_file_that_lacks_a_line_is_recomputed_and_said_to_lack_it(data: Path, tmp_path: Path) -> None:
    copied("czech_news_sts", data, tmp_path, rows=1199)
    found = reproduce("czech_news_sts", data=tmp_path)
    assert found.findings[0].endswith("cna_free_test.tsv: 1,199 rows where 1,200 were released")
    assert any("1,199 rows" in line for line in lines(found))


@pytest.mark.parametrize("paper", PAPERS)
def test_a_file_that_is_no_text_leaves_exit_code_2_and_writes_nothing(paper: str, data: Path, tmp_path: Path) -> None:
    copied(paper, data, tmp_path, rows=5).write_bytes(bytes(range(256)))
    written = tmp_path / "checks.json"
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "from kostra.cli import main; main()",
            "reproduce",
            paper,
            "--data",
            str(tmp_path),
            "--json",
            str(written),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr.count("error:"), "Traceback" in ran.stderr) == (2, 1, False)
    assert not written.exists()
