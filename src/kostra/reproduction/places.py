"""Where the released files lie."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from kostra import files
from kostra.errors import KostraError
from kostra.sources.datasets import datasets, default_cache

VARIABLE = "KOSTRA_DATA"
BESIDE = Path("..") / "shared" / "data"
"""Where a working copy of kostra has its datasets: beside it."""


def find(names: Sequence[str], data: str | Path | None = None, *, dataset: str) -> dict[str, Path]:
    """The released files of a dataset, by name.

    They are looked for in the folder that is named; else in ``$KOSTRA_DATA``, in the folder of downloads
    (`kostra.sources.datasets.default_cache`) and in ``../shared/data``, all of them in one folder.

    Raises
    ------
    KostraError
        With the first file that is missing and the folders in which it was looked for.

    Examples
    --------
    >>> find(["cdsc_train.tsv"], "nowhere", dataset="cdsc")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: there is no cdsc_train.tsv in nowhere
      accepted: a folder with cdsc_train.tsv
      try: get it from http://zil.ipipan.waw.pl/Scwad/CDSCorpus, then name its folder: --data DIR
    """
    folders = [Path(data)] if data is not None else _usual(dataset)
    missing = {folder: [name for name in names if not (folder / name).is_file()] for folder in folders}
    whole = next((folder for folder, lacking in missing.items() if not lacking), None)
    if whole is not None:
        return {name: whole / name for name in names}
    nearest = min(missing.values(), key=len)
    address = next((info.address for info in datasets() if info.name == dataset), "") or "its authors"
    raise KostraError(
        f"there is no {nearest[0]} in {' or '.join(files.shown(folder) for folder in folders)}",
        accepted=f"a folder with {', '.join(names)}",
        remedy=f"get it from {address}, then name its folder: --data DIR",
    )


def _usual(dataset: str) -> list[Path]:
    said = os.environ.get(VARIABLE)
    return [*([Path(said)] if said else []), default_cache() / "datasets" / dataset, BESIDE]
