"""The engine of rules on trees: what a rule is, how it runs, composes and is kept from saying anything twice.

A language is a folder ``transforms/<lang>/`` whose ``language.py`` names its rules and its hooks (`Language`); a rule
is a file beside it with

``RELATION``
    what the new sentence is meant to be to the old one: similar, contradiction or neutral,
``VARIANTS``
    the ways in which the rule may change a sentence, each with a line on what it does,
``apply(tree, tools) -> Iterator[Draft]``
    the changed trees; what the rule could not do it tells `Tools.why`.

Rules only build drafts. The engine mends spacing, punctuation and capitals, drops what equals its source or an earlier
output but for case, white space and punctuation, asks the language whether the result agrees, and rates it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Literal, NamedTuple, get_args

from kostra.errors import unknown
from kostra.transforms.confidence import confidence_of, doubts_of_sentence
from kostra.transforms.donors import Donors, Place, places_of
from kostra.transforms.inflection import Inflector, inflector
from kostra.transforms.plain import not_plain
from kostra.trees import Tree, Word

Relation = Literal["similar", "contradiction", "neutral"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)
Why = Callable[[str, int | None], None]
"""Told a reason why a rule did not fire, and on which word."""

LONGEST = 100
"""Words beyond which a sentence is no caption and nearly always two: it is skipped, and counted."""


def unheard(reason: str, word: int | None = None) -> None:
    """Keep no reasons."""


class Draft(NamedTuple):
    """What a rule made, before it is mended and looked at."""

    tree: Tree
    variant: str
    edited: tuple[int, ...]
    """The words that the rule changed, moved, removed or added."""
    doubts: tuple[str, ...] = ()
    """Why it may be wrong, in the terms of `kostra.transforms.confidence`."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a rule may use beside the tree."""

    inflector: Inflector
    donors: Donors | None = None
    """Other sentences, for the rule that mixes two."""
    theme: str | None = None
    """The theme of this sentence: donors must have another."""
    why: Why = unheard


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a language."""

    name: str
    relation: Relation
    variants: Mapping[str, str]
    apply: Callable[[Tree, Tools], Iterator[Draft]]


@dataclass(frozen=True)
class Language:
    """A language's rules and what it asks of every output."""

    code: str
    rules: Mapping[str, Rule]
    mend_parse: Callable[[Tree, Inflector], Tree]
    """Mends systematic mistakes of parsers before any rule looks."""
    finish: Callable[[Tree], Tree]
    """Mends what only this language knows: commas of clauses, *z* and *ze*."""
    disagreement: Callable[[Tree, Inflector, frozenset[int]], str | None]
    """What does not agree around the edited words, as the analyser sees it, or None."""
    can_give: Callable[[Tree, Word], bool]
    """Whether a dependent can leave its sentence for another."""
    places: Callable[[Tree, Word], list[Place]] = places_of
    """Where else a dependent may stand."""
    rereads: bool = False
    """Whether its parsers are so often wrong that only what every reading of a sentence gives is said."""
    longest: int = LONGEST
    """Words beyond which a sentence is skipped, and counted."""


