"""The whole dataset on one page: summary, protocol, scores, reliability, annotators, examples, encoders.

The page is one file without scripts or outside requests, and the same build gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kostra import __version__, files
from kostra.recipe import Strict
from kostra.report import encoders, people, sections
from kostra.report.material import Material, gather
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ("pairs", "scores")
WRITES = ()
PUBLISHES = "report.html"
GOES_WITHOUT = ("results", "statistics")


class Options(Strict):
    """A title other than the recipe's."""

    title: str = ""
    """The heading of the page; the recipe's title unless said."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One page."""
    kind = "pairs" if "pairs" in inputs else "sentences"
    return Plan(f"writes {PUBLISHES} about {inputs.get(kind, 0):,} {kind}")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the page."""
    material = gather(inputs, context)
    for loss in material.losses:
        context.note("left_out", loss)
    files.write_text(page(material, context, title=options.title), context.folder / PUBLISHES)
    return {}


def page(material: Material, context: Context, *, title: str = "") -> str:
    """The report as HTML; texts of items are escaped, whatever they hold."""
    environment = Environment(
        loader=PackageLoader("kostra.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure"] = Markup  # drawn by kostra.figures, which escapes what it writes
    recipe = context.recipe
    return environment.get_template("report.html").render(
        title=title or recipe.recipe.title,
        about=recipe.recipe,
        score=recipe.score,
        question=recipe.score.question.replace("_", " "),
        material=material,
        key_numbers=sections.key_numbers(material),
        summary=sections.summary(material),
        steps=sections.protocol(recipe, context),
        distribution=sections.distribution(material) if material.scored.height else None,
        statistics=sections.reliability(material),
        people=people.people(material),
        levels=sections.levels(material),
        disagreements=sections.disagreements(material),
        encoders=encoders.encoders(material),
        scatters=encoders.scatters(material),
        version=__version__,
        digest=recipe.digest(),
    )
