"""The folder beside the page: every figure and table as a file, safe with any text, the same bytes each time."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.report.reports import ANNOTATORS, SCORES, TEXTS, TUPLES, best_worst, pairs, scores, written

from kostra.report.beside import as_csv
from kostra.report.blocks import Table
from kostra.report.latex import escaped, latex
from kostra.tables import Frame

ODD = Table(
    "odd",
    "100% of {it} & more_or_less #1",
    ("Name", "Value", "Note"),
    (
        (r"\\a_b ~^ $x$", "−0.5", '<&>"|'),
        ("[x]", "1", "α ≥ κ × ρ ± σ² … “q” – —"),
        ("žluťoučký", "", "a, b\nc"),
    ),
    numbers=(1,),
)
GROUPED = Table("grouped", "By part", ("Part", "Name", "n"), (("a_1", "x", "1"), ("a_1", "y", "2"), ("b", "z", "3")),
                numbers=(2,), grouped=True)  # fmt: skip
LONG = Table("long", "Many rows", ("Name", "n"), tuple((f"row {n}", str(n)) for n in range(60)), numbers=(1,))


@pytest.fixture(scope="module")
def given() -> dict[str, Frame]:
    return {
        "pairs": pairs(TEXTS), "scores": scores(SCORES), "judgments": best_worst(), "annotators": ANNOTATORS,
        "tuples": TUPLES,
    }  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_figure_has_three_forms_and_every_table_two(tmp_path: Path, given: dict[str, Frame]) -> None:
    page = written(tmp_path, given)
    made = contents(tmp_path / "report" / "report")
    drawn = {name for name in made if name.startswith("figures/")}
    stems = {name.rpartition(".")[0] for name in drawn}
    assert drawn == {f"{stem}.{form}" for stem in stems for form in ("svg", "pdf", "png")}
    assert page.count("<figure") == len(stems) >= 3
    told = {name for name in made if name.startswith("tables/")}
    named = {name.rpartition(".")[0] for name in told}
    assert told == {f"{stem}.{form}" for stem in named for form in ("csv", "tex")}
    assert page.count("<table") == len(named) >= 4


def test_the_same_tables_give_the_same_files(tmp_path: Path, given: dict[str, Frame]) -> None:
    for name in ("one", "two"):
        shuffled = {kind: frame.sample(fraction=1, shuffle=True, seed=len(name)) for kind, frame in given.items()
                    if kind in ("pairs", "scores")}  # fmt: skip
        written(tmp_path / name, given | shuffled)
    one, two = (contents(tmp_path / name / "report") for name in ("one", "two"))
    assert one == two
    assert not any(b"CreationDate" in content or b"dc:date" in content for content in one.values())


def test_what_latex_would_take_for_a_command_is_escaped() -> None:
    assert escaped(r"\input{x} 5% _ & # $ ~ ^") == (
        r"\textbackslash{}input\{x\} 5\% \_ \& \# \$ \textasciitilde{} \textasciicircum{}"
    )
    assert escaped("a\nb\tc") == "a b c"


def test_tables_are_ruled_by_booktabs_and_long_ones_break() -> None:
    assert all(rule in latex(ODD) for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}{lrl}"))
    assert r"\multicolumn{2}{l}{\textit{a\_1}}" in latex(GROUPED)
    assert r"\begin{longtable}" in latex(LONG)
    assert "{}[x]" in latex(ODD)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex is installed")
def test_tables_compile(tmp_path: Path) -> None:
    body = "\n".join(latex(table) for table in (ODD, GROUPED, LONG))
    head = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs,longtable}\begin{document}"
    (tmp_path / "all.tex").write_text(f"{head}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout[-2000:]


def test_csv_comes_back_as_it_was_with_a_plain_minus() -> None:
    rows = list(csv.reader(io.StringIO(as_csv(ODD))))
    assert rows[0] == list(ODD.head)
    assert rows[1][1] == "-0.5"
    assert rows[3][2] == "a, b\nc"
