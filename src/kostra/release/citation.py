"""CITATION.cff: how a release is cited, in the Citation File Format 1.2.0 that GitHub and Zenodo read."""

from __future__ import annotations

from typing import Any

from kostra.recipe import About as RecipeAbout
from kostra.release.about import answered
from kostra.release.edition import Edition
from kostra.release.licences import licence_named
from kostra.release.markup import yaml_block

CITATION = "CITATION.cff"


def citation(about: RecipeAbout, edition: Edition, *, name: str) -> str:
    """The text of CITATION.cff; authors whom nobody has named are said to be open."""
    title = " ".join(name.split())
    licence = licence_named(about.licence)
    authors = [{"name": author} for author in edition.about.authors]
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "type": "dataset",
        "title": title,
        "message": answered(edition.about, "cite_as") or "If you use this dataset, please cite it as below.",
        "authors": authors or [{"name": f"The makers of {title}"}],
        "version": edition.version,
        "date-released": edition.released.isoformat(),
        "abstract": f"Protocol: {' '.join(about.protocol.split())}. It follows {' '.join(about.citation.split())}",
    }
    if licence.hub != "other":
        fields["license"] = about.licence.strip()
    if edition.about.url:
        fields["url"] = edition.about.url
    remark = (
        "" if authors else "# OPEN QUESTION: who made this? Answer `authors` in datasheet.toml and release again.\n"
    )
    return f"{remark}{yaml_block(fields)}\n"
