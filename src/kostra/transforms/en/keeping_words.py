"""Adjectives and adverbs that stay: parts of a term, what a noun says nothing without, halves of other phrases."""

from __future__ import annotations

from kostra.transforms.edits import is_comma
from kostra.transforms.en import lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.inflection import Inflector
from kostra.trees import Tree, Word

_SEEN = frozenset().union(*lexicon.ADJECTIVE_KINDS)
"""Adjectives of what is seen, which are seldom parts of a term."""
_BEFORE_TERMS = frozenset().union(*lexicon.ADJECTIVE_KINDS[:3])
"""Colours, sizes and ages, which stand before terms and are no part of them; *short story* is one."""
_POINTS = frozenset({"PRON", "DET"})
_BELONGS_TO = frozenset({"there", "here", "much", "many", "that", "few", "little", "enough", "so", "such"})
"""What an adverb before it belongs to: *over there*, *very much*, *now that*."""
_AFTER_ADJECTIVE = frozenset({"fashion", "school", "age", "world", "style", "class", "quality", "speed", "tech",
                              "end", "key", "profile", "stakes"})  # fmt: skip
"""Nouns that make one word with an adjective before another noun: *a high speed train*, *old style lamps*."""
_PEOPLES = frozenset({"native", "african", "latin", "north", "south", "central", "east", "west", "eastern", "western",
                      "northern", "southern", "old", "middle"})  # fmt: skip
_FOCUS = frozenset({"both", "especially", "particularly", "only", "even", "just", "mainly", "mostly"})
_OF_COUNTRIES = ("an", "ese", "ish", "ic", "eli", "aqi", "ench", "utch", "reek", "hai", "zech", "wiss", "ovak")
_PRAISING = frozenset({"essential", "important", "significant", "great", "good", "bad", "terrible", "wonderful",
                       "excellent", "serious", "perfect", "nice", "lovely", "amazing", "fantastic", "brilliant",
                       "awful", "horrible", "huge", "powerful", "strong", "weak", "poor"})  # fmt: skip
"""What a sentence that says what something is, is told for."""
_BECOMING = frozenset(
    {"become", "remain", "seem", "look", "appear", "term", "dub", "consider", "deem", "prove", "stay"}
)
_MEASURED_BY = frozenset(
    {"size", "length", "height", "weight", "shape", "colour", "color", "age", "thickness", "width"}
)
_IN_SOME_WAY = frozenset({"behave", "act", "treat", "word", "phrase"})
"""Verbs that say nothing without how it is done."""
_EVERYBODYS = (lexicon.BODY | {"beak", "jaw", "muzzle"}) - {"beard", "feather", "fur", "mustache", "smile", "tattoo"}
_OF_NO_ARTICLE = ("det", "nmod:poss", "nummod")


def why_adjective_stays(tree: Tree, word: Word, head: Word, inflector: Inflector) -> str | None:
    """Why an adjective cannot go, or None."""
    if word.form.lower() not in lexicon.DESCRIBING_ADJECTIVES or head.lemma.lower() in lexicon.COLOURS:
        return f"{word.form} may say more than how {head.form} looks"
    if head.relation == "compound":
        return f"{head.form} is a part of a term"
    amount = head.lemma.lower() in ENGLISH.quantities and tree.child(head.id, "nmod") is not None
    if amount or head.lemma.lower() in lexicon.VAGUE:
        return f"{head.form} says nothing without {word.form}"
    with_it = any(one.form.lower() == "with" for one in tree.children(head.id, "case"))
    if with_it and head.lemma.lower() in _EVERYBODYS and tree.child(head.id, "nmod") is None:
        return f"every one has {head.form}"  # a bird with a long beak
    if _is_in_term(tree, word, head, inflector):
        return f"{word.form} may belong to the word behind it"
    if word.form[:1].isupper() and _is_set_against(tree, word, head):
        return f"{word.form} is set against another"
    if any(one.lemma == head.lemma and one.id != head.id for one in tree.words):
        return f"{word.form} tells one {head.form} from another"
    if any(one.form.lower() == "than" for one in tree.words[: tree.places[word.id]]):
        return f"without {word.form} more would be compared"
    if _is_what_is_told(tree, word, head):
        return f"{word.form} is what is told of {head.form}"
    counted = tree.child(head.id, "nummod") is not None
    above = tree[head.head] if head.head else head
    of = any(one.form.lower() == "of" for one in tree.children(head.id, "case"))
    if counted and (of or above.lemma == "have"):
        return f"{word.form} says which {head.form} are counted"  # one of four wooden mills
    if of and above.lemma in _MEASURED_BY:
        return f"{head.form} is a measure with {word.form}"  # the size of a large egg
    if _is_of_a_kind(tree, head):
        return f"without {word.form} more would be said of all {head.form}"
    if word.form.lower() in ("new", "old") and not tree.children(head.id, *_OF_NO_ARTICLE):
        return f"{word.form} is what is told of {head.form}"  # found new species
    if _is_all_that_is_said(tree, head):
        return f"to be {head.form} says nothing"
    return None


