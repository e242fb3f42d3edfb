"""The folder beside the page: every figure as SVG, PDF and PNG, every table as CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from kostra import figures, files
from kostra.report.blocks import Drawing, Section, Table, drawings_of, tables_of
from kostra.report.latex import latex

FOLDER = "report"


def write(sections: Sequence[Section], folder: Path) -> None:
    """Write the figures and tables of the page into a folder, whose name is `FOLDER`."""
    for part in ("figures", "tables"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for drawing in drawings_of(sections):
        _write_drawing(drawing, folder / "figures")
    for table in tables_of(sections):
        files.write_text(as_csv(table), folder / "tables" / f"{table.name}.csv")
        files.write_text(latex(table), folder / "tables" / f"{table.name}.tex")


def _write_drawing(drawing: Drawing, folder: Path) -> None:
    if drawing.figure is not None:
        figures.save_all(drawing.figure, folder / drawing.name)
    elif drawing.saved is not None:
        for ending in figures.ENDINGS:
            before = Path(f"{drawing.saved}{ending}")
            if before.is_file():
                files.write_bytes(before.read_bytes(), folder / f"{drawing.name}{ending}")


def as_csv(table: Table) -> str:
    r"""The table as CSV, with a header; a minus is one that programs read.

    Examples
    --------
    >>> as_csv(Table("x", "X", ("Name", "Value"), (("a, b", "−0.5"),)))
    'Name,Value\n"a, b",-0.5\n'
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.head)
    for row in table.rows:
        writer.writerow(cell.replace("\N{MINUS SIGN}", "-") for cell in row)
    return stream.getvalue()
