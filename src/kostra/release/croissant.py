"""Croissant metadata: the dataset folder described for machines.

Croissant 1.0 (Akhtar et al., Croissant: A Metadata Format for ML-Ready Datasets, 2024;
https://docs.mlcommons.org/croissant/docs/croissant-spec.html): every Parquet file with its checksum, and for each
configuration its columns with types and meanings. Splits are the values of the column ``split``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from kostra import files
from kostra.recipe import About as RecipeAbout
from kostra.release.about import answered
from kostra.release.edition import Edition
from kostra.release.licences import licence_named
from kostra.tables import Frame

CROISSANT = "croissant.json"
CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
_TERMS = (
    "column", "dataType", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format",
    "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
    "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
)  # fmt: skip
_PARQUET = "application/x-parquet"


def croissant(
    folder: Path,
    configs: Mapping[str, tuple[str, Frame]],
    meanings: Mapping[str, Mapping[str, str]],
    *,
    about: RecipeAbout,
    name: str,
    edition: Edition,
) -> dict[str, Any]:
    """The metadata of a folder.

    Parameters
    ----------
    configs
        Configuration → its file in the folder and its table.
    meanings
        Configuration → column → what it means.
    """
    licence = licence_named(about.licence)
    title = " ".join(name.split())
    authors = edition.about.authors
    made: dict[str, Any] = {
        "@context": _context(),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": title,
        "description": f"{title}: {' '.join(about.protocol.split())}.",
        "version": edition.version,
        "datePublished": edition.released.isoformat(),
        "inLanguage": about.language,
        "license": f"https://spdx.org/licenses/{about.licence.strip()}.html"
        if licence.hub != "other"
        else licence.name,
        "creator": [{"@type": "sc:Person", "name": author} for author in authors]
        or [{"@type": "sc:Organization", "name": f"The makers of {title}"}],
        "url": edition.about.url or None,
        "citeAs": answered(edition.about, "cite_as") or " ".join(about.citation.split()),
        "keywords": ["kostra", "sentence similarity", about.language],
        "isLiveDataset": False,
        "rai:dataAnnotationProtocol": " ".join(about.protocol.split()),
        "distribution": [_file(folder, path) for path, _ in configs.values()],
        "recordSet": [
            *([_split_set(edition)] if edition.parts else []),
            *(
                _records(config, path, frame, meanings.get(config, {}), splits=bool(edition.parts))
                for config, (path, frame) in configs.items()
            ),
        ],
    }
    return {key: value for key, value in made.items() if value is not None}


def _context() -> dict[str, Any]:
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "citeAs": "cr:citeAs",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dct": "http://purl.org/dc/terms/",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "rai": "http://mlcommons.org/croissant/RAI/",
        "sc": "https://schema.org/",
        **{term: {"@id": f"cr:{term}", "@type": "@vocab"} if term == "dataType" else f"cr:{term}" for term in _TERMS},
    }


def _file(folder: Path, path: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{(folder / path).stat().st_size} B",
        "encodingFormat": _PARQUET,
        "sha256": files.sha256(folder / path),
    }


def _split_set(edition: Edition) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "split",
        "name": "split",
        "description": edition.how_split(),
        "dataType": "cr:Split",
        "key": {"@id": "split/name"},
        "field": [{"@type": "cr:Field", "@id": "split/name", "name": "name", "dataType": "sc:Text"}],
        "data": [{"split/name": part} for part in edition.parts],
    }


def _records(config: str, path: str, frame: Frame, meanings: Mapping[str, str], *, splits: bool) -> dict[str, Any]:
    fields = []
    for column, dtype in frame.schema.items():
        field: dict[str, Any] = {
            "@type": "cr:Field",
            "@id": f"{config}/{column}",
            "name": column,
            "description": meanings.get(column, column),
            "dataType": _type(dtype),
            "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
        }
        if config == "pairs" and column == "split" and splits:
            field["references"] = {"field": {"@id": "split/name"}}
        fields.append(field)
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "key": {"@id": f"{config}/{frame.columns[0]}"},
        "field": fields,
    }


def _type(dtype: pl.DataType) -> str:
    if dtype.is_integer():
        return "sc:Integer"
    if dtype.is_float():
        return "sc:Float"
    return "sc:DateTime" if isinstance(dtype, pl.Datetime) else "sc:Text"