def _is_set_against(tree: Tree, word: Word, noun: Word) -> bool:
    """Whether nations are told apart, whatever the parser joined: *a Dutch father and a Danish mother*."""
    first, last = tree.places[word.id], tree.places[noun.id]
    before, after = tree.words[max(0, first - 4) : first], tree.words[last + 1 : last + 4]
    joined = [side for side in (before[1:], after) if any(one.upos == "CCONJ" for one in side)]
    ends = [before[0] if side == before[1:] else side[-1] for side in joined]
    return any(one.form[:1].isupper() for one in ends)


def _is_what_is_told(tree: Tree, word: Word, noun: Word) -> bool:
    """Whether a sentence is about a noun's adjective: *is called a green wine*, *has long fingers*."""
    above = tree[noun.head] if noun.head else noun
    if noun.relation in ("xcomp", "obj") and above.lemma in lexicon.NAMING | _BECOMING:
        return True
    if _is_made_so(tree, noun, above):
        return True
    if noun.relation == "obj" and above.lemma == "have":
        return True
    if noun.lemma.lower() == "one" or _is_with_both(tree, noun):
        return True
    bare = not tree.children(noun.id, *_OF_NO_ARTICLE) and noun.feats.get("Number") != "Plur"
    if bare and word.form[:1].isupper() and word.form.endswith(_OF_COUNTRIES):
        return True  # Danish government falls
    the = any(one.form.lower() == "the" for one in tree.children(noun.id, "det"))
    if the and noun.lemma.lower() in lexicon.WORN | {"people"}:
        return True  # the boy in the orange shirt
    if the and word.form[:1].isupper() and noun.relation == "nmod":
        return True  # the colours of the Danish flag
    if any(one.form.lower() == word.form.lower() and one.id != word.id for one in tree.words):
        return True  # a new life in a new town
    of = any(one.form.lower() == "of" for one in tree.children(noun.id, "case"))
    if of and above.lemma in ("bit", "more", "kind", "sort"):
        return True  # a bit of a dull day
    start = min(tree.places[one] for one in tree.subtree(noun.id))
    return start > 0 and tree.words[start - 1].form.lower() in _FOCUS


def _is_with_both(tree: Tree, noun: Word) -> bool:
    joined = noun.relation == "conj" or tree.child(noun.id, "conj") is not None
    before = tree.words[: tree.places[noun.id]]
    if any(one.form.lower() == "both" for one in tree.children(noun.id)):
        return True
    return joined and any(one.form.lower() in ("both", "either", "neither") for one in before)


def _is_made_so(tree: Tree, noun: Word, above: Word) -> bool:
    """*That makes me a bad cook*: the pronoun behind *make* says of whom."""
    behind = tree.words[tree.places[above.id] + 1 :][:1]
    return above.lemma == "make" and any(one.upos == "PRON" and one.id != noun.id for one in behind)


