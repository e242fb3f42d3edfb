"""The whole dataset on one page: protocol, flow, scores, agreement, people, examples, bias, encoders, what is next.

The page is one file without scripts or outside requests; beside it lie its figures (SVG, PDF, PNG) and tables (CSV,
LaTeX) in a folder. The same build gives the same bytes. Whatever is missing, from the models of a paper to the answers
themselves, the page tells of what is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from kostra import __version__, figures, files, tables
from kostra.recipe import Strict
from kostra.report import beside, summary
from kostra.report.advice import advice
from kostra.report.agreement import agreement
from kostra.report.analyses import analyses
from kostra.report.bias import bias
from kostra.report.blocks import Drawing, Section
from kostra.report.encoders import encoders, human
from kostra.report.flow import flow
from kostra.report.material import Material, gather
from kostra.report.people import described, people
from kostra.report.protocol import protocol
from kostra.report.scores import disagreements, examples, scores
from kostra.steps import Context, Inputs, Plan
from kostra.tables import Frame

READS = ()
WRITES = ()
PAGE = "report.html"
PUBLISHES = (PAGE, beside.FOLDER)
GOES_WITHOUT = tuple(tables.SCHEMAS)


class Options(Strict):
    """A title other than the recipe's."""

    title: str = ""
    """The heading of the page; the recipe's title unless said."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One page and a folder."""
    about = [f"{inputs[kind]:,} {kind}" for kind in ("pairs", "sentences") if inputs.get(kind)]
    return Plan(f"writes {PAGE}{f' about {about[0]}' if about else ''}, its figures and tables")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Write the page and the folder beside it."""
    material = gather(inputs, context)
    for loss in material.losses:
        context.note("left_out", loss)
    sections = sections_of(material, context.rng)
    files.write_text(page(material, sections, context, title=options.title), context.folder / PAGE)
    beside.write(sections, context.folder / beside.FOLDER)
    return {}


def sections_of(material: Material, rng: np.random.Generator) -> list[Section]:
    """The sections that have something to say, in their order."""
    # Each has a generator of its own, so that one section more does not change the others.
    own = iter(rng.spawn(6))
    found = described(material)
    reached = human(material, next(own))
    results = reached if material.results is None else pl.concat([reached, material.results])
    made = [
        protocol(material.recipe),
        flow(material),
        people(material, found),
        agreement(material, next(own)),
        scores(material),
        examples(material),
        disagreements(material),
        bias(material, next(own)),
        encoders(material, reached),
        analyses(material.history),
        advice(material, found, results, next(own)),
    ]
    return [one for one in made if one is not None]


def page(material: Material, sections: Sequence[Section], context: Context, *, title: str = "") -> str:
    """The report as HTML; texts of items are escaped, whatever they hold."""
    environment = Environment(
        loader=PackageLoader("kostra.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["drawn"] = drawn
    recipe = context.recipe
    return environment.get_template("report.html").render(
        title=title or recipe.recipe.title,
        about=recipe.recipe,
        score=recipe.score,
        material=material,
        key_numbers=summary.key_numbers(material),
        summary=summary.summary(material),
        sections=sections,
        folder=beside.FOLDER,
        version=__version__,
        digest=recipe.digest(),
    )


def drawn(drawing: Drawing) -> Markup:
    """The figure as SVG for the page: `kostra.figures` escapes what it writes."""
    if drawing.figure is not None:
        return Markup(figures.svg_of(drawing.figure))
    text = files.read_text(f"{drawing.saved}.svg")
    return Markup(figures.svg_in_page(text, f"{drawing.caption}\n"))
