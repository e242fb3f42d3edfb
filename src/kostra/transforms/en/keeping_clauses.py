"""Clauses that stay: what a verb or a noun needs, conditions, and what may be no clause at all."""

from __future__ import annotations

from kostra.transforms.edits import is_comma, part
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.inflection import Inflector
from kostra.trees import Tree, Word

_ASIDE = frozenset({"because", "while", "although", "though", "whereas", "since", "before", "after", "when", "once"})
"""What opens clauses without which a sentence says less, not more or something else; *if* opens none."""
_BEFORE_ING = frozenset({"by", "after", "before", "while", "when", "since"})
_FOCUS = frozenset({"only", "just", "even", "partly", "mainly", "especially", "simply", "part", "more", "less", "not",
                    "soon", "particularly", "except", "and", "but", "or"})  # fmt: skip
_RELATIVES = frozenset({"who", "which", "that", "whose", "whom", "where", "when"})
_HOLDING = frozenset({"about", "with", "without", "like", "for", "from", "between"})
"""Prepositions of a noun and what it does, which are one: *a story about a boy finding a key*."""
_DOING_NOUNS = frozenset({"trouble", "difficulty", "fun", "time", "problem", "experience", "hour", "day", "year",
                          "minute", "luck", "life", "reason", "chance", "thing", "job", "way", "kind", "sort",
                          "type"})  # fmt: skip


def why_circumstance_stays(tree: Tree, word: Word, head: Word) -> str | None:
    """Why a clause of a verb cannot go, or None."""
    inside = part(tree, tree.subtree(word.id))
    first = tree.places[inside[0].id]
    before = tree.words[first - 1] if first else None
    if word.upos not in ("VERB", "AUX") and tree.child(word.id, "cop") is None:
        return f"{word.form} is hardly a clause"
    if head.upos not in ("VERB", "NOUN", "PROPN") or tree.child(head.id, "expl") is not None:
        return f"{head.form} may need {word.form}"
    if before is not None and before.form.lower() in _FOCUS:
        return f"{before.form} belongs to {word.form}"
    if any(one.form.lower() == "only" for one in tree.children(head.id, "advmod")):
        return "only may point to the clause"
    if (first and _is_joined(tree, inside)) or _joins_noun(tree, word):
        return f"what follows may be joined with {word.form}"
    commas = [one for one in inside[1:-1] if is_comma(one)]
    if first == 0 and commas:
        return f"the clause of {word.form} may end before its end"
    opens = inside[0].form.lower()
    if grammar.is_ing(word) and not grammar.helpers(tree, word.id):
        return _why_ing_stays(tree, word, head, opens)
    if grammar.is_base(word) and opens in ("to", "in"):
        return _why_infinitive_stays(tree, head)
    if opens not in _ASIDE:
        return f"the clause of {word.form} may be needed"
    if not ENGLISH.is_predicate(tree, word) or tree.child(word.id, "nsubj") is None:
        return f"{word.form} is hardly a clause"
    return None


def _joins_noun(tree: Tree, word: Word) -> bool:
    """Whether a noun is joined with the verb of a clause, and belongs elsewhere: *with kites flying and a tree*."""
    return any(one.upos in ("NOUN", "PROPN", "PRON") for one in tree.children(word.id, "conj"))


def _is_joined(tree: Tree, inside: list[Word]) -> bool:
    """Whether an *and* follows a clause, with a comma or without, so that the clause may go on."""
    last = tree.places[inside[-1].id]
    following = [one for one in tree.words[last + 1 : last + 3] if not is_comma(one)]
    return bool(following) and following[0].upos == "CCONJ"


def _why_ing_stays(tree: Tree, word: Word, head: Word, opens: str) -> str | None:
    """*Runs carrying a ball* and *by running*; not *enjoys running*, *insists on running*."""
    if opens in _BEFORE_ING:
        return None
    if opens != word.form.lower() and not opens.endswith("ly"):
        return f"{head.form} may need {word.form}"
    if tree.places[word.id] < tree.places[head.id]:
        return None
    place = tree.places[word.id]
    adjacent = place - tree.places[head.id] == 1
    if head.lemma in lexicon.WANTS_ING | lexicon.PERCEPTION or (adjacent and head.lemma not in lexicon.POSTURES):
        return f"{head.form} may need {word.form}"
    return None


