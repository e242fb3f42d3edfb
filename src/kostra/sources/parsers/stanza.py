"""Stanza pipelines by language: ``stanza:pl``; its models are fetched beforehand with ``stanza.download("pl")``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kostra.errors import KostraError, extra_needed
from kostra.sources.parsers import blanks_as_one
from kostra.trees import Tree, parse_conllu

_PROCESSORS = "tokenize,mwt,pos,lemma,depparse"


class Stanza:
    """A loaded pipeline."""

    def __init__(self, language: str, pipeline: Any, *, version: str) -> None:
        self._pipeline = pipeline
        self.name = f"stanza:{language}"
        self.revision = f"stanza {version} {language}"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """One tree per sentence; a blank line parts them, and the pipeline does not split further."""
        plain = blanks_as_one(sentences)
        if not plain:
            return []
        found = self._pipeline("\n\n".join(plain)).sentences
        if len(found) != len(plain):
            raise KostraError(f"{self.name} made {len(found):,} sentences of {len(plain):,}")
        made = (_conllu(text, sentence) for text, sentence in zip(plain, found, strict=True))
        return parse_conllu("".join(made), where=self.name)


def make(argument: str, *, folder: Path = Path()) -> Stanza:  # noqa: ARG001 - the contract of parsers
    """Load a pipeline whose models are on this machine.

    Raises
    ------
    KostraError
        Where stanza or the language's models are missing.
    """
    return _load(argument)


def lacking(argument: str) -> KostraError | None:  # noqa: ARG001 - the contract of parsers
    """Whether the package is missing; its models are only found by loading them."""
    return None if find_spec("stanza") else _no_stanza()


@lru_cache(maxsize=2)
def _load(language: str) -> Stanza:
    try:
        import stanza
    except ImportError as error:
        raise _no_stanza() from error
    try:
        pipeline = stanza.Pipeline(
            language, processors=_PROCESSORS, tokenize_no_ssplit=True, download_method=None, verbose=False
        )
    except Exception as error:  # stanza has an exception of its own for each thing that may be missing
        raise KostraError(
            f'stanza cannot load its models for "{language}": {str(error).splitlines()[0] if str(error) else error!r}',
            where=f"stanza:{language}",
            remedy=f"""python -c 'import stanza; stanza.download("{language}")'""",
        ) from error
    return Stanza(language, pipeline, version=stanza.__version__)


def _no_stanza() -> KostraError:
    return extra_needed("stanza", "parse", purpose="the parser stanza")


def _conllu(text: str, sentence: Any) -> str:
    return "\n".join((f"# text = {text}", *_lines(sentence.tokens))) + "\n\n"


def _lines(tokens: Sequence[Any]) -> Iterator[str]:
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        glued = following is not None and following.start_char == token.end_char
        misc = "SpaceAfter=No" if glued else "_"
        if len(token.words) > 1:
            yield f"{token.words[0].id}-{token.words[-1].id}\t{token.text}" + "\t_" * 7 + f"\t{misc}"
            misc = "_"
        for word in token.words:
            known = (word.lemma, word.upos, word.xpos, word.feats)
            columns = (word.id, word.text, *(value or "_" for value in known), word.head, word.deprel, "_", misc)
            yield "\t".join(map(str, columns))
