"""spaCy pipelines by name: ``spacy:cs_core_news_sm``.

Relations and features are the pipeline's own: those of Universal Dependencies for most languages, but not for English,
whose pipelines keep labels such as ``dobj`` and ``pobj``. A pipeline may see several sentences in one; their further
roots then hang on the first as ``parataxis``, so that a sentence stays one tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kostra.errors import KostraError, extra_needed
from kostra.sources.parsers import blanks_as_one
from kostra.trees import Tree, parse_conllu


class SpaCy:
    """A loaded pipeline."""

    def __init__(self, name: str, pipeline: Any, *, version: str) -> None:
        self._pipeline = pipeline
        meta = pipeline.meta
        self.name = f"spacy:{name}"
        self.revision = f"spacy {version} {meta['lang']}_{meta['name']} {meta['version']}"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """One tree per sentence, in the pipeline's batches."""
        plain = blanks_as_one(sentences)
        made = (_conllu(text, doc) for text, doc in zip(plain, self._pipeline.pipe(plain), strict=True))
        return parse_conllu("".join(made), where=self.name)


def make(argument: str, *, folder: Path = Path()) -> SpaCy:  # noqa: ARG001 - the contract of parsers
    """Load a pipeline.

    Raises
    ------
    KostraError
        Where spaCy or the pipeline is not installed, or the pipeline does not parse.
    """
    return _load(argument)


def lacking(argument: str) -> KostraError | None:
    """Whether the package or the pipeline is missing."""
    if not find_spec("spacy"):
        return _no_spacy()
    installed = (argument.isidentifier() and find_spec(argument)) or Path(argument).exists()
    return None if installed else _no_pipeline(argument)


@lru_cache(maxsize=4)
def _load(name: str) -> SpaCy:
    try:
        import spacy
    except ImportError as error:
        raise _no_spacy() from error
    try:
        pipeline = spacy.load(name, exclude=["ner"])
    except OSError as error:
        raise _no_pipeline(name) from error
    if not pipeline.has_pipe("parser"):
        raise KostraError(
            f'the pipeline "{name}" has no parser',
            where=f"spacy:{name}",
            accepted="a pipeline with tagger, lemmatizer and parser, such as cs_core_news_sm",
        )
    return SpaCy(name, pipeline, version=version("spacy"))


def _no_spacy() -> KostraError:
    return extra_needed("spacy", "parse", purpose="the parser spacy")


def _no_pipeline(name: str) -> KostraError:
    return KostraError(
        f'the spaCy pipeline "{name}" is not installed',
        where=f"spacy:{name}",
        remedy=f"python -m spacy download {name}",
    )


def _conllu(text: str, doc: Any) -> str:
    return "\n".join((f"# text = {text}", *_lines(doc))) + "\n\n"


def _lines(doc: Any) -> Iterator[str]:
    root = next(token.i for token in doc if token.head.i == token.i)
    for token in doc:
        if token.i == root:
            head, relation = 0, "root"
        elif token.head.i == token.i:
            head, relation = root + 1, "parataxis"
        else:
            head, relation = token.head.i + 1, token.dep_ or "dep"
        misc = "_" if token.whitespace_ or token.i == len(doc) - 1 else "SpaceAfter=No"
        feats = str(token.morph) or "_"
        columns = (token.lemma_ or "_", token.pos_ or "X", token.tag_ or "_", feats, head, relation, "_", misc)
        yield "\t".join((str(token.i + 1), token.text, *map(str, columns)))
