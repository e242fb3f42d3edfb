"""What a shorter sentence must still hold: places, antecedents, subjects, more than two words."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.grammar import CZECH
from kostra.transforms.inflection import inflector
from kostra.trees import Tree, Word

_FEMININE = frozenset({"ní", "jí", "ji", "ni", "její", "ta"})
_OTHERS = frozenset({"ten", "něm", "ním", "jím", "jej", "něj", "ho", "mu", "jemu", "němu", "něho", "jeho"})
_PLURAL = frozenset({"ti", "nich", "jich", "jim", "nim", "ně", "nimi", "jimi", "jejich"})
_GOVERNED = {
    **dict.fromkeys(("v", "na", "o", "po"), ("Acc", "Loc")),
    **dict.fromkeys(("z", "do", "od", "bez", "u", "vedle", "kolem", "podle", "během", "okolo"), ("Gen",)),
    **dict.fromkeys(("k", "proti", "kvůli", "díky", "vůči"), ("Dat",)),
    **dict.fromkeys(("mezi", "nad", "pod", "před"), ("Acc", "Ins")),
    **dict.fromkeys(("pro", "přes"), ("Acc",)),
    "s": ("Ins",),
    "při": ("Loc",),
}
"""Cases after prepositions."""
_DASHES = ("-", "–", "—", ";", ":")
_SECOND = frozenset({"sice", "však", "totiž", "tedy", "prý", "ovšem", "také", "taky", "též", "rovněž", "zase", "i"})
"""Words that follow what they speak of."""
_LONGEST = 25
"""Words of a sentence that may lose several adjuncts at once."""
_SHORTEST = 2
"""Words of a sentence that says enough only if it tells what somebody is seen to do."""


def too_much_goes(source: Tree, variant: str) -> str | None:
    """Why several adjuncts should not go at once: of a long sentence too much may be misread."""
    long = sum(word.upos != "PUNCT" for word in source.words) > _LONGEST
    return "too long to lose several adjuncts" if long and variant not in ("one", "numeral") else None


def what_lacks(source: Tree, made: Tree) -> str | None:
    """What a sentence that lost some words lacks, or None."""
    gone = {word.id for word in source.words if word.id not in made}
    return next(_lacks(source, made, gone), None)


def _lacks(source: Tree, made: Tree, gone: Collection[int]) -> Iterator[str]:
    if pointing := what_points(source, made):
        yield pointing
    for word in made.words:
        lost = [one for one in source.children(word.id) if one.id in gone]
        if lost and word.upos in ("VERB", "ADJ") and _is_misplaced(source, word, lost):
            yield f"{word.form} needs a place"
        if lost and word.upos == "NOUN" and _is_stripped(source, word, lost):
            yield f"{word.form} says little without all that stood before it"
        if word.upos == "VERB" and _lost_subject(source, word, lost):
            yield f"who does what {word.form} says would go"
        if word.upos in ("VERB", "ADJ") and _is_turned(source, made, word):
            yield f"{word.form} says little behind its subject"
        if word.lemma in lexicon.SAYING and _lost_what_is_said(source, word, gone):
            yield f"{word.form} would not tell what"
    if any(_is_doubled(source, made, place) for place in range(1, len(made.words) - 1)):
        yield "the same word would stand on both sides of a comma"
    if any(_is_said_twice(source, made, one) for one in gone):
        yield "a numeral is said twice"
    if any(_is_taken_up(source, made, one) for one in gone):
        yield "a part of what a numeral counts is spoken of"
    if any(_is_at_once(source, made, one) for one in gone):
        yield "what a numeral counts is dealt with as one"
    if _opens_with_particle(source, made):
        yield "a particle would come first"
    if _leaves_what_is_said_of(source, made, gone):
        yield "what is said of a noun that would go would be left"
    if _opens_part(source, made, gone):
        yield "a part of the sentence would begin with its verb"
    if _is_cut_from_preposition(source, made):
        yield "a preposition would lose its noun"
    if _opens_with_verb(source, made):
        yield "a verb would come first, and what it tells of not right behind it"
    if _ends_in_verb(source, made):
        yield "a verb would be left last behind its object"
    if _is_too_short(made):
        yield "too little would be left"
    if _ends_in_particle(source, made):
        yield "a particle would be left last"
    ends = [word.form for word in made.words[-2:]]
    if len(ends) > 1 and ends[1] == "." and ends[0].endswith("."):
        yield "two full stops would be left"


def _is_place(tree: Tree, phrase: Word) -> bool:
    """Whether a phrase says where: *na lavičce*, *venku*, not *za deště* or *v klidu*."""
    if phrase.relation == "advmod":
        return phrase.form.lower() in lexicon.WHERE
    placed = any(one.lemma in lexicon.PLACES | lexicon.WHERE for one in tree.children(phrase.id, "case"))
    return placed and phrase.lemma not in lexicon.TIMES | lexicon.MANNERS


def _is_misplaced(tree: Tree, verb: Word, lost: list[Word]) -> bool:
    """*Moucha sedí za deště [na okně]*; *lidé jedou [po silnici]*: whether a verb of places keeps none of them."""
    phrases = tree.children(verb.id, "obl", "advmod")
    kept = [one for one in phrases if one not in lost and one.upos != "PART"]
    if verb.lemma in lexicon.WAYS:
        vague = lexicon.TIMES | lexicon.HABITS | lexicon.SCOPE_WORDS
        return any(one in lost for one in phrases) and not any(one.lemma not in vague for one in kept)
    if verb.lemma not in lexicon.STANDING or not any(_is_place(tree, one) for one in lost):
        return False
    kept = [one for one in kept if not any(case.lemma == "s" for case in tree.children(one.id, "case"))]
    return bool(kept) and not any(_is_place(tree, one) for one in kept)


def _is_stripped(tree: Tree, noun: Word, lost: list[Word]) -> bool:
    """*[Své dávné] sny splnil*, *po [třech] letech*: whether a noun is left without what told which it is."""
    pointed = any(one.relation == "det" for one in lost)
    if pointed and noun.relation == "obj" and tree.places[noun.id] < tree.places[noun.head]:
        return True
    if any(one.relation == "nummod" or one.lemma in lexicon.GOVERNING_WORDS for one in lost):
        if noun.relation == "obj" and noun.head and tree[noun.head].lemma == "mít":
            return True  # mají [tři] děti
        told = any(tree.children(one.id, "amod", "det") for one in lost if one.relation == "nummod")
        return told or noun.lemma in lexicon.TIMES | lexicon.QUANTITIES
    said = [one for one in tree.children(noun.id, "amod", "nmod", "acl") if one not in lost]
    return pointed and not said and any(one.relation == "amod" for one in lost)


def _is_doubled(source: Tree, made: Tree, place: int) -> bool:
    """*Přišel host, [kterého čekali], host však odešel*: the same word right before and behind a comma now."""
    before, mark, after = made.words[place - 1 : place + 2]
    if mark.form != "," or before.lemma != after.lemma:
        return False
    return source.places[after.id] - source.places[before.id] > len((mark, after))


def _is_said_twice(source: Tree, made: Tree, lost: int) -> bool:
    """*Mnoho, velmi [mnoho] let*: whether a numeral that would go stays elsewhere."""
    word = source[lost]
    counts = word.upos == "NUM" or word.lemma in lexicon.GOVERNING_WORDS
    return counts and any(one.form.lower() == word.form.lower() for one in made.words)


def _is_taken_up(source: Tree, made: Tree, lost: int) -> bool:
    """*Přišlo [sto] hostů a deset z nich zpívalo*: whether a later phrase counts a part of what a numeral counts."""
    word = source[lost]
    counts = word.upos == "NUM" or word.lemma in lexicon.GOVERNING_WORDS
    after = [one.form.lower() for one in made.words if source.places[one.id] > source.places[lost]]
    return counts and any(pair in (("z", "nich"), ("z", "toho"), ("mezi", "nimi")) for pair in pairwise(after))


def _is_at_once(source: Tree, made: Tree, lost: int) -> bool:
    """*Zvedl [tři] bedny najednou*: whether a word says that several are dealt with as one."""
    word = source[lost]
    counts = word.upos == "NUM" or word.lemma in lexicon.GOVERNING_WORDS
    return counts and any(one.form.lower() in ("najednou", "naráz", "zároveň", "současně") for one in made.words)


def _opens_with_particle(source: Tree, made: Tree) -> bool:
    """*[Doma] jsem sice spal*: whether a word of the second place would begin the sentence."""
    stressed = (word for word in made.words if word.upos != "PUNCT" and word.form.lower() not in lexicon.CLITICS)
    first = next(stressed, None)
    before = source.words[: source.places[first.id]] if first is not None else ()
    moved = any(word.upos != "PUNCT" for word in before)
    return first is not None and moved and first.form.lower() in _SECOND


def _agrees(noun: Word, pronoun: str) -> bool:
    plural = noun.feats.get("Number") == "Plur"
    if plural or pronoun in _PLURAL:
        return plural and pronoun in _PLURAL
    return (noun.feats.get("Gender") == "Fem") == (pronoun in _FEMININE)


def what_points(source: Tree, made: Tree) -> str | None:
    """A pronoun that stays and may stand for what would go, or None."""
    gone = {word.id for word in source.words if word.id not in made}
    for word in made.words:
        if word.upos in ("PRON", "DET") and _points_to_lost(source, made, word, gone):
            return f"{word.form} may stand for what would go"
    return None


def _points_to_lost(source: Tree, made: Tree, word: Word, gone: Collection[int]) -> bool:
    """*Voda [ve studni] se zkazila, takže z ní nepili*: whether the noun a pronoun most likely stands for would go."""
    form = word.form.lower()
    if form not in _FEMININE | _OTHERS | _PLURAL or word.deprel == "det":
        return False
    before = source.words[: source.places[word.id]]
    nouns = [one for one in before if one.upos in ("NOUN", "PROPN") and _agrees(one, form)]
    if not nouns or nouns[-1].id not in gone:
        return False
    people = [one for one in nouns if one.id in made and one.relation == "nsubj" and CZECH.is_animate(source, one.id)]
    return not people or CZECH.is_animate(source, nouns[-1].id)


def _lost_subject(tree: Tree, verb: Word, lost: list[Word]) -> bool:
    """*Ačkoli [tiskárna] zavřela, tiskne dál*: whether who does it is named only in a clause that would go."""
    if tree.child(verb.id, "nsubj", "csubj") is not None or verb.relation not in ("root", "conj"):
        return False
    if any(one.feats.get("Person") in ("1", "2") for one in (verb, *tree.children(verb.id, "aux"))):
        return False
    clauses = [one for one in lost if one.relation == "advcl" and tree.places[one.id] < tree.places[verb.id]]
    return any(tree.child(one.id, "nsubj") is not None for one in clauses)


def _is_turned(source: Tree, made: Tree, verb: Word) -> bool:
    """*[V kraji] hrozil hlad* → *hlad hrozil*: a verb behind its subject now, which only told that there is one."""
    subject = made.child(verb.id, "nsubj")
    if subject is None or made.places[subject.id] > made.places[verb.id]:
        return False
    if source.places[subject.id] < source.places[verb.id]:
        return False
    if any(one.form == "," for one in made.descendants(subject.id)):
        return True  # its clause would want a comma
    following = made.words[made.places[verb.id] + 1 :][:1]
    last = not following or following[0].upos in ("PUNCT", "CCONJ")
    seen = verb.lemma in lexicon.POSTURES | lexicon.VISIBLE_ACTS and CZECH.is_animate(made, subject.id)
    return verb.lemma in lexicon.PRESENTING or (last and not seen)


def _is_cut_from_preposition(source: Tree, made: Tree) -> bool:
    """Whether a preposition stands before a word of another case than it did."""
    for place, word in enumerate(made.words[:-1]):
        if word.upos != "ADP":
            continue
        was, now = source.words[source.places[word.id] + 1 :][:1], made.words[place + 1]
        if not was or was[0].id == now.id:
            continue
        cases = was[0].feats.get("Case"), now.feats.get("Case")
        if cases[1] and cases[1] not in _GOVERNED.get(word.lemma, cases[1]):
            return True
        if now.upos in ("PUNCT", "VERB", "AUX", "CCONJ", "ADP") or (None not in cases and cases[0] != cases[1]):
            return was[0].upos not in ("NUM", "ADV")
    return False


def _leaves_what_is_said_of(source: Tree, made: Tree, gone: Collection[int]) -> bool:
    """*[Plachtu] natřenou olejem*: whether an adjective stays right behind a noun that agrees with it and would go."""
    for word in made.words:
        before = source.words[source.places[word.id] - 1] if source.places[word.id] else word
        if word.upos != "ADJ" or before.id not in gone or before.upos not in ("NOUN", "PROPN"):
            continue
        own = source[word.head] if word.head else word
        if _may_agree(word, before) or (source.places[own.id] < source.places[word.id] and not _agree(word, own)):
            return True
    return False


def _may_agree(adjective: Word, noun: Word) -> bool:
    """Whether some reading of an adjective agrees with a noun: *uprostřed [cesty] lemované stromy*."""
    readings = [one.feats for one in inflector("cs").analyses(adjective.form.lower()) if one.upos == "ADJ"]
    asked = ("Case", "Number", "Gender")
    return _agree(adjective, noun) or any(
        all(noun.feats.get(name, "?") in feats.get(name, "").split(",") for name in asked) for feats in readings
    )


def _agree(word: Word, noun: Word) -> bool:
    return all(word.feats.get(name) == noun.feats.get(name) for name in ("Case", "Number", "Gender"))


def _opens_part(source: Tree, made: Tree, gone: Collection[int]) -> bool:
    """*Déšť sílil – [podle lidí] bylo zle*: whether a verb or clitic comes right behind a dash or semicolon."""
    for before, word in zip(made.words, made.words[1:], strict=False):
        verbal = word.upos in ("VERB", "AUX") or word.form.lower() in lexicon.CLITICS
        if not verbal or source.words[source.places[word.id] - 1].id not in gone:
            continue
        if before.form in _DASHES or (before.form == "," and _is_joined_by_comma(made, word, before)):
            return True
    return False


def _is_joined_by_comma(made: Tree, verb: Word, comma: Word) -> bool:
    """*Pes spí, [opodál] stojí kůň*: whether nothing of a clause stands before the comma in front of its verb."""
    top = made[verb.head] if verb.relation in ("aux", "cop", "expl") and verb.head else verb
    early = made.words[: made.places[comma.id]]
    return not any(one.head == top.id and one.relation in ("advcl", "nsubj", "csubj", "obl", "obj") for one in early)


def _lost_what_is_said(tree: Tree, verb: Word, gone: Collection[int]) -> bool:
    """*Řekl včera, [kdy přišel, že…]*: whether the clause with what is said was read as a part of another."""
    lost = any(one.form.lower() == "že" and one.id in gone for one in tree.words[tree.places[verb.id] :])
    told = any(one.id not in gone for one in tree.children(verb.id, "ccomp", "obj", "csubj"))
    return lost and not told


def _opens_with_verb(source: Tree, made: Tree) -> bool:
    """*[Loni] klesl podle úřadu zájem*, *[proto] byla jeho tvář bledá*: whether a verb comes before its subject now."""
    spoken = [word for word in made.words if word.upos != "PUNCT"]
    began = next((word for word in source.words if word.upos != "PUNCT"), None)
    verb = spoken[0] if spoken else None
    if verb is None or began is None or verb.id == began.id or verb.upos not in ("VERB", "AUX"):
        return False
    top = made[verb.head] if verb.upos == "AUX" and verb.head else verb
    if top.relation == "amod":
        return True  # byla [bledá tvář], read as a phrase with a verb
    ends = (top, *made.children(top.id, "xcomp", "ccomp"))
    found = next((one for end in ends for one in made.children(end.id, "nsubj")), None)
    subject = found or (made.child(top.id, "obj") if top is verb else None)
    if subject is None:
        return verb.lemma == "lze"
    if subject.relation == "nsubj" and (verb.upos == "AUX" or subject.head != verb.id):
        return True
    start = min(made.places[one] for one in made.subtree(subject.id))
    between = made.words[made.places[verb.id] + 1 : start]
    return verb.lemma in lexicon.STANDING or any(
        word.form.lower() not in lexicon.CLITICS | lexicon.FOCUS for word in between
    )


def _ends_in_verb(source: Tree, made: Tree) -> bool:
    """*Sůl přidáváme [do vody]*: whether a verb comes last now, its object before it."""
    last = next((word for word in reversed(made.words) if word.upos != "PUNCT"), None)
    if last is None or last.upos != "VERB" or made.child(last.id, "obj") is None:
        return False
    return any(word.upos != "PUNCT" for word in source.words[source.places[last.id] + 1 :])


def _ends_in_particle(source: Tree, made: Tree) -> bool:
    """*Skončí prý [v zimě]*: whether a word that points to what followed it would come last."""
    last = next((word for word in reversed(made.words) if word.upos != "PUNCT"), None)
    if last is None or last.form.lower() not in lexicon.SCOPE_WORDS | lexicon.FOCUS:
        return False
    return any(word.upos != "PUNCT" for word in source.words[source.places[last.id] + 1 :])


def _is_too_short(made: Tree) -> bool:
    said = [
        word for word in made.words if word.upos not in ("PUNCT", "AUX") and word.form.lower() not in lexicon.CLITICS
    ]
    if len(said) > _SHORTEST or any(word.relation == "cop" for word in made.words):
        return False
    seen = any(word.lemma in lexicon.POSTURES | lexicon.VISIBLE_ACTS for word in said)
    return not seen or not any(word.relation == "nsubj" and word.upos in ("NOUN", "PROPN") for word in said)
