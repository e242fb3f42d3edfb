"""What leans on words that would go: a focus, an ellipsis, a measure, a phrase right behind, a part of a thing."""

from __future__ import annotations

import re

from kostra.transforms.en import lexicon, placing
from kostra.transforms.en.grammar import ENGLISH
from kostra.trees import Tree, Word

_FOCUS = frozenset({"only", "just", "even", "merely", "solely", "exclusively"})
_REPEATING = frozenset({"do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "can", "could", "will",
                        "would", "should", "might", "must"})  # fmt: skip
"""Auxiliaries that stand for a whole predicate if nothing follows them, as forms."""
_NOT = frozenset({"not", "n't", "n’t", "too", "either", "also"})
_SO = frozenset({"so", "neither", "nor", "as", "than"})
_MEASURED = frozenset({"take", "last", "cost", "need", "weigh", "measure", "spend", "pay", "require"})
_MONEY = frozenset({"dollar", "euro", "pound", "cent", "penny", "franc", "yen", "buck", "$", "€", "£", "kilo",
                    "kilogram", "ton", "tonne", "gram", "ounce", "metre", "meter", "mile", "kilometre", "kilometer",
                    "foot", "inch"})  # fmt: skip
_PARTS = frozenset({"lens", "viewfinder", "lid", "handle", "wheel", "roof", "windshield", "windscreen", "pedal",
                    "saddle", "engine", "hood", "mast", "sail", "deck", "blade", "brim", "strap", "sleeve", "collar",
                    "leash", "string", "strings", "trunk", "tail", "rim", "hoop", "handlebars", "seat", "cover",
                    "page", "pages", "spout", "cork", "steering", "keys", "keyboard", "nozzle", "rider", "driver",
                    "passenger", "owner", "pilot"})  # fmt: skip
"""Parts and people that are *the* once the thing is named, as forms."""
_COMPASS = frozenset({"north", "south", "east", "west", "northern", "southern", "eastern", "western"})
_IDIOMS = frozenset({("dark", "horse"), ("black", "sheep"), ("hot", "potato"), ("cold", "feet"),
                     ("white", "elephant"), ("red", "herring"), ("red", "tape"), ("big", "shot"),
                     ("big", "deal"), ("hard", "time"), ("rough", "diamond"), ("sore", "thumb"),
                     ("last", "straw"), ("loose", "cannon"), ("bad", "apple"), ("wild", "card"),
                     ("hot", "dog"), ("short", "story"), ("black", "eye"), ("white", "water"),
                     ("black", "belt"), ("red", "carpet"), ("wet", "suit"), ("long", "jump"),
                     ("tall", "ship"), ("open", "book"), ("lame", "duck"), ("sweet", "tooth")})  # fmt: skip
"""Adjectives and nouns that mean something else together."""
_ASIDE = re.compile(r"[()\[\]:;–—]|--|\.\.|(^|\s)-|-(\s|$)")
_OF_CAPTION = frozenset({"det", "amod", "compound", "nummod", "nmod", "punct", "advmod"})
"""What stands before the noun that a caption shows."""
_PHRASES = frozenset({"obl", "nmod", "acl", "advcl"})


def elliptic(tree: Tree) -> str | None:
    """An auxiliary that repeats what is said before it: *some rooms have a view, and some do not*."""
    for place, word in enumerate(tree.words):
        if not place or word.form.lower() not in _REPEATING or word.upos not in ("AUX", "VERB"):
            continue
        behind = next((one for one in tree.words[place + 1 :] if one.form.lower() not in _NOT), None)
        said = [one for one in tree.words[:place] if one.upos in ("VERB", "AUX") and one.id != word.id]
        turned = tree.words[place - 1].form.lower() in _SO  # so did she
        ends = behind is None or behind.upos in ("PUNCT", "CCONJ")
        if said and (turned or ends):
            return f"{word.form} repeats what stands before it"
    return None


