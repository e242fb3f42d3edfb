"""Best–worst answers to scores and reliability, as a function and from the command line."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from kostra.cli import app
from kostra.errors import KostraError
from kostra.reliability.bws import BestWorst, bws

HEADER = "Item1,Item2,Item3,Item4,BestItem,WorstItem"
TWO = f"{HEADER},Annotator\na,b,c,d,a,d,ann\nd,c,b,a,b,d,bob\n"
KEYS = ["items", "tuples", "answers", "annotators", "split_half", "split_half_disjoint", "warnings"]
SPLIT_HALF = {"spearman", "pearson", "spearman_sd", "pearson_sd", "trials", "items", "left_out", "undefined"}


def written(folder: Path, text: str, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def scores(found: BestWorst) -> dict[str, float]:
    return dict(zip(found.scores["item"], found.scores["score"], strict=True))


def kostra_says(*arguments: object, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


def strict_json(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def run_kostra(shell: str) -> subprocess.CompletedProcess[str]:
    """Run the real command, so that exit code and streams are those a user sees."""
    command = shell.replace("kostra", f"{sys.executable} -m kostra.cli", 1)
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602 - our own words


# The function ------------------------------------------------------------------------------------------


def test_scores_are_those_of_counting(tmp_path: Path) -> None:
    found = bws(written(tmp_path, TWO), trials=10)
    # Each item appears twice. a and b are best once: raw 1/2, score 3/4. c is never chosen: 1/2. d is worst twice: 0.
    assert scores(found) == {"a": 0.75, "b": 0.75, "c": 0.5, "d": 0.0}
    assert found.scores.columns == ["item", "score", "raw", "appearances", "standard_error"]
    assert (found.items, found.tuples, found.answers, found.annotators) == (4, 1, 2, 2)


def test_people_who_are_not_named_are_not_counted_as_a_person(tmp_path: Path) -> None:
    found = bws(written(tmp_path, TWO + "a,b,c,d,a,d,\na,b,c,d,a,d, \n"), trials=5)
    assert (found.answers, found.annotators) == (4, 2)
    assert any("is empty in 2 of 4 answers" in warning for warning in found.warnings)


def test_one_answer_has_scores_but_no_reliability(tmp_path: Path) -> None:
    found = bws(written(tmp_path, f"{HEADER}\na,b,c,d,a,d\n"), trials=7)
    assert scores(found) == {"a": 1.0, "b": 0.5, "c": 0.5, "d": 0.0}
    assert found.scores["standard_error"].to_list() == [None] * 4
    for half in (found.split_half, found.split_half_disjoint):
        assert math.isnan(half.spearman)
        assert (half.trials, half.undefined) == (7, 7)
    summary = strict_json(json.dumps(found.summary(), allow_nan=False))
    assert summary["split_half"]["spearman"] is None
    assert "7 of 7 trials have no correlation" in found.warnings


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"trials": 0}, "the number of trials is 0\n  accepted: a whole number from 1"),
        ({"trials": -5}, "the number of trials is -5"),
        ({"seed": -1}, "the seed is -1"),
        ({"best": "Bst"}, 'unknown column "Bst"'),
    ],
)
def test_nonsensical_requests_are_refused(tmp_path: Path, options: dict[str, Any], what: str) -> None:
    with pytest.raises(KostraError) as caught:
        bws(written(tmp_path, TWO), **options)
    assert what in str(caught.value)


def test_the_seed_decides(tmp_path: Path, data: Path) -> None:
    path = data / "semrel_arb_bws_ids.csv"
    one, same, other = (bws(path, trials=5, seed=seed) for seed in (1, 1, 2))
    assert one.summary() == same.summary()
    assert one.split_half != other.split_half
    assert one.scores.equals(other.scores)


answers = st.lists(
    st.permutations(list("abcdefg")).map(lambda order: tuple(order[:4])).flatmap(
        lambda row: st.permutations(row).map(lambda picked: (row, picked[0], picked[1]))
    ),
    min_size=1,
    max_size=12,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(answers, st.randoms(use_true_random=False))
def test_scores_depend_neither_on_the_order_of_rows_nor_of_items_in_a_row(
    rows: list[tuple[tuple[str, ...], str, str]], shuffle: random.Random
) -> None:
    shuffled = [(tuple(shuffle.sample(row, 4)), best, worst) for row, best, worst in rows]
    shuffle.shuffle(shuffled)
    with tempfile.TemporaryDirectory() as folder:
        found = [
            bws(
                written(
                    Path(folder), "\n".join([HEADER, *(",".join([*row, best, worst]) for row, best, worst in some)])
                ),
                trials=2,
            )
            for some in (rows, shuffled)
        ]
    first, second = (one.scores.sort("item") for one in found)
    assert first.equals(second)
    assert (found[0].items, found[0].tuples) == (found[1].items, found[1].tuples)


# The command line --------------------------------------------------------------------------------------


def test_json_has_exactly_the_promised_keys(tmp_path: Path) -> None:
    done = kostra_says("bws", written(tmp_path, TWO), "--json", "--trials", 5)
    found = strict_json(done.stdout)
    assert list(found) == KEYS
    assert set(found["split_half"]) == set(found["split_half_disjoint"]) == SPLIT_HALF
    assert found["annotators"] == 2
    assert isinstance(found["warnings"], list)
    assert done.stderr == ""


def test_json_of_one_answer_holds_null_and_never_nan(tmp_path: Path) -> None:
    done = kostra_says("bws", written(tmp_path, f"{HEADER}\na,b,c,d,a,d\n"), "--json", "--trials", 5)
    assert strict_json(done.stdout)["split_half"]["spearman"] is None


def test_json_and_scores_in_a_file_go_together(tmp_path: Path) -> None:
    out = tmp_path / "scores.jsonl"
    done = kostra_says("bws", written(tmp_path, TWO), "--json", "--trials", 5, "-o", out)
    assert strict_json(done.stdout)["items"] == 4
    assert [strict_json(line)["item"] for line in out.read_text().splitlines()] == ["a", "b", "c", "d"]


def test_json_and_scores_cannot_both_have_standard_output(tmp_path: Path) -> None:
    done = kostra_says("bws", written(tmp_path, TWO), "--json", "-o", "-")
    assert "both want standard output" in str(done.exception)
    assert done.stdout == ""


def test_scores_go_to_standard_output_and_the_summary_beside_them(tmp_path: Path) -> None:
    done = kostra_says("bws", "-", "-o", "-", "--trials", 5, stdin=TWO)
    assert pl.read_csv(done.stdout.encode()).columns == ["item", "score", "raw", "appearances", "standard_error"]
    assert "4 items, 1 tuples, 2 answers by 2 annotators" in done.stderr
    # One tuple cannot lie in both halves.
    assert "tuple-disjoint split-half: undefined, 5 trials, 4.0 items left out" in done.stderr
    assert "nan" not in done.stderr


def test_columns_are_named_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, "who,x,y,top,last\nann,a,b,1,2\n")
    done = kostra_says(
        "bws",
        path,
        "--items",
        "x, y",
        "--best",
        "top",
        "--worst",
        "last",
        "--annotator",
        "who",
        "--json",
        "--trials",
        1,
    )
    found = strict_json(done.stdout)
    assert (found["items"], found["annotators"]) == (2, 1)


@pytest.mark.parametrize("items", ["", ",", "x,,y", "x"])
def test_wrong_item_columns_are_refused(tmp_path: Path, items: str) -> None:
    path = written(tmp_path, "x,y,Best,Worst\na,b,1,2\n")
    assert isinstance(kostra_says("bws", path, "--items", items).exception, KostraError)


def test_the_published_answers_give_the_published_reliability(data: Path) -> None:
    done = run_kostra(f"kostra bws {data / 'semrel_arb_bws_ids.csv'} --json --seed 1")
    assert (done.returncode, done.stderr) == (0, "")
    found = strict_json(done.stdout)
    assert (found["items"], found["tuples"], found["answers"]) == (632, 1255, 2710)
    # What the NRC Perl scripts give on this file.
    assert found["split_half"]["spearman"] == pytest.approx(0.8338, abs=0.002)
    assert found["split_half"]["pearson"] == pytest.approx(0.830, abs=0.002)


def test_the_raw_answers_report_their_quirks_and_agree_once_merged(data: Path) -> None:
    raw = bws(data / "semrel_arb_bws.csv", seed=1, trials=20)
    assert (raw.items, raw.answers) == (1964, 2710)
    assert any("1,964 different strings are only 632" in warning for warning in raw.warnings)
    assert any(warning.endswith("(line 427)") for warning in raw.warnings)
    merged = bws(data / "semrel_arb_bws.csv", seed=1, merge_near_duplicates=True)
    assert (merged.items, merged.tuples, merged.answers) == (632, 1255, 2710)
    assert merged.split_half.spearman == pytest.approx(0.8338, abs=0.002)


def test_failures_are_one_message_and_exit_code_2(tmp_path: Path) -> None:
    out = written(tmp_path, "old", "scores.csv")
    good = written(tmp_path, TWO, "good.csv")
    bad = written(tmp_path, f"{HEADER}\na,b,c,d,a,b\na,b,c,d,x,b\n")
    expected = {
        f"kostra bws {bad} -o {out}": 'a.csv:3: column "BestItem": found "x"',
        f"kostra bws {good} --json --trials 5 > /dev/full": "standard output: cannot be written: No space left",
        f"kostra bws {good} --trials 5 -o - >&-": "standard output: cannot be written: it is closed",
        "kostra tuples - <&-": "standard input: cannot be read: it is closed",
        "kostra --help > /dev/full": "standard output: cannot be written: No space left",
    }
    for shell, message in expected.items():
        done = run_kostra(shell)
        assert (done.returncode, message in done.stderr) == (2, True), (shell, done.stderr)
        assert done.stderr.startswith("error: ")
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr
    assert out.read_text() == "old"


def test_output_is_utf8_in_any_locale_and_a_reader_may_leave_early(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEADER}\nž,ž.,c,d,1,4\n")
    done = run_kostra(f"LC_ALL=C PYTHONIOENCODING=ascii kostra bws {path} --trials 1 -o - | head -c 3")
    assert done.stdout == "ite"
    assert "Traceback" not in done.stderr
    assert '"ž" and "ž."' in done.stderr


def test_counting_is_refused_for_answers_to_an_adaptive_design(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    rows = ["Item1,Item2,Item3,BestItem,WorstItem,block", "a,b,c,a,c,adaptive", "b,c,d,b,d,adaptive"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(KostraError, match="adaptive design, on which counting is biased"):
        bws(path)
    assert bws(path, method="choice", trials=2).scores["item"][0] == "a"


def test_the_choice_model_with_annotators_needs_to_know_them(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    rows = ["Item1,Item2,Item3,BestItem,WorstItem", "a,b,c,a,c", "b,c,d,b,d"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(KostraError, match="needs to know who gave every answer"):
        bws(path, method="choice-annotators")
    path.write_text("\n".join([f"{row},{'Annotator' if n == 0 else 'ann'}" for n, row in enumerate(rows)]) + "\n")
    assert bws(path, method="choice-annotators", trials=2).scores.height == 4
    with pytest.raises(KostraError, match='did you mean "choice"'):
        bws(path, method="choise")  # type: ignore[arg-type]