def _is_adjective(word: Word, inflector: Inflector) -> bool:
    """Whether the dictionary has an adjective or a participle, or an unknown word ends like one."""
    kinds = {one.upos for form in (word.form, word.form.lower()) for one in inflector.analyses(form)}
    if "NOUN" in kinds and "ADJ" not in kinds:
        return False
    if {"NOUN", "VERB"} < kinds and word.lemma.lower() not in _SEEN | lexicon.PLAIN_ADJECTIVES:
        return word.form.lower().endswith(("ed", "ing", "en"))  # a signal lamp
    if kinds:  # most of what is no adjective went before
        return "ADJ" in kinds or not word.form.endswith("ing") or word.form.lower() in lexicon.DOING_ADJECTIVES
    return "-" in word.form or word.form.lower().endswith(lexicon.ADJECTIVE_ENDINGS)


def _is_of_a_kind(tree: Tree, noun: Word) -> bool:
    """Whether something is said of all that a bare noun names: *Old cheese is a food*; or that there is some."""
    if tree.children(noun.id, *_OF_NO_ARTICLE):
        return False
    if noun.relation == "obj" and tree[noun.head].lemma in lexicon.STATES:
        return True  # they like old songs
    if noun.relation != "nsubj":
        return False
    if tree.child(noun.head, "expl") is not None:
        return True
    verb = tree[noun.head]
    if noun.feats.get("Number") == "Sing" and noun.upos == "NOUN" and not ENGLISH.is_animate(tree, noun.id):
        return True  # big industry is growing
    if tree.child(noun.head, "cop", "aux:pass") is not None or verb.lemma in lexicon.STATES:
        return True
    return noun.feats.get("Number") == "Plur" and verb.feats.agrees(VerbForm="Fin", Tense="Pres")


def _is_in_term(tree: Tree, word: Word, head: Word, inflector: Inflector) -> bool:
    """Whether an adjective may be said of a word before its noun, or be half of one: *high precision tool*."""
    inside = tree.subtree(word.id)
    first, last = min(tree.places[one] for one in inside), max(tree.places[one] for one in inside)
    behind = tree.words[last + 1] if last + 1 < len(tree.words) else head
    before = tree.words[first - 1] if first else None
    if before is not None and before.upos in ("NOUN", "PROPN") and word.form.lower().endswith(("ed", "ing", "en")):
        return True  # a snow covered hill
    if _is_joined_before(tree, first):
        return True
    if before is not None and before.form.lower() in ("more", "less", "fewer", "so", "as", "too", "how", "enough"):
        return True
    if before is not None and before.upos in ("VERB", "AUX") and word.form.lower().endswith("ing"):
        return True  # began playing chess
    if behind.form.lower() == "enough":
        return True
    if behind.id != head.id and behind.form.lower().endswith("ing"):
        doing = {one.upos for one in inflector.analyses(behind.form.lower())}
        if "ADJ" not in doing and behind.form.lower() not in lexicon.DOING_ADJECTIVES:
            return True  # a fast moving train
    if behind.form.lower() in _AFTER_ADJECTIVE or _is_of_people(before, word) or _is_of_people(word, behind):
        return True
    dressed = before is not None and before.form.lower() == "in"
    if dressed and head.lemma.lower() not in lexicon.WORN | lexicon.SCENES:
        return True  # a man in red takes pictures
    if word.form[:1].isupper() and behind.form[:1].isupper():
        return True  # a title
    if behind.id == head.id or behind.form == "," or (behind.upos == "ADJ" and behind.head == head.id):
        return behind.upos == "ADJ" and not _is_adjective(behind, inflector)  # a high pressure hose
    return behind.upos not in ("NOUN", "PROPN", "ADJ") or word.lemma.lower() not in _BEFORE_TERMS


def _is_of_people(first: Word | None, second: Word) -> bool:
    """Whether two words name one people or continent: *native American*, *South Asian*."""
    return first is not None and first.form.lower() in _PEOPLES and second.form[:1].isupper()