def _why_infinitive_stays(tree: Tree, head: Word) -> str | None:
    """*Uses a pole to reach it*, *runs to catch it*; not *is assigned to watch it*, *takes time to read it*."""
    if head.lemma in lexicon.WANTS_INFINITIVE - {"use"} | lexicon.LIGHT_VERBS or grammar.is_past_participle(head):
        return f"{head.form} may need an infinitive"
    if any(one.form.lower() in ("enough", "too", "so") for one in tree.words):
        return "the infinitive may say for what something is enough"
    thing = tree.child(head.id, "obj")
    moves = head.lemma in lexicon.MOTION | lexicon.POSTURES | lexicon.LASTING
    if not moves and (thing is None or thing.upos != "NOUN"):
        return f"{head.form} may need an infinitive"
    return None


def why_clause_of_noun_stays(tree: Tree, word: Word, head: Word, inflector: Inflector) -> str | None:
    """Why a clause or participle of a noun cannot go, or None."""
    inside = part(tree, tree.subtree(word.id))
    first = tree.places[inside[0].id]
    comma = first > 0 and is_comma(tree.words[first - 1])
    if _is_joined(tree, inside) or _joins_noun(tree, word):
        return f"what follows may be joined with {word.form}"
    if head.lemma.lower() in ("people", "person", "someone") and not tree.children(head.id, "det", "nummod", "amod"):
        return f"{word.form} says which {head.form}"
    if head.lemma.lower() in _DOING_NOUNS | lexicon.VAGUE:
        return f"{head.form} says nothing without {word.form}"
    if any(one.form.lower() in _HOLDING for one in tree.children(head.id, "case", "mark")):
        return f"{head.form} and {word.form} are one"
    subject = tree.child(head.id, "nsubj")
    if subject is not None and subject.form.lower() in ("it", "that", "this") and tree.child(head.id, "cop"):
        return f"{word.form} is what is told of {head.form}"
    if any(one.lemma == head.lemma and one.id != head.id for one in tree.words):
        return f"{word.form} tells one {head.form} from another"
    above = tree[head.head] if head.head else head
    if tree.child(above.id, "expl") is not None:
        return f"that there is {head.form} says nothing"
    if not comma and head.relation == "nsubj" and ENGLISH.is_negated(tree, above.id):
        return f"without {word.form} more would be denied"
    the = any(one.form.lower() in ("the", "those", "these") for one in tree.children(head.id, "det"))
    if not comma and the and tree.child(head.id, "cop") is not None:
        return f"{word.form} says which {head.form}"
    if not comma and any(one.form.lower() in ("those", "these", "such") for one in tree.children(head.id, "det")):
        return f"{word.form} says which {head.form}"
    bare = not tree.children(head.id, "det", "nmod:poss", "nummod", "case")
    if not comma and bare and word.deprel == "acl:relcl" and head.relation == "nsubj":
        return f"{word.form} says which {head.form}"
    if not comma and any(one.lemma.lower() in lexicon.MANY for one in tree.children(head.id, "amod", "det")):
        return f"{word.form} says which {head.form}"
    if word.deprel == "acl:relcl":
        opens = [one.form.lower() for one in inside[:3]]
        return None if set(opens) & _RELATIVES else f"{word.form} has no relative pronoun"
    return _why_participle_stays(tree, word, head, inside, inflector)


def _why_participle_stays(tree: Tree, word: Word, head: Word, inside: list[Word], inflector: Inflector) -> str | None:
    kinds = {one.upos for one in inflector.analyses(word.form.lower())}
    if (
        word.upos != "VERB"
        or (kinds and not kinds & {"VERB", "AUX"})
        or inside[0].upos in ("NOUN", "PROPN", "DET", "PRON", "ADJ", "NUM")
    ):
        return f"{word.form} is hardly a clause"
    bare = not tree.children(head.id, "det", "nmod:poss", "nummod", "case")
    start = min(tree.places[one] for one in tree.subtree(head.id) if tree[one].upos != "PUNCT")
    if grammar.is_ing(word) and bare and start and is_comma(tree.words[start - 1]):
        return f"{head.form} and {word.form} are one"  # a boat on the lake, gulls circling
    last = tree.places[inside[-1].id]
    if last + 1 < len(tree.words) and tree.words[last + 1].upos == "ADP":
        return f"what follows may belong to {word.form}"
    if grammar.is_past_participle(word) and not _is_surely_done(tree, word, inflector):
        return f"{word.form} may be a past tense"
    return None


def _is_surely_done(tree: Tree, word: Word, inflector: Inflector) -> bool:
    """Whether a participle is no past tense: by its form, by an agent, or by what the verb means."""
    if word.lemma in lexicon.INTRANSITIVE:
        return False
    if word.lemma in lexicon.DONE_VERBS:
        return True
    if any(one.form.lower() == "by" for near in tree.children(word.id) for one in tree.children(near.id, "case")):
        return True
    return not any(one.feats.get("VerbForm") == "Fin" for one in inflector.analyses(word.form.lower()))