def broken(tree: Tree) -> str | None:
    """Why a text is neither a clause with its subject nor a caption that begins with what it shows, or None."""
    if _ASIDE.search(tree.text):
        return "an aside would stay as it is"
    root = tree.root
    first = next((one for one in tree.words if one.upos != "PUNCT"), root)
    if ENGLISH.is_predicate(tree, root):
        subject = tree.child(root.id, "nsubj", "expl")
        whole = subject is not None and tree.child(root.id, "mark") is None
        return None if whole else f"{root.form} is no whole sentence"
    plain = root.upos in ("NOUN", "PROPN") and tree.child(root.id, "case", "mark", "cc", "parataxis", "nsubj") is None
    opens = [one for one in tree.children(root.id) if tree.places[one.id] < tree.places[root.id]]
    plain = plain and all(one.relation in _OF_CAPTION for one in opens) and first.id in tree.subtree(root.id)
    said = any(one.feats.get("VerbForm") in ("Part", "Ger", "Fin") for one in tree.words)
    joined = tree.child(root.id, "conj", "appos") is not None
    return None if plain and (said or not joined) else "it is neither a clause nor a plain caption"


def why_needed(source: Tree, tree: Tree) -> str | None:
    """Why what went is needed by what stayed, or None."""
    gone = [one for one in source.words if one.id not in tree.places and one.upos != "PUNCT"]
    for word in gone:
        reason = _limited(source, tree, word) or _measured(source, tree, word) or _leaned_on(source, tree, word)
        reason = reason or _half(source, tree, word)
        if reason is not None:
            return reason
    return _orphan(source, tree, gone)


def _limited(source: Tree, tree: Tree, word: Word) -> str | None:
    """*I only met her at school* does not say that I only met her."""
    for focus in source.words[: source.places[word.id]]:
        if focus.form.lower() in _FOCUS and focus.id in tree.places:
            return f"{focus.form} may be said of {word.form}"
    return None


def _measured(source: Tree, tree: Tree, word: Word) -> str | None:
    """*It cost two euros*, *it lasted for an hour*."""
    verb = source[word.head] if word.head else word
    if verb.lemma not in _MEASURED or verb.id not in tree.places or source.places[word.id] < source.places[verb.id]:
        return None
    bare = source.child(word.id, "case") is None and word.relation in ("obl", "obj", "iobj", "nmod", "advmod", "xcomp")
    amount = word.lemma.lower() in lexicon.TIMES | _MONEY or source.child(word.id, "nummod") is not None
    if amount and (bare or verb.lemma == "last"):
        return f"{verb.form} needs {word.form}"
    return None


def _leaned_on(source: Tree, tree: Tree, word: Word) -> str | None:
    """*Throws a stick [at a tree] in the form of a cross*: the phrase that stays belonged to what went."""
    inside = source.subtree(word.id)
    if word.relation not in _PHRASES or any(one in tree.places for one in inside):
        return None
    if word.relation == "obl" and placing.is_time(source, word):
        return None  # met [in May] at a fair
    place = max(source.places[one] for one in inside) + 1
    behind = source.words[place] if place < len(source.words) else None
    if behind is None or behind.upos != "ADP" or behind.id not in tree.places or not behind.head:
        return None
    top = source[behind.head]
    return None if placing.is_time(source, top) else f"{top.form} may belong to {word.form}"


def _half(source: Tree, tree: Tree, word: Word) -> str | None:
    """*South* of *south western*, *dark* of *a dark horse*: half of a name."""
    behind = source.words[source.places[word.id] + 1 :][:1]
    for one in behind:
        pair = word.form.lower(), one.form.lower()
        if one.id in tree.places and (_COMPASS.issuperset(pair) or (word.form.lower(), one.lemma.lower()) in _IDIOMS):
            return f"{word.form} {one.form} is one"
    return None


def _orphan(source: Tree, tree: Tree, gone: list[Word]) -> str | None:
    """*The lens* without the camera that it belongs to."""
    nouns = [source.places[one.id] for one in gone if one.upos in ("NOUN", "PROPN")]
    if not nouns:
        return None
    for the, noun in zip(source.words, source.words[1:], strict=False):
        known = the.form.lower() == "the" and noun.form.lower() in _PARTS and noun.id in tree.places
        whole = any(one.form.lower() == "of" for one in source.words[source.places[noun.id] + 1 :][:1])
        if known and not whole and min(nouns) < source.places[noun.id]:
            return f"the {noun.form} would be of nothing"
    return None
