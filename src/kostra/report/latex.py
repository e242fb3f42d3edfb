r"""Tables as LaTeX, with the rules of booktabs.

What LaTeX would take for a command is escaped, and signs that the usual fonts lack are written as commands. Other
scripts stay as they are: XeLaTeX and LuaLaTeX set them with a font that has them.
"""

from __future__ import annotations

import re

from kostra.report.blocks import Table

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "\u00a0": "~", "\u2026": r"\ldots{}", "\u2013": "--",
    "\u2014": "---", "\u2212": "$-$", "\u00b1": r"$\pm$", "\u00d7": r"$\times$", "\u00b2": "$^2$",
    "\u03b1": r"$\alpha$", "\u03ba": r"$\kappa$", "\u03c1": r"$\rho$", "\u03c3": r"$\sigma$", "\u2264": r"$\leq$",
    "\u2265": r"$\geq$", "\u2192": r"$\rightarrow$", "\u2190": r"$\leftarrow$", "\u201c": "``", "\u201d": "''",
    "\u2018": "`", "\u2019": "'", "\u00b7": r"\textperiodcentered{}",
}  # fmt: skip
_PATTERN = re.compile("|".join(re.escape(sign) for sign in _SPECIAL))
MANY = 6
"""Columns from which on a table is set small."""
LONG = 40
"""Rows from which on a table may break over pages, and letters from which on a column breaks its lines."""


def escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is written.

    Examples
    --------
    >>> print(escaped("50% of {a_b} & $5 #1 ~^\\"))
    50\% of \{a\_b\} \& \$5 \#1 \textasciitilde{}\textasciicircum{}\textbackslash{}
    """
    return _PATTERN.sub(lambda found: _SPECIAL[found[0]], " ".join(text.split()))


def latex(table: Table) -> str:
    r"""The table with caption and label.

    Examples
    --------
    >>> print(latex(Table("who", "Who & what", ("Name", "n"), (("a_b", "1"),), numbers=(1,))))
    % needs \usepackage{booktabs}
    \begin{table}
    \centering
    \caption{Who \& what}
    \label{tab:who}
    \begin{tabular}{lr}
    \toprule
    Name & n \\
    \midrule
    a\_b & 1 \\
    \bottomrule
    \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    columns = _columns(table)
    small = [r"\footnotesize"] if len(table.head) > MANY or "p{" in columns else []
    head = _line(table.head[_first(table) :])
    caption = [rf"\caption{{{escaped(table.caption)}}}", rf"\label{{tab:{table.name}}}"]
    body = _body(table)
    if len(table.rows) > LONG:
        packages = r"\usepackage{booktabs,longtable}"
        parts = [
            rf"\begin{{longtable}}{{{columns}}}", *caption[:1], rf"{caption[1]}\\", r"\toprule", head, r"\midrule",
            r"\endhead", *body, r"\bottomrule", r"\end{longtable}",
        ]  # fmt: skip
    else:
        packages = r"\usepackage{booktabs}"
        parts = [
            r"\begin{table}", r"\centering", *small, *caption, rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head,
            r"\midrule", *body, r"\bottomrule", r"\end{tabular}", r"\end{table}",
        ]  # fmt: skip
    return "\n".join([f"% needs {packages}", *parts]) + "\n"


def _first(table: Table) -> int:
    return 1 if table.grouped else 0


def _columns(table: Table) -> str:
    """Numbers flush right, text flush left; columns of long text share most of the line."""
    places = range(_first(table), len(table.head))
    longest = {place: max((len(row[place]) for row in table.rows), default=0) for place in places}
    wide = [place for place in places if place not in table.numbers and longest[place] > LONG]
    share = min(0.4, 0.7 / max(len(wide), 1))
    kinds = dict.fromkeys(wide, rf"p{{{share:.2f}\linewidth}}") | dict.fromkeys(table.numbers, "r")
    return "".join(kinds.get(place, "l") for place in places)


def _line(cells: tuple[str, ...]) -> str:
    # A cell that begins with a bracket would be read as an option of the line before it.
    return " & ".join(f"{{}}{cell}" if cell.startswith("[") else cell for cell in map(escaped, cells)) + r" \\"


def _body(table: Table) -> list[str]:
    if not table.grouped:
        return [_line(row) for row in table.rows]
    lines: list[str] = []
    before: str | None = None
    for first, *rest in table.rows:
        if first != before:
            lines += [r"\midrule"] if lines else []
            lines.append(rf"\multicolumn{{{len(table.head) - 1}}}{{l}}{{\textit{{{escaped(first)}}}}} \\")
            before = first
        lines.append(_line(tuple(rest)))
    return lines
