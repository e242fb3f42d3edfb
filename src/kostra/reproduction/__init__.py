"""The tables and figures of the four papers, recomputed from what their authors released: one file per paper.

A paper's module has ``FILES``, the released files it needs with their rows, ``DATASET``, the name of the dataset among
`kostra.sources.datasets`, ``TITLE`` and ``CITATION``, and ``recompute(files, *, progress) -> Outcome``.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from kostra import files
from kostra.errors import unknown
from kostra.reproduction.checks import VERDICTS as VERDICTS
from kostra.reproduction.checks import Check as Check
from kostra.reproduction.checks import Picture as Picture
from kostra.reproduction.checks import Reproduction as Reproduction
from kostra.reproduction.places import find
from kostra.steps import Progress, silent

PAPERS = ("costra", "czech_news_sts", "cdsc", "str2021")


def reproduce(
    paper: str,
    *,
    data: str | Path | None = None,
    json_file: str | Path | None = None,
    html_file: str | Path | None = None,
    progress: Progress = silent,
) -> Reproduction:
    """Recompute every figure of a paper that the released data allow, beside the published one.

    Parameters
    ----------
    paper
        costra, czech_news_sts, cdsc or str2021.
    data
        The folder with the released files; ``$KOSTRA_DATA``, the folder of downloads or ``../shared/data`` unless said.
    json_file, html_file
        Where to write the checks as JSON, and as a page of one file.

    Raises
    ------
    KostraError
        If the paper is unknown, or a released file is missing or broken: it names the file and where it was looked for.

    Examples
    --------
    >>> reproduce("sick")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: unknown paper "sick"
      accepted: cdsc, costra, czech_news_sts, str2021
    """
    if paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    module: Any = import_module(f"kostra.reproduction.{paper}")
    places = find(tuple(module.FILES), data, dataset=module.DATASET)
    checks, pictures, findings = module.recompute(places, progress=progress)
    found = Reproduction(
        paper, module.TITLE, module.CITATION, tuple(places), tuple(checks), tuple(pictures), tuple(findings)
    )
    if json_file is not None:
        files.write_text(json.dumps(found.plain(), indent=2, ensure_ascii=False, allow_nan=False) + "\n", json_file)
    if html_file is not None:
        from kostra.reproduction.page import page

        files.write_text(page(found), html_file)
    return found
