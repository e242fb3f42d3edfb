"""UDPipe 1 models by path: ``udpipe:models/pl.udpipe``, or ``udpipe:model.udpipe?language=pl&beam=1``.

A model that brings a tokenizer uses it. For one without, `kostra.sources.tokens` splits the words; it takes the
language from ``?language=``, else from how the file's name begins (``pl.udpipe``, ``polish-pdb-ud-2.5.udpipe``).
``?beam=`` says how many unfinished trees the search keeps. kostra keeps 2, not UDPipe's 5: that is about 1.6 times as
fast, and of 1,000 Polish words it hangs 1 (captions) to 7 (news) on another word; ``?beam=5`` is UDPipe's own way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kostra import files
from kostra.errors import KostraError, extra_needed, unknown
from kostra.sources.parsers import blanks_as_one, existing, fingerprint
from kostra.sources.tokens import Token, tokenize
from kostra.trees import Tree, parse_conllu

_NAMES = {"polish": "pl", "english": "en", "czech": "cs"}
_VERSION = "tokens-1"
"""Changes with the way in which words are split, so that no old tree is taken for a new one."""
BEAM = 2
"""Unfinished trees that the search keeps, unless said."""


class UDPipe:
    """A loaded model."""

    def __init__(self, path: Path, language: str | None, beam: int = BEAM) -> None:
        self._udpipe = _package()
        self._model, content = _load(path, path.stat().st_mtime_ns)
        self._where = files.shown(path)
        self._language = language
        self._tokenizes = self._model.newTokenizer(self._model.DEFAULT) is not None
        version = self._udpipe.Version.current()
        self.name = f"udpipe:{path}"
        own = "" if self._tokenizes else f" {_VERSION} {language}"
        self._search = f"beam_search={beam}"
        self.revision = f"udpipe {version.major}.{version.minor}.{version.patch} {content}{own} beam {beam}"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """One tree per sentence, all through one pipeline."""
        plain = blanks_as_one(sentences)
        if not plain:
            return []
        if self._tokenizes:
            trees = [tree for sentence in plain for tree in self._run("tokenizer=presegmented", f"{sentence}\n")]
        else:
            trees = self._run("conllu", "".join(_untagged(one, tokenize(one, self._language)) for one in plain))
        if len(trees) != len(plain):
            raise KostraError(f"the model made {len(trees):,} trees of {len(plain):,} sentences", where=self._where)
        return trees

    def _run(self, reads: str, text: str) -> list[Tree]:
        default = self._udpipe.Pipeline.DEFAULT
        error = self._udpipe.ProcessingError()
        made = self._udpipe.Pipeline(self._model, reads, default, self._search, "conllu").process(text, error)
        if error.occurred():
            raise KostraError(f"UDPipe could not go on: {error.message}", where=self._where)
        return parse_conllu(made, where=self._where)


def make(argument: str, *, folder: Path = Path()) -> UDPipe:
    """Load a model.

    Raises
    ------
    KostraError
        Where the file is missing or no model, or the extra is not installed.
    """
    path, options = _argument(argument, folder)
    beam = options.get("beam")
    if beam is not None and not (beam.isascii() and beam.isdecimal() and int(beam)):
        raise KostraError(f'found "{beam}" as a beam', where=f"udpipe:{argument}", accepted="a number from 1 on")
    language = options.get("language") or _language(path.stem)
    return UDPipe(existing(path, what="UDPipe model"), language, int(beam) if beam else BEAM)


def watches(argument: str, *, folder: Path) -> list[Path]:
    """The model's file."""
    return [_argument(argument, folder)[0]]


def lacking(argument: str) -> KostraError | None:  # noqa: ARG001 - the contract of parsers
    """Whether the package is missing."""
    return None if find_spec("ufal") else _not_installed()


def _argument(argument: str, folder: Path) -> tuple[Path, dict[str, str]]:
    """Path and options.

    Examples
    --------
    >>> _argument("pl.udpipe?language=pl&beam=1", Path())[1]
    {'language': 'pl', 'beam': '1'}
    """
    place, _, rest = argument.partition("?")
    parts = (one.partition("=") for one in rest.split("&") if one)
    options = {name: value for name, _, value in parts}
    for name in options:
        if name not in ("language", "beam"):
            raise unknown("option of a UDPipe model", name, ["language", "beam"], where=f"udpipe:{argument}")
    return folder / Path(place).expanduser(), options


def _language(stem: str) -> str | None:
    """The language in a model's name.

    Examples
    --------
    >>> _language("pl"), _language("polish-pdb-ud-2.5-191206"), _language("model-2")
    ('pl', 'pl', None)
    """
    first = stem.lower().replace("_", "-").replace(".", "-").split("-")[0]
    return _NAMES.get(first, first if len(first) == 2 else None)


def _untagged(sentence: str, tokens: Sequence[Token]) -> str:
    """The words of a sentence in CoNLL-U, without anything that is yet to be found."""
    return "\n".join((f"# text = {sentence}", *_lines(tokens))) + "\n\n"


def _lines(tokens: Sequence[Token]) -> Iterator[str]:
    nothing = "\t_" * 7
    last = 0
    for token in tokens:
        misc = "SpaceAfter=No" if token.glued else "_"
        if token.parts:
            yield f"{last + 1}-{last + len(token.parts)}\t{token.form}{nothing}\t{misc}"
            misc = "_"
        for word in token.words:
            last += 1
            yield f"{last}\t{word}{nothing}\t{misc}"


@lru_cache(maxsize=4)
def _load(path: Path, changed: int) -> tuple[Any, str]:  # noqa: ARG001 - a file that changed is loaded again
    model = _package().Model.load(str(path))
    if model is None:
        raise KostraError("the file is not a UDPipe 1 model", where=files.shown(path), accepted="a .udpipe file")
    return model, fingerprint(path)


def _package() -> Any:
    try:
        import ufal.udpipe
    except ImportError as error:
        raise _not_installed() from error
    return ufal.udpipe


def _not_installed() -> KostraError:
    return extra_needed("ufal.udpipe", "parse", purpose="the parser udpipe")
