"""A reproduction as a page: one file without scripts or outside requests."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kostra import __version__
from kostra.reproduction.checks import VERDICTS, Check, Reproduction
from kostra.reproduction.showing import MEANING, difference, shown


def page(found: Reproduction) -> str:
    """The page; it has the look of the report.

    Examples
    --------
    >>> from kostra.reproduction.checks import compare
    >>> made = page(Reproduction("mine", "Mine", "me", ("a.tsv",), (compare("Table 1", "a < b", "3", 3),)))
    >>> "a &lt; b" in made, "http" in made
    (True, False)
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("kostra.reproduction"), PackageLoader("kostra.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"figure": Markup, "shown": shown, "difference": difference, "runs": _runs}
    return environment.get_template("reproduction.html").render(
        found=found,
        tables=found.tables(),
        pictures={name: [one for one in found.pictures if one.figure == name] for name in found.tables()},
        verdicts=VERDICTS,
        meaning=MEANING,
        version=__version__,
    )


def _runs(checks: Iterable[Check]) -> list[list[Check]]:
    """Neighbours with one reason share its cell."""
    return [list(group) for _, group in groupby(checks, key=lambda check: check.why)]