class Output(NamedTuple):
    """A new sentence and how it came about."""

    tree: Tree
    rule: str
    """The rule, or the rules joined by ``+``."""
    variant: str
    relation: Relation
    edited: frozenset[int]
    doubts: tuple[str, ...] = ()
    confidence: float = 1.0

    @property
    def text(self) -> str:
        """The sentence."""
        return self.tree.text


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a rule did not fire on a word, or why what it made was dropped."""

    rule: str
    reason: str
    word: int | None = None


@cache
def language(code: str) -> Language:
    """The rules of a language, by its ISO 639 code.

    Examples
    --------
    >>> list(language("pl").rules)[:2]
    ['dropping_conjunction', 'removing_conjunct']
    >>> language("xx")
    Traceback (most recent call last):
    kostra.errors.KostraError: unknown language with rules "xx"
      accepted: cs, en, pl
    """
    if code not in languages():
        raise unknown("language with rules", code, languages())
    module = import_module(f"kostra.transforms.{code}.language")
    rules = {name: _rule(name, import_module(f"kostra.transforms.{code}.{name}")) for name in module.RULES}
    return Language(
        code,
        rules,
        mend_parse=module.mend_parse,
        finish=module.finish,
        disagreement=module.disagreement,
        can_give=module.can_give,
        places=getattr(module, "places", places_of),
        rereads=getattr(module, "REREADS", False),
        longest=getattr(module, "LONGEST", LONGEST),
    )


def _rule(name: str, module: ModuleType) -> Rule:
    return Rule(name, module.RELATION, module.VARIANTS, module.apply)


def languages() -> list[str]:
    """The languages that have rules."""
    found = find_spec("kostra.transforms")
    homes = found.submodule_search_locations if found and found.submodule_search_locations else []
    return sorted(file.parent.name for home in homes for file in Path(home).glob("*/language.py"))


def chosen_rules(spoken: Language, names: Sequence[str] | None, *, where: str | None = None) -> tuple[Rule, ...]:
    """The rules of these names, or all."""
    for name in names or ():
        if name not in spoken.rules:
            raise unknown(f"rule for {spoken.code}", name, spoken.rules, where=where)
    return tuple(spoken.rules[name] for name in (names or spoken.rules))


def key_of(tree: Tree) -> str:
    """What must differ for two sentences to be two: their words, whatever their case and punctuation."""
    # By form where the tag cannot be right: a comma that is an adjective, a pronoun that is punctuation.
    words = [word for word in tree.words if word.form != "," and (word.upos != "PUNCT" or word.form.isalnum())]
    return " ".join([word.form for word in words]).lower()


def is_sound(tree: Tree) -> bool:
    """Whether the words of a tree are one: each there once, one root, and all of them hang on it."""
    heads = {word.id: word.head for word in tree.words}
    roots = [word for word in tree.words if not word.head]
    return len(roots) == 1 and len(heads) == len(tree) == len(tree.subtree(roots[0].id))


class Engine:
    """Runs a language's rules on trees.

    Parameters
    ----------
    code
        The language.
    rules
        Names of rules; all unless said.
    compose
        How many rules may work one upon the other: 1 gives each rule's own outputs, 2 also those of a second rule on
        them.
    donors
        Other sentences, for the rule that mixes two.
    """

    def __init__(
        self, code: str, *, rules: Sequence[str] | None = None, compose: int = 1, donors: Donors | None = None
    ) -> None:
        self.language = language(code)
        self.rules = chosen_rules(self.language, rules)
        self.compose = compose
        self.donors = donors
        self.inflector = inflector(code)
        self.disputed: Counter[str] = Counter()
        """Outputs by rule that not every reading of their sentence gave, and that were therefore dropped."""

    def reads(self, tree: Tree) -> bool:
        """Whether a sentence is short enough for the language's rules."""
        return len(tree) <= self.language.longest

    def leaves_alone(self, tree: Tree) -> str | None:
        """Why no rule touches a sentence, or None."""
        return not_plain(tree) if self.reads(tree) else f"more than {self.language.longest} words"

    def offer(self, trees: Iterable[tuple[Tree, str | None]]) -> None:
        """Let the mixing rule take dependents from these sentences; beside each its theme."""
        self.offer_mended(((self.mended(tree),), theme) for tree, theme in trees if self.reads(tree))

    def offer_mended(self, sentences: Iterable[tuple[Sequence[Tree], str | None]]) -> None:
        """The same for trees that are already mended, all readings of each sentence."""
        plain = ((readings, theme) for readings, theme in sentences if not_plain(readings[0]) is None)
        self.donors = Donors(plain, can_give=self.language.can_give, places=self.language.places)

    def outputs(self, tree: Tree, *, theme: str | None = None, heard: list[Refusal] | None = None) -> list[Output]:
        """All new sentences that the rules make of a tree, each once, in the order of the rules.

        Why a rule did not fire is appended to `heard`, if given.
        """
        return self.outputs_of_mended((self.mended(tree),), theme=theme, heard=heard)

    def mended(self, tree: Tree) -> Tree:
        """The tree as the rules see it, systematic mistakes of the parser mended."""
        return self.language.mend_parse(tree, self.inflector).repaired()

    def outputs_of_mended(
        self, readings: Sequence[Tree], *, theme: str | None = None, heard: list[Refusal] | None = None
    ) -> list[Output]:
        """The same for trees that are already mended: what the rules make of every reading of one sentence.

        The outputs are those of the first reading; what another reading does not give is dropped, and counted in
        `disputed`.
        """
        found = self._made(readings[0], theme, heard)
        for other in readings[1:]:
            if not found:
                break
            alike = {(one.rule, key_of(one.tree)) for one in self._made(other, theme, None)}
            kept = [one for one in found if (one.rule, key_of(one.tree)) in alike]
            lost = [one for one in found if (one.rule, key_of(one.tree)) not in alike]
            self.disputed.update(one.rule for one in lost)
            if heard is not None:
                heard += [
                    Refusal(one.rule, f"{one.variant}: not every reading of the sentence gives it") for one in lost
                ]
            found = kept
        return found

    def _made(self, tree: Tree, theme: str | None, heard: list[Refusal] | None) -> list[Output]:
        """What the rules make of one tree."""
        reason = self.leaves_alone(tree)
        if reason is not None:
            if heard is not None:
                heard += [Refusal(rule.name, reason) for rule in self.rules]
            return []
        source = Output(tree, "", "", "similar", frozenset(), doubts_of_sentence(tree))
        seen, found, last = {key_of(tree)}, [], [source]
        for _ in range(self.compose):
            last = [new for one in last for new in self._step(one, theme, seen, heard)]
            found += last
            heard = None  # what a second rule did not do to a first rule's output is nobody's question
        return found

    def _step(self, source: Output, theme: str | None, seen: set[str], heard: list[Refusal] | None) -> Iterator[Output]:
        for rule in self.rules:
            if source.rule and not _may_follow(source, rule):
                continue
            why = _listener(rule.name, heard) if heard is not None else unheard
            tools = Tools(self.inflector, self.donors, theme, why)
            for draft in rule.apply(source.tree, tools):
                made = self._checked(draft, source, rule, seen, why)
                if made is not None:
                    yield made

    def _checked(self, draft: Draft, source: Output, rule: Rule, seen: set[str], why: Why) -> Output | None:
        key = key_of(draft.tree)
        if key in seen:
            why(f"{draft.variant}: equals the source or an earlier output", None)
            return None
        if not is_sound(draft.tree):
            why(f"{draft.variant}: what would be left is no tree", None)  # as where a comma was the root
            return None
        tree = self.language.finish(draft.tree).repaired(first_was=source.tree.words[0].id)
        edited = frozenset(draft.edited)
        complaint = not_plain(tree) or self.language.disagreement(tree, self.inflector, edited)
        if complaint:
            why(f"{draft.variant}: {complaint}", None)
            return None
        seen.add(key)
        doubts = source.doubts + draft.doubts
        if not source.rule:
            return Output(tree, rule.name, draft.variant, rule.relation, edited, doubts, confidence_of(doubts))
        return Output(
            tree,
            f"{source.rule}+{rule.name}",
            f"{source.variant}+{draft.variant}",
            _combined(source.relation, rule.relation),
            source.edited | edited,
            doubts,
            confidence_of(doubts, rules=source.rule.count("+") + 2),
        )