def _is_joined_before(tree: Tree, place: int) -> bool:
    """Whether an *and* joins an adjective to one before it: *an old and a new boat*, *a fun and mostly odd tale*."""
    while place and tree.words[place - 1].upos in ("DET", "ADV"):
        place -= 1
    if place < 2 or tree.words[place - 1].upos != "CCONJ":
        return False
    first = tree.words[place - 2]
    return first.upos in ("ADJ", "PUNCT") or first.form.lower() in lexicon.COLOURS or tree.words[place].upos == "ADV"


def _is_all_that_is_said(tree: Tree, noun: Word) -> bool:
    """Whether a predicate says nothing without its adjective: *it is a good book*, *a red house is a house*."""
    if tree.child(noun.id, "cop") is None or tree.child(noun.id, "case") is not None:
        return False
    if any(one.form.lower() == "for" for near in tree.children(noun.id) for one in tree.children(near.id, "case")):
        return True  # a long walk for a child
    if any(tree.child(one.id, "advmod") is not None for one in tree.children(noun.id, "amod")):
        return True  # a surprisingly long walk
    if any(one.lemma.lower() in _PRAISING for one in tree.children(noun.id, "amod")):
        return True
    subject = tree.child(noun.id, "nsubj")
    if subject is None or subject.upos in _POINTS or subject.lemma.lower() == noun.lemma.lower():
        return True
    return noun.lemma.lower() in lexicon.PEOPLE_AND_WORKS or not ENGLISH.is_animate(tree, noun.id)  # a dirty trade


def why_adverb_stays(tree: Tree, word: Word, head: Word, inflector: Inflector) -> str | None:
    """Why an adverb cannot go, or None."""
    form, place = word.form.lower(), tree.places[word.id]
    before = tree.words[place - 1] if place else None
    behind = tree.words[place + 1] if place + 1 < len(tree.words) else None
    degree = head.upos in ("ADJ", "ADV") or head.relation == "amod"
    if degree and form not in lexicon.INTENSIFIERS:
        return f"{head.form} may need {word.form}"
    after_verb = tree.places[head.id] < place
    kinds = {one.upos for one in inflector.analyses(form)}
    manner = form.endswith("ly") and form not in lexicon.LIMITING_ADVERBS
    manner = manner and ("ADV" in kinds or (not kinds and not word.form[:1].isupper()))
    if not manner and form not in lexicon.PLAIN_ADVERBS | lexicon.INTENSIFIERS:
        return f"{head.form} may need {word.form}"
    alone = form == "easily" and tree.child(head.id, "obj") is None
    if after_verb and (alone or head.lemma in _IN_SOME_WAY):
        return f"{head.form} needs {word.form}"  # behaves badly; the paper tears easily
    if head.lemma == "do" and head.upos == "VERB" and tree.child(head.id, "obj") is None:
        return f"{head.form} says nothing alone"
    comma = before is not None and is_comma(before)
    if comma and (form == "then" or (behind is not None and is_comma(behind) and head.relation == "advcl")):
        return f"{word.form} parts two clauses"  # coming home, slowly, she sang
    opens = behind is not None and behind.upos in ("DET", "NOUN", "PROPN", "PRON", "NUM", "ADJ")
    if opens and form in lexicon.PREPOSITIONS:
        return f"{word.form} may be a preposition"
    if form in lexicon.PARTICLES or (form in lexicon.NEEDED_ADVERBS and after_verb):
        return f"{head.form} may need {word.form}"
    if before is not None and before.head != word.id and before.form.lower() in lexicon.DEGREES:
        return f"{before.form} would stand alone"
    if behind is not None and (behind.form.lower() in _BELONGS_TO or behind.upos == "SCONJ"):
        return f"{word.form} belongs to {behind.form}"
    if head.relation == "amod" and head.form.lower().endswith(("ed", "en", "ing", "wn")):
        return f"{head.form} may need {word.form}"
    if after_verb and behind is not None and behind.upos in ("NOUN", "PROPN", "PRON", "DET", "ADJ"):
        return f"{word.form} may belong to {behind.form}"
    return None
