"""Phrases that stay: complements of verbs and nouns, halves of other phrases, appositions that may be lists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kostra.transforms.edits import is_comma, part
from kostra.transforms.en import grammar, lexicon, placing, restricting
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.removing_adjuncts import Needy
from kostra.trees import Tree, Word

_IN_MIND = frozenset({"mind", "opinion", "view", "theory", "general", "part", "case", "practice", "name"})
"""What says for whom or how far something is true: *in my opinion*, *in general*."""
_SOME = frozenset({"some", "most", "many", "certain", "few", "several", "such"})
_MEDIA = frozenset({"tv", "television", "radio", "screen", "video", "film", "movie", "picture", "photo", "photograph",
                    "painting", "drawing", "dream", "nightmare", "mirror", "internet", "web", "imagination", "fantasy",
                    "memory", "simulation", "youtube", "skype", "facebook"})  # fmt: skip
"""Where something is only seen or thought: *met the mayor in a dream*."""
_FURTHER = frozenset({"deeper", "further", "farther", "closer", "higher", "lower", "nearer", "deep", "far", "high"})
_ONWARD = frozenset({"to", "until", "till", "through", "into", "onto"})
_NOT_COMPLETING = frozenset({"again", "also", "too", "still", "now", "then", "often", "always", "ever", "once", "soon",
                             "already", "just", "sometimes", "usually"})  # fmt: skip
_OFF = frozenset({"off", "out", "away"})
_NEVER = frozenset({"per", "between", "than", "as", "of", "except", "besides", "without", "but", "versus", "vs"})
_BEHIND_PHRASE = frozenset({"PUNCT", "ADP", "CCONJ", "SCONJ", "ADV", "VERB", "AUX", "PART"})
"""What may follow a phrase that goes; a noun or a pronoun would lean on what is left."""
_CALLING = frozenset({"refer", "call", "know", "name", "term", "consider", "regard", "define", "describe", "classify"})
"""Verbs that say as what something passes, here or there."""
_PLAIN_ACTS = (
    lexicon.words("passive_verbs") | lexicon.LASTING | lexicon.MOTION | lexicon.STATES | lexicon.OVER | {"meet"}
)
"""Verbs that need nothing beside their object; of others it is not known."""
_ONTO = frozenset({"splash", "spray", "pour", "spread", "lay", "hang", "drop", "load", "sprinkle", "smear", "carve"})
_OF_UNKNOWN = frozenset({"on", "in", "for", "over", "with", "against", "at", "by"})
"""Prepositions of what a verb with an object may need: *lavish praise on it*."""
_NEEDY = frozenset({"obl", "advmod", "xcomp", "obj", "ccomp"})


def why_phrase_stays(tree: Tree, word: Word, head: Word, inflector: Inflector) -> str | None:
    """Why a phrase of a verb or noun cannot go, or None."""
    inside = part(tree, tree.subtree(word.id))
    last = tree.places[inside[-1].id]
    behind = tree.words[last + 1] if last + 1 < len(tree.words) else None
    case = tree.child(word.id, "case")
    if case is not None and case.form.lower() not in lexicon.PREPOSITIONS:
        return f"{case.form} is hardly a preposition"
    if case is not None and case.form.lower() in _NEVER:
        return f"{case.form} {word.form} is needed"
    if any(one.form.lower() == "only" for one in inside):
        return f"only {word.form} is what is told"  # runs only once a day
    if word.upos not in ("NOUN", "PROPN", "PRON", "NUM") or _is_doing(tree, word, inflector):
        return f"{word.form} is hardly a noun"
    if not placing.is_in_the_open(tree, word, head, inside):
        return f"{word.form} stands where it may belong to its neighbours"
    follows = tree.places[word.id] > tree.places[head.id]
    if follows and behind is not None and _leans(tree, word, behind):
        return f"{behind.form} would lean on what stands before {word.form}"
    if follows and behind is not None and is_comma(behind) and not _closes(tree, last + 1):
        return f"what follows may be listed with {word.form}"
    if case is None and any(one.upos in ("NOUN", "PRON", "PROPN") for one in inside if one.id != word.id):
        return f"{word.form} may be more than a time"  # defended [her title four times]
    before = tree.words[tree.places[inside[0].id] - 1]
    if follows and before.upos in ("NOUN", "PROPN") and restricting.is_of_all(tree, word, before):
        return f"{before.form} would stand for more than {word.form} lets it"  # sold every hut in the valley
    if len(tree.children(word.id, "case")) > 1 or (follows and before.lemma == word.lemma):
        return f"{word.form} is half of an expression"  # the bringing in of a law; day by day
    if follows and before.deprel == "obl:unmarked" and before.form != before.lemma and not placing.is_time(tree, word):
        return f"{word.form} may belong to {before.form}"  # two years in a row
    if follows and word.relation == "nmod" and before.lemma.lower() in lexicon.RELATIONAL:
        return f"{before.form} may need {word.form}"
    some = any(one.form.lower() in _SOME for one in tree.children(word.id, "det", "amod"))
    if word.relation == "obl" and not follows and some and not placing.is_time(tree, word):
        return f"without {word.form} the sentence says more"
    if word.relation == "obl" and word.lemma.lower() in _IN_MIND:
        return f"without {word.form} the sentence says more"
    if word.deprel == "obl:unmarked" and follows and [one.form.lower() for one in inside[:-1]] == ["the"]:
        return f"{head.form} may need {word.form}"  # win the day
    if any(one.form.lower() in ("most", "least", "best") for one in inside):
        return f"{word.form} says which"
    if _is_half_of_way(tree, inside, case, behind):
        return f"{word.form} is half of a way or a time"
    if _hides_verb(tree, word, inside, inflector):
        return f"a verb may be hidden in the phrase of {word.form}"
    if _limits_claim(tree, word, head):
        return f"without {word.form} the sentence says more"
    if word.relation == "nmod":
        return _why_of_noun(tree, word, head, inside)
    return _why_of_verb(tree, word, head, inside)


def _limits_claim(tree: Tree, word: Word, head: Word) -> bool:
    """Whether a place or time says where something general is so: *the dance in Crete is called a round*."""
    verb = tree[head.head] if head.relation in ("nsubj", "obl") and head.head else head
    if word.relation == "nmod" and verb.id == head.id:
        return False
    passive, equates = grammar.is_passive(tree, verb.id), tree.child(verb.id, "cop") is not None
    if passive and verb.lemma in _CALLING:
        return not any(one.form.lower() == "by" for one in tree.children(word.id, "case"))
    finite = grammar.finite_word(tree, verb.id)
    now = finite is not None and finite.feats.get("Tense") == "Pres"
    return now and (passive or equates) and word.upos in ("PROPN", "NUM")


def _is_half_of_way(tree: Tree, inside: list[Word], case: Word | None, behind: Word | None) -> bool:
    """*From one tree* to another, and *to another*; what says in whose eyes: *with a stick* as a sword."""
    if case is None:
        return False
    form, start = case.form.lower(), tree.places[inside[0].id]
    if behind is not None and (behind.form.lower() == "as" or (form == "from" and behind.form.lower() in _ONWARD)):
        return True
    return form in _ONWARD and any(one.form.lower() == "from" for one in tree.words[max(0, start - 4) : start])


def _hides_verb(tree: Tree, word: Word, inside: list[Word], inflector: Inflector) -> bool:
    """Whether a noun is likely the verb: *a girl [in pink sells lemonade]*, *girls [in a ski mask dance]*."""
    for before, one in pairwise(inside):
        if one.relation not in ("compound", "amod") or one.upos == "PUNCT":
            continue
        verb = any(found.upos == "VERB" for found in inflector.analyses(one.form.lower()))
        if verb and one.form.endswith("s") and one.form.lower() != one.lemma.lower():
            return True
        if verb and one.form.endswith("ing") and before.upos in ("NOUN", "PROPN", "ADJ"):
            return True  # girls [in green playing chess]
    doing = word.form.lower().endswith("ing") and tree.child(word.id, "compound") is not None
    if doing and any(found.upos == "VERB" for found in inflector.analyses(word.form.lower())):
        return True  # people [outside a barn standing] around
    root = tree.root
    if ENGLISH.is_predicate(tree, root) or tree.child(word.id, "compound") is None:
        return False
    several = root.feats.get("Number") == "Plur" or tree.child(root.id, "conj") is not None
    base = word.form.lower() == word.lemma.lower()
    return several == base and any(found.upos == "VERB" for found in inflector.analyses(word.form.lower()))


def _is_doing(tree: Tree, word: Word, inflector: Inflector) -> bool:
    """Whether a noun in *-ing* is likely a verb: *outside a barn standing around*."""
    ing = word.form.lower().endswith("ing")
    if ing and any(one.form.lower() == "with" for one in tree.children(word.id, "case")):
        return True  # with the clock ticking
    ing = ing and not tree.children(word.id, "det", "nmod:poss", "amod")
    return ing and any(one.upos == "VERB" for one in inflector.analyses(word.form.lower()))


def _leans(tree: Tree, word: Word, behind: Word) -> bool:
    """Whether what follows a phrase would be misread without it: *in a field behind him*, *past a man dressed as*."""
    if behind.upos not in _BEHIND_PHRASE or behind.form.lower().rstrip(".") in ("vs", "versus"):
        return True
    if behind.form.lower() in ("next", "close", "behind") or behind.form in ("'s", "’s", "s"):
        return True
    if word.relation != "nmod" and grammar.is_past_participle(behind):
        return True
    if word.relation != "nmod" and grammar.is_ing(behind):
        somebody = word.upos == "PRON" or ENGLISH.is_animate(tree, word.id)
        moves = tree[word.head].lemma in lexicon.POSTURES | lexicon.MOTION
        opening = tree.words[min(tree.places[one] for one in tree.subtree(word.id)) - 1]
        loose = grammar.is_ing(tree[word.head]) and (opening.id == word.head or not tree.children(word.head, "aux"))
        return somebody or loose or not moves  # listens to someone talking; sitting at a desk writing
    if word.relation != "nmod" and behind.form.lower() == "with":
        return True  # wrestles [in the grass] with a fence behind
    if behind.upos == "ADP" and behind.head:
        return tree[behind.head].upos == "PRON"
    return False


def _closes(tree: Tree, place: int) -> bool:
    """Whether a comma ends a clause or opens one, so that it joins no list."""
    following = tree.words[place + 1] if place + 1 < len(tree.words) else None
    if following is None or following.upos in ("CCONJ", "SCONJ", "ADP", "AUX"):
        return following is None or following.upos != "ADP" or tree.words[place].head != following.head
    return following.form.lower() in ENGLISH.clause_openers or grammar.is_ing(following)


def _why_of_noun(tree: Tree, word: Word, head: Word, inside: list[Word]) -> str | None:
    if any(one.feats.get("Degree") == "Cmp" for one in tree.children(head.id, "amod")):
        return f"{word.form} says of which {head.form} there are more"
    if head.lemma.lower() in lexicon.RELATIONAL | lexicon.VAGUE:
        return f"{head.form} says little without {word.form}"
    if head.form[:1].isupper() and word.form[:1].isupper() and (head.upos == "PROPN" or tree.places[head.id]):
        return f"{head.form} and {word.form} may be one name"
    above = tree[head.head] if head.head else head
    if tree.child(above.id, "expl") is not None:
        return f"that there is {head.form} says nothing"
    bare = not tree.children(head.id, "det", "nmod:poss", "nummod")
    if not head.head and bare and not ENGLISH.is_animate(tree, head.id):
        return f"{word.form} may be what is told of {head.form}"  # oil price at a new low
    if any(one.lemma == head.lemma and one.id != head.id for one in tree.words):
        return f"{word.form} tells one {head.form} from another"
    subject = tree.child(head.id, "nsubj")
    if subject is not None and subject.upos in ("PRON", "DET") and tree.child(head.id, "cop") is not None:
        return f"{word.form} may be what is told of {subject.form}"  # it was a leap in the dark
    the = any(one.form.lower() == "the" for one in tree.children(head.id, "det"))
    generic = head.relation == "nsubj" and tree.child(above.id, "cop") is not None
    if generic and not ENGLISH.is_animate(tree, head.id):
        return f"{word.form} says of which {head.form} it is so"  # the soil near the mine was black
    predicate = above if head.relation == "nsubj" else head
    equates = tree.child(predicate.id, "cop") is not None and predicate.upos in ("NOUN", "PROPN")
    if the and equates and head.relation in ("nsubj", "root"):
        return f"{word.form} says which {head.form}"
    return "it may be a list" if any(is_comma(one) for one in inside) else None


def _why_of_verb(tree: Tree, word: Word, head: Word, inside: list[Word]) -> str | None:
    """Complements of verbs: what follows a verb without an object, unless it only says where and how long it lasts."""
    first = tree.places[inside[0].id]
    before = tree.words[first - 1] if first else None
    opens = inside[0].form.lower()
    if opens in ("on", "in") and word.lemma.lower() in _MEDIA:
        return f"without {word.form} it would be so in truth"
    if before is not None and before.id == head.id and _is_object_like(word, head, inside):
        return f"{head.form} may need {word.form}"
    generic = any(near.form.lower() in ("a", "an") for near in tree.children(word.id, "det"))
    if generic and tree.places[word.id] < tree.places[head.id] and head.lemma in lexicon.STATES:
        return f"without {word.form} the sentence says more"  # in a cold year, it has no leaves
    if placing.is_time(tree, word):
        return None
    if before is not None and before.upos == "VERB" and before.id != head.id:
        return f"{before.form} may need {word.form}"
    if before is not None and (before.upos in ("ADJ", "NUM") or before.form.lower() in _FURTHER):
        return f"{before.form} may need {word.form}"
    if tree.places[word.id] < tree.places[head.id]:
        return None
    if tree.child(head.id, "expl") is not None or ENGLISH.reflexive(tree, head.id) is not None:
        return f"{head.form} may need {word.form}"
    thing = tree.child(head.id, "obj")
    if thing is not None:
        fixed = (head.lemma, thing.lemma) in lexicon.FIXED_OBJECTS or thing.lemma.lower() in lexicon.RELATIONAL
        light = head.lemma in lexicon.LIGHT_VERBS | {"get", "keep", "put", "bring", "find", "leave"}
        vague = thing.lemma.lower() in ("thing", "something", "anything", "everything", "stuff", "one")
        if fixed or light or vague or opens in _OFF or opens in ("to", "about", "into"):
            return f"{head.form} {thing.form} may need {word.form}"
        onto = opens in ("on", "over", "in") and head.lemma in _ONTO and not placing.is_around(word)
        plain = head.lemma in _PLAIN_ACTS or placing.is_around(word) or opens not in _OF_UNKNOWN
        return f"{head.form} {thing.form} may need {word.form}" if onto or not plain else None
    if before is not None and before.upos in ("NOUN", "PROPN") and before.lemma.lower() in lexicon.RELATIONAL:
        return f"{before.form} may need {word.form}"
    easy = head.lemma in (lexicon.LASTING | lexicon.MOTION | lexicon.POSTURES | lexicon.ANYWHERE) - lexicon.NEEDS_PHRASE
    if head.upos == "VERB" and before is not None and before.id == head.id and not easy:
        return None if grammar.is_passive(tree, head.id) else f"{head.form} may need {word.form}"
    return None


def _is_object_like(word: Word, head: Word, inside: list[Word]) -> bool:
    """What a verb right before it needs: *has a good time*, *goes a week*, *plays with fire*."""
    opens = inside[0].form.lower()
    if word.deprel == "obl:unmarked":
        return head.lemma in lexicon.LIGHT_VERBS | lexicon.NEEDS_PHRASE | {"have"} or opens in ("a", "an")
    return opens == "with" and len(inside) == 2 and word.upos == "NOUN"


def why_apposition_stays(tree: Tree, word: Word, head: Word) -> str | None:
    """Only what commas enclose behind a name or a noun, and that is neither a list nor a time."""
    inside = part(tree, tree.subtree(word.id))
    words = [one for one in inside if one.upos != "PUNCT"]
    first, last = tree.places[words[0].id], tree.places[words[-1].id]
    enclosed = first > 0 and is_comma(tree.words[first - 1])
    closed = last + 1 >= len(tree.words) or tree.words[last + 1].form in (",", ".", "!", "?")
    if not enclosed or not closed or any(one.upos == "CCONJ" or is_comma(one) for one in inside[1:-1]):
        return f"{word.form} may be listed"
    article = tree.children(word.id, "det", "nmod:poss")
    if not article and not (word.upos == "PROPN" and head.upos == "PROPN"):
        return f"{word.form} may be listed"
    if word.upos not in ("NOUN", "PROPN") or head.upos not in ("NOUN", "PROPN") or placing.is_time(tree, word):
        return f"{word.form} is hardly said of {head.form}"
    return None


def bare_verbs(tree: Tree) -> Iterator[Needy]:
    """Verbs that must keep one complement beside manners, and times but in passives: *was built*, *seated*, *lies*."""
    for word in tree.words:
        passive = grammar.is_passive(tree, word.id)
        doing = word.relation == "acl" and word.upos == "VERB"
        participle = word.relation in ("acl", "advcl", "amod") and word.form.lower().endswith(("ed", "en"))
        if not (passive or doing or participle or word.lemma in ENGLISH.needs_place | lexicon.NEEDS_PHRASE):
            continue
        needed = frozenset(
            one.id
            for one in tree.children(word.id)
            if _completes(tree, word, one, times=passive or doing or participle)
        )
        if needed:
            yield Needy(word, needed, f"{word.form} needs a complement")


def _completes(tree: Tree, verb: Word, word: Word, *, times: bool) -> bool:
    if word.relation not in _NEEDY or tree.places[word.id] < tree.places[verb.id]:
        return False
    if times and word.deprel.startswith("obl") and verb.lemma not in lexicon.NEEDS_PHRASE:
        agent = any(one.form.lower() == "by" for one in tree.children(word.id, "case"))
        if agent and ENGLISH.is_animate(tree, word.id) and not grammar.is_ing(verb):
            return False  # the car was repaired [by a mechanic]
    form = word.form.lower()
    manner = word.relation == "advmod" and (form.endswith("ly") or form in _NOT_COMPLETING)
    return (times or not placing.is_time(tree, word)) and not manner