def _listener(rule: str, heard: list[Refusal]) -> Why:
    def listen(reason: str, word: int | None = None) -> None:
        heard.append(Refusal(rule, reason, word))

    return listen


def _combined(first: Relation, second: Relation) -> Relation:
    """Neutral once it is neutral; a contradiction of something similar is a contradiction."""
    return max(first, second, key=RELATIONS.index)


def _may_follow(source: Output, rule: Rule) -> bool:
    """Whether a rule may work on another's output: negation and mixing work once, and nothing on what they made."""
    return source.relation == "similar" and rule.relation != "neutral"


def safest(outputs: Sequence[Output], most: int | None, *, least: float = 0.0) -> list[Output]:
    """The most confident so many of each rule, in the order in which they came; none below the `least` confidence.

    Examples
    --------
    >>> from kostra.trees import Tree
    >>> made = [
    ...     Output(Tree(()), "negation", "not", "contradiction", frozenset(), (), share) for share in (0.5, 0.9, 0.7)
    ... ]
    >>> [output.confidence for output in safest(made, 2)]
    [0.9, 0.7]
    >>> [output.confidence for output in safest(made, 2, least=0.8)]
    [0.9]
    """
    outputs = [output for output in outputs if output.confidence >= least]
    if most is None:
        return outputs
    by_rule: dict[str, list[int]] = {}
    for place, output in enumerate(outputs):
        by_rule.setdefault(output.rule, []).append(place)
    kept = {
        place
        for places in by_rule.values()
        for place in sorted(places, key=lambda place: -outputs[place].confidence)[:most]
    }
    return [output for place, output in enumerate(outputs) if place in kept]
