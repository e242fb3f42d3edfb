"""Suffix rules learnt from tagged words: how a lemma ends and what it is to become say how its ending changes.

A *cell* is one place of a paradigm, from the most general part to the finest: ``("NOUN", "Gen", "Plur", "Masc",
"Anim")``. A *rule* cuts the end of a lemma and adds another: *kniha*, *knize* is ``ha > ze``. Every example is counted
under its cell and each of the cell's more general beginnings, and there under every ending of the lemma up to some
length. The probability of a rule goes from the general to the special: each longer ending, and then each finer cell,
mixes what it has seen itself with what the one before it said, as in Witten and Bell's smoothing:

    p(rule | ending) = (count(rule, ending) + d · p(rule | shorter ending)) / (count(ending) + d)

with *d* the number of different rules seen at the ending, so that endings which leave no choice are soon believed.

Nothing here belongs to a language: what the cells are is the language's business, and so are irregular words and the
prefixes of negation or superlatives, which it takes off before learning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from kostra.errors import KostraError

Cell = tuple[str, ...]
"""A place in a paradigm, the most general part first."""
Rule = tuple[str, str]
"""What is cut from the end of a lemma, and what is added."""

_GENERAL_PARTS = 3
"""How much of a cell always counts: cells that share less say nothing about each other."""
_ALTERED = 0.1
"""How much less probable a known form is of which only the ending follows a rule."""
_SHARE_OF_WORD = 1
"""How many letters of a lemma no ending reaches, so that the rules hold no whole words."""


@dataclass(frozen=True, slots=True)
class Example:
    """A form of a lemma, and its place in the paradigm."""

    lemma: str
    form: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class Candidate:
    """A form that the rules offer."""

    form: str
    probability: float
    seen: int
    """How many examples of this rule stand at the longest ending that has any."""


class SuffixRules:
    """Counts of rules by cell and ending.

    Examples
    --------
    >>> words = [("žena", "ženy"), ("hora", "hory"), ("růže", "růže"), ("práce", "práce")]
    >>> rules = learn(Example(lemma, form, ("NOUN", "Gen", "Sing")) for lemma, form in words)
    >>> [(one.form, round(one.probability, 2)) for one in rules.candidates("škola", ("NOUN", "Gen", "Sing"))]
    [('školy', 0.78), ('škola', 0.11)]
    """

    def __init__(self, counts: Mapping[Cell, Mapping[str, Mapping[Rule, int]]]) -> None:
        self._counts = counts
        self._longest = max((len(ending) for endings in counts.values() for ending in endings), default=0)
        self._every = {cell: {rule for rules in ends.values() for rule in rules} for cell, ends in counts.items()}

    def candidates(self, lemma: str, cell: Cell, *, known: Iterable[str] = ()) -> list[Candidate]:
        """The forms that rules make of a lemma, the most probable first; none where the cell was never seen.

        The probability is over all rules of the cell, those that do not fit the lemma included: what no rule fits well
        is not made probable by the want of others. Of forms that are known to be the lemma's, those that end as a rule
        would have it are offered as well, less probable for what else changes in them: *dům*, *domy*.
        """
        found, seen = self._probabilities(lemma, cell)
        forms: dict[str, Candidate] = {}
        for (cut, add), probability in found.items():
            if lemma.endswith(cut) and len(lemma) > len(cut):
                form = lemma[: len(lemma) - len(cut)] + add
                forms[form] = Candidate(form, probability, seen[cut, add])
        for form in known:
            ends = [
                rule for rule in found if rule[1] and form.endswith(rule[1]) and not _lengthens(lemma, form, rule[0])
            ]
            if form not in forms and ends and _resemble(lemma, form):
                best = max(ends, key=lambda rule: found[rule])
                forms[form] = Candidate(form, found[best] * _ALTERED, 0)
        return sorted(forms.values(), key=lambda one: (-one.probability, one.form))

    def _probabilities(self, lemma: str, cell: Cell) -> tuple[dict[Rule, float], dict[Rule, int]]:
        found: dict[Rule, float] = {}
        seen: dict[Rule, int] = {}
        for endings in (self._counts[part] for part in _generalisations(cell) if part in self._counts):
            for ending in _endings(lemma, self._longest):
                counts = endings.get(ending)
                if counts is None:
                    continue
                total, kinds = sum(counts.values()), len(counts)
                found = {rule: kinds * probability / (total + kinds) for rule, probability in found.items()}
                if not seen:
                    found = {}
                for rule, count in counts.items():
                    found[rule] = found.get(rule, 0.0) + count / (total + kinds)
                    seen[rule] = count
        return found, seen

    def lemmas(self, form: str, cell: Cell) -> set[str]:
        """The lemmas of which some rule of the cell makes this form: the rules reversed, likely or not.

        Examples
        --------
        >>> rules = learn([Example("kniha", "knize", ("NOUN", "Loc")), Example("žena", "ženě", ("NOUN", "Loc"))])
        >>> sorted(rules.lemmas("dráze", ("NOUN", "Loc")))
        ['dráha']
        """
        rules = self._every.get(cell, ())
        return {form[: len(form) - len(add)] + cut for cut, add in rules if form.endswith(add) and len(form) > len(add)}

    def cells(self) -> frozenset[Cell]:
        """The cells that were seen, and their general beginnings."""
        return frozenset(self._counts)

    def pruned(self) -> SuffixRules:
        """The same without what adds nothing: endings that say only what the shorter one says.

        A longer ending is kept where its rules differ from those of the shorter one, or where the shorter one leaves a
        choice; an ending of more than three letters is kept only if two words have it.
        """
        kept: dict[Cell, dict[str, Mapping[Rule, int]]] = {}
        for cell, endings in self._counts.items():
            for ending, counts in endings.items():
                shorter = endings.get(ending[1:])
                known = bool(ending) and shorter is not None and len(shorter) == 1 and shorter.keys() == counts.keys()
                if not known and (len(ending) <= 3 or sum(counts.values()) > 1):
                    kept.setdefault(cell, {})[ending] = counts
        return SuffixRules(kept)

    def lines(self) -> Iterator[str]:
        """The rules as text, one cell and ending in each line; `read` takes them back.

        Examples
        --------
        >>> print(*learn([Example("hora", "hory", ("NOUN", "Gen"))]).pruned().lines(), sep="|")
        NOUN|Gen		a>y 1
        """
        for cell in sorted(self._counts):
            for ending in sorted(self._counts[cell], key=lambda one: (one[::-1], one)):
                counts = self._counts[cell][ending]
                rules = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
                yield "\t".join(["|".join(cell), ending, *(f"{cut}>{add} {count}" for (cut, add), count in rules)])


def learn(examples: Iterable[Example], *, longest: int = 5) -> SuffixRules:
    """Count the rules of examples; an example that stands twice counts once, for words are to be learnt, not texts.

    Parameters
    ----------
    examples
        Words with their lemmas, as they would be spelled within a sentence.
    longest
        The longest ending of a lemma that is told apart.
    """
    counts: dict[Cell, dict[str, dict[Rule, int]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for example in dict.fromkeys(examples):
        rule = rule_of(example.lemma, example.form)
        if len(rule[0]) >= len(example.lemma) > 0:
            continue  # nothing of the lemma is left: an irregular word, which no other resembles
        for cell in _generalisations(example.cell):
            for ending in _endings(example.lemma, longest):
                counts[cell][ending][rule] += 1
    return SuffixRules({cell: {end: dict(rules) for end, rules in ends.items()} for cell, ends in counts.items()})


def read(lines: Iterable[str], *, where: str) -> SuffixRules:
    r"""Read what `SuffixRules.lines` wrote; lines that begin with ``#`` are remarks.

    Raises
    ------
    KostraError
        Where a line is not of this form.

    Examples
    --------
    >>> read(["# remark", "NOUN|Gen\ta\ta>y 2"], where="rules.tsv").candidates("hora", ("NOUN", "Gen"))[0].form
    'hory'
    >>> read(["NOUN|Gen"], where="rules.tsv")
    Traceback (most recent call last):
    kostra.errors.KostraError: rules.tsv:1: not a line of suffix rules: "NOUN|Gen"
      accepted: cell, ending and rules such as "a>y 2", with tabs between them
      try: learn the rules again
    """
    counts: dict[Cell, dict[str, dict[Rule, int]]] = {}
    for number, line in enumerate(lines, start=1):
        if line.startswith("#") or not line.strip():
            continue
        cell, *parts = line.rstrip("\n").split("\t")
        try:
            ending, *rules = parts
            read_rules = dict(map(_read_rule, rules))
        except ValueError as error:
            raise KostraError(
                f'not a line of suffix rules: "{line.rstrip()}"',
                where=f"{where}:{number}",
                accepted='cell, ending and rules such as "a>y 2", with tabs between them',
                remedy="learn the rules again",
            ) from error
        counts.setdefault(tuple(cell.split("|")), {})[ending] = read_rules
    return SuffixRules(counts)


def rule_of(lemma: str, form: str) -> Rule:
    """What has to be cut from a lemma and added to make the form of it.

    Examples
    --------
    >>> rule_of("kniha", "knize")
    ('ha', 'ze')
    """
    shared = shared_letters(lemma, form)
    return lemma[shared:], form[shared:]


def shared_letters(first: str, second: str) -> int:
    """How many letters two words share at their beginning.

    Examples
    --------
    >>> shared_letters("kniha", "knize")
    3
    """
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _read_rule(text: str) -> tuple[Rule, int]:
    change, count = text.split(" ")
    cut, add = change.split(">")
    return (cut, add), int(count)


def _lengthens(lemma: str, form: str, cut: str) -> bool:
    """Whether a form has the stem that the rule leaves of the lemma: then it has another ending, not a changed stem."""
    return lemma.endswith(cut) and form.startswith(lemma[: len(lemma) - len(cut)])


def _resemble(lemma: str, form: str) -> bool:
    """Whether two words can share a stem: all but three letters of the lemma, and at least its first."""
    return shared_letters(lemma, form) >= max(1, len(lemma) - 3)


def _generalisations(cell: Cell) -> Iterator[Cell]:
    for parts in range(min(_GENERAL_PARTS, len(cell)), len(cell) + 1):
        yield cell[:parts]


def _endings(lemma: str, longest: int) -> Iterator[str]:
    for length in range(min(longest, len(lemma) - _SHARE_OF_WORD) + 1):
        yield lemma[len(lemma) - length :]
