"""Encoders that look at some of a sentence's words only: one part of speech, a group of them, subjects or objects.

The option ``only`` of ``static`` and ``vectors`` says which words of the parsed sentence count:

- tags of Universal Dependencies in capitals, such as ``NOUN`` or ``NOUN,PROPN``;
- the groups of STR-2021 in small letters: ``noun`` (NOUN, PRON, PROPN), ``verb`` (VERB, AUX), ``adj`` (ADJ, ADP, ADV);
- ``subject`` and ``object``: the words that a parser marks so (in UD ``nsubj``, ``csubj`` and ``obj``, ``iobj``, with
  their subtypes; ``nsubjpass``, ``csubjpass``, ``dobj`` and ``dative`` in the English models of spaCy).

A sentence without such a word has the zero vector, and is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from kostra.encoders.protocol import Identity, SentenceEncoder, Vectors, WordEncoder, identity_of
from kostra.encoders.specs import named
from kostra.errors import KostraError, unknown
from kostra.trees import Tree

if TYPE_CHECKING:
    from kostra.sources.parsers import Parser

GROUPS = {
    "noun": frozenset({"NOUN", "PRON", "PROPN"}),
    "verb": frozenset({"VERB", "AUX"}),
    "adj": frozenset({"ADJ", "ADP", "ADV"}),
}
"""The groups of STR-2021, Table 4."""
ROLES = {
    "subject": frozenset({"nsubj", "csubj", "nsubjpass", "csubjpass"}),
    "object": frozenset({"obj", "iobj", "dobj", "dative"}),
}
TAGS = frozenset(
    {
        "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
        "SYM", "VERB", "X",
    }
)  # fmt: skip


def chosen_words(tree: Tree, only: str) -> list[str]:
    r"""The forms of the words that count, in their order.

    Examples
    --------
    >>> from kostra.trees import parse_conllu
    >>> lines = ["1 She she PRON _ _ 2 nsubj _ _", "2 saw see VERB _ _ 0 root _ _", "3 cats cat NOUN _ _ 2 obj _ _"]
    >>> tree = parse_conllu("\n".join(lines).replace(" ", "\t"))[0]
    >>> chosen_words(tree, "noun"), chosen_words(tree, "NOUN"), chosen_words(tree, "subject")
    (['She', 'cats'], ['cats'], ['She'])
    """
    if only in ROLES:
        return [word.form for word in tree.words if word.relation in ROLES[only]]
    tags = GROUPS.get(only) or frozenset(only.split(","))
    strange = sorted(tags - TAGS)
    if strange:
        raise unknown("choice of words", strange[0], [*GROUPS, *ROLES, *TAGS], where=f"only={only}")
    return [word.form for word in tree.words if word.upos in tags]


class View:
    """A word encoder that sees only some words of each sentence."""

    def __init__(self, encoder: WordEncoder, *, only: str, parser: Parser) -> None:
        self.only = only
        self._encoder = encoder
        self._parser = parser
        self._words: dict[str, list[str]] = {}  # by sentence: what is encoded is also counted, and parsed once

    @property
    def identity(self) -> Identity:
        """The encoder's, with the words and the parser; what is costly is to parse, and trees have a cache."""
        inner = identity_of(self._encoder)
        name, mark, options = inner.name.partition("?")
        kind, _, argument = self._parser.name.partition(":")
        parser = f"{kind}:{PurePath(argument).name}"  # where a model lies is nobody's business
        name = named(name, only=self.only, parser=parser) + (f"&{options}" if mark else "")
        revision = f"{inner.revision}; {self._parser.revision}" if inner.revision else None
        return Identity(name, revision, inner.dimensions, inner.pooling, inner.normalisation)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """One vector per sentence from the words that count."""
        return self._encoder.encode_words(self._chosen(sentences))

    def tally(self, sentences: Sequence[str]) -> Mapping[str, int]:
        """Sentences without a word that counts, and what the encoder counts over the words that do."""
        chosen = self._chosen(sentences)
        found = {f"sentences_without_{self.only}": sum(not words for words in chosen)}
        inner: Any = getattr(self._encoder, "tally_words", None)
        return found if inner is None else {**found, **inner(chosen)}

    def _chosen(self, sentences: Sequence[str]) -> list[list[str]]:
        new = [text for text in dict.fromkeys(sentences) if text not in self._words]
        spoken = [text for text in new if text.strip()]  # an empty sentence has no tree
        self._words |= {text: [] for text in new if not text.strip()}
        for text, tree in zip(spoken, self._parsed(spoken), strict=True):
            self._words[text] = chosen_words(tree, self.only)
        return [self._words[text] for text in sentences]

    def _parsed(self, sentences: Sequence[str]) -> list[Tree]:
        """Trees that any earlier run has made are not made again."""
        from kostra.sources import parse_cache

        cache = parse_cache.ParseCache()
        try:
            return parse_cache.parse(self._parser, sentences, cache=cache)
        finally:
            cache.close()


def viewed(encoder: WordEncoder, *, only: str | None, parser: str | Parser | None) -> SentenceEncoder:
    """The encoder itself, or its view of some words if `only` says which; a parser's name is looked up."""
    if only is None:
        if parser is not None:
            raise KostraError("a parser is named, but not which words it should find", remedy="add only=noun, …")
        return encoder
    chosen_words(Tree(()), only)  # an unknown choice shows before anything is parsed
    if parser is None:
        raise KostraError(
            f"only={only} needs parsed sentences",
            where=identity_of(encoder).name,
            accepted="only=…&parser=SPEC",
            remedy="name a parser, such as parser=spacy:en_core_web_sm",
        )
    if isinstance(parser, str):
        from kostra.sources import parsers

        parser = parsers.parser(parser)
    return View(encoder, only=only, parser=parser)
