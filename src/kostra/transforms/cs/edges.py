"""What stands at the edges of a phrase that would go, and what its going leaves behind."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.finishing import vocalised
from kostra.transforms.cs.grammar import CZECH
from kostra.transforms.inflection import inflector
from kostra.transforms.shared.looking import is_participle
from kostra.trees import Tree, Word

_CLAUSAL = ("acl", "advcl", "appos")
_TELLING = frozenset({"že", "aby", "zda", "kde", "kdy", "kam", "kdo", "což", "jak", "abychom", "abyste"})
"""Words that open a clause which tells what a noun before it is."""
_OPEN = ("CCONJ", "SCONJ", "ADP")
_ASIDES = (lexicon.SCOPE_WORDS | lexicon.FOCUS) - lexicon.CONTRASTS
_BARE_PHRASE = ("ADP", "NOUN")
_POINTED = frozenset({"až", "teprve", "ani", "právě", "zrovna", "především", "hlavně", "zejména", "výhradně"})
_SO = frozenset({"tak", "tolik", "stejně", "natolik", "takový"})
_TURNED = frozenset({"vzhůru", "dolů", "nahoru", "dopředu", "dozadu", "napřed", "doleva", "doprava"})
"""Adverbs beside an instrumental or another adverb: *dnem vzhůru*, *zprava doleva*."""
_DENIALS = frozenset({"ne", "ani", "nikoli", "nikoliv", "nikdy"})
_NEVER_FIRST = frozenset(
    {"tedy", "však", "ovšem", "totiž", "prý", "jej", "je", "ale", "tak", "přitom", "přece", "též"}
    | {"nás", "vás", "nám", "vám", "mě", "tě", "ho", "mu", "ji", "jí", "jim", "jich"}
)
"""Words that lean on something before them; *je* as a pronoun."""


def is_broken_off(word: Word, inside: list[Word]) -> bool:
    """Whether a phrase ends in what should join it to something, or holds half a clause: *[poté co] přišla*."""
    words = [one for one in inside if one.upos != "PUNCT"]
    if not words or words[-1].upos in _OPEN:
        return True
    if [one.form.lower() for one in words[:2]] in (["za", "prvé"], ["za", "druhé"], ["za", "třetí"]):
        return True  # za druhé [lidé]
    clauses = any(one.relation in ("acl", "advcl", "ccomp", "csubj") for one in words)
    if word.relation not in _CLAUSAL and not clauses and any(one.upos == "SCONJ" for one in words):
        return True
    return any(one.form.lower() in _DENIALS | lexicon.HALVES for one in words if one.upos not in ("NOUN", "VERB"))


def is_mixed(tree: Tree, word: Word) -> bool:
    """Whether something of another kind is joined with an adjective or noun: a list that a parser cut wrongly."""
    return word.relation in ("amod", "nmod", "obl", "advmod", "appos") and any(
        one.upos != word.upos and {one.upos, word.upos} not in ({"NOUN", "PROPN"}, {"ADJ", "DET"})
        for one in tree.children(word.id, "conj")
    )


def follows_focus(tree: Tree, word: Word, inside: list[Word]) -> bool:
    """Whether a particle right before a phrase points to it: *hlavně [v zimě]*."""
    first = tree.places[inside[0].id]
    if not first or word.relation in ("det", "nummod"):
        return False
    if inside[0].form.lower() in _POINTED and word.relation in ("obl", "advmod", "nmod") and len(inside) > 1:
        return True
    if word.relation in ("advmod", "amod") and any(one.form.lower() in _SO for one in inside):
        return True  # [tak rychle] jako
    if word.relation == "amod" and not any(one.form.lower() in lexicon.FOCUS for one in inside):
        return False  # hlavně [velké] stromy: what it points to stays
    near = [tree.words[first - 1], *(inside if word.relation == "amod" else ())]
    return any(one.form.lower() in lexicon.FOCUS and one.upos != "ADP" for one in near)


def is_in_focus(tree: Tree, word: Word, head: Word) -> bool:
    """*Jen na [rovnou] cestu*: whether a particle points to the phrase that a word is a part of."""
    if word.relation not in ("amod", "nmod"):
        return False
    first = min(tree.places[one] for one in tree.subtree(head.id))
    near = tree.words[max(0, first - 1) : first + 1]
    return any(one.form.lower() in lexicon.FOCUS and one.upos not in ("ADP", "NOUN") for one in near)


def is_all_between_commas(tree: Tree, word: Word, head: Word) -> bool:
    """*Deset lidí, většinou [starých] mužů, …*: whether a word tells what an apposition is there to tell."""
    if word.relation not in ("amod", "nmod"):
        return False
    inside = [tree.places[one] for one in tree.subtree(head.id) if tree[one].form != ","]
    first, last = min(inside), max(inside)
    around = tree.words[max(0, first - 1) : first] + tree.words[last + 1 : last + 2]
    return head.relation == "appos" or (bool(first) and [one.form for one in around] == [",", ","])


def follows_late_adjective(tree: Tree, inside: list[Word]) -> bool:
    """*Muže podezřelé [z krádeže]*: whether a phrase is why an adjective right before it stands behind its noun."""
    place = tree.places[inside[0].id]
    before = tree.words[place - 1] if place else inside[0]
    joined = before.relation == "amod" or (before.relation == "acl" and before.deprel != "acl:relcl")
    return joined and before.upos != "VERB" and tree.places[before.head] < tree.places[before.id]


def is_all_of_half(tree: Tree, word: Word, head: Word, inside: list[Word]) -> bool:
    """*Upadli tři lidé, jeden z nich [těžce]*: whether a phrase stands in half a clause, whose verb is said before."""
    places = sorted((tree.places[word.id], tree.places[head.id]))
    if word.relation not in ("advmod", "obl") or "," not in {one.form for one in tree.words[places[0] : places[1]]}:
        return False
    first, last = tree.places[inside[0].id], tree.places[inside[-1].id]
    while first and tree.words[first - 1].upos != "PUNCT":
        first -= 1
    while last + 1 < len(tree.words) and tree.words[last + 1].upos != "PUNCT":
        last += 1
    return len(inside) < last + 1 - first and not any(
        one.upos in ("VERB", "AUX") for one in tree.words[first : last + 1]
    )


def is_reflexive_misread(tree: Tree, word: Word) -> bool:
    """*Myje se vodou*: a *se* that is no preposition, as none would have its vowel there."""
    for one in tree.children(word.id, "case"):
        following = tree.words[tree.places[one.id] + 1 :][:1]
        if one.form.lower() == "se" and following and vocalised("s", following[0].form.lower()) != "se":
            return True
    return False


def is_part_of_more(tree: Tree, word: Word, head: Word, inside: list[Word]) -> bool:
    """Whether a word belongs more closely to a neighbour than a parser says, or has its like beside it."""
    first = tree.places[inside[0].id]
    before = tree.words[first - 1] if first else None
    if word.relation == "advmod":
        more = before is not None and before.upos == "ADV" and before.relation == "advmod"
        more = more or any(one.form.lower() in _TURNED for one in tree.words[tree.places[word.id] + 1 :][:1])
        if word.form.lower() in _TURNED and before is not None and before.feats.get("Case") == "Ins":
            return True  # položený dnem [vzhůru]
        return more or head.upos in ("NOUN", "PROPN", "NUM", "PRON", "DET", "X")  # neobvykle [hlasitě]; [anglicky] cat
    if word.relation == "amod":
        joined = [
            *tree.children(head.id, "conj"),
            *([tree[head.head]] if head.relation == "conj" and head.head else []),
        ]
        like = any(one.lemma == word.lemma for noun in joined for one in tree.children(noun.id, "amod"))
        like = like or any(one.upos == "ADP" and one.head == word.id for one in inside)  # o [sladká], kyselá jablka
        early = before is not None and before.upos == "NOUN" and tree.places[word.id] < tree.places[head.id]
        if _parts_kinds(tree, head) or (early and word.lemma.endswith("cí") and is_participle(word)):
            return True  # ženy [hlasitě zpívající] písně, which may be its object
        return like or word.feats.get("Poss") == "Yes"  # [nové] stoly a nové židle; [Petrova] sestra
    if word.relation == "acl":
        noun = next((one for one in reversed(tree.words[:first]) if one.form != ","), None)
        vague = noun is not None and noun.lemma in CZECH.needs_genitive and tree.child(noun.id, "amod", "det") is None
        return vague and noun is not None and tree.child(noun.id, "nmod") is None  # v oblasti, [kde…]
    if word.upos == "PROPN" and any(one.upos == "NOUN" for one in tree.children(word.id, "nmod")):
        return True  # rybáři z Brna [starého kapra], an object misread
    if word.lemma in lexicon.BODY and first > 1 and "s" in {one.lemma for one in tree.words[max(0, first - 3) : first]}:
        return True  # vedle muže s míčem [v ruce]
    above = tree[head.head] if head.head else head
    placed = word.relation == "nmod" and above.lemma in lexicon.NEEDS_PLACE and tree.child(above.id, "obl") is None
    return placed and tree.child(word.id, "case") is not None and head.relation == "obj"  # strká ruku [do kapsy]


def _parts_kinds(tree: Tree, noun: Word) -> bool:
    """*[Dechové] nástroje a bicí*: whether an adjective may part a kind from what a second noun without one names."""
    joined = tree.children(noun.id, "conj")
    return (
        not CZECH.is_animate(tree, noun.id)
        and len(joined) == 1
        and any(
            one.upos in ("NOUN", "ADJ", "PROPN") and tree.child(one.id, "amod", "det", "nummod", "case") is None
            for one in joined
        )
    )


def is_with_another(tree: Tree, word: Word, head: Word, inside: list[Word]) -> bool:
    """*Je ve sporu [se sousedem]*, *jde [o peníze]*: whether a noun right before a phrase, or its verb, needs it."""
    cases = {one.lemma for one in tree.children(word.id, "case")}
    if "o" in cases and head.lemma in ("jít", "jednat", "běžet", "jde"):
        return True
    above = tree[head.head].lemma if head.head and word.relation == "nmod" else head.lemma
    if "s" in cases and above in lexicon.MEETING:
        return True  # loď se srazila [s vorem]
    first = tree.places[inside[0].id]
    before = tree.words[first - 1].lemma if first else ""
    return bool(cases & {"s", "mezi"}) and (before in lexicon.WITH_ANOTHER or head.lemma in lexicon.WITH_ANOTHER)


def is_listed(tree: Tree, word: Word, inside: list[Word]) -> bool:
    """Whether a phrase stands between commas among others like it, as in a list that a parser cut wrongly."""
    words = [one for one in inside if one.form != ","] or inside
    first, last = tree.places[words[0].id], tree.places[words[-1].id]
    around = tree.words[max(0, first - 1) : first] + tree.words[last + 1 : last + 2]
    if word.relation in ("acl", "advcl") or len(around) < 2 or any(one.form != "," for one in around):
        return False
    before, after = tree.words[first - 2 : first - 1], tree.words[last + 2 : last + 3]
    kinds = [one.upos for one in (*before, words[-1], *after)]
    return len(kinds) == 3 and kinds[0] == kinds[1] and kinds[2] in (kinds[0], "ADJ", "ADP")


def is_told_more(tree: Tree, word: Word, inside: list[Word]) -> bool:
    """Whether a clause or the same again follows a phrase behind a comma, and would be left: *ke psu, ke zvířeti*."""
    last = tree.places[inside[-1].id]
    following = tree.words[last + 1 : last + 4]
    if word.relation in (*_CLAUSAL, "amod", "det") or len(following) < 3 or following[0].form != ",":
        return False
    cases = {one.lemma for one in tree.children(word.id, "case")}
    if following[1].upos == "ADP" and following[1].lemma in cases:
        return True
    noun = inside[-1].upos in ("NOUN", "PROPN")
    return noun and any(
        one.lemma in ("který", "jenž", "jehož", "jejíž") or one.form.lower() in _TELLING for one in following[1:]
    )


def leaves_rest(tree: Tree, word: Word, inside: list[Word]) -> bool:
    """Whether what follows was a part of what would go: a genitive behind a noun, a noun behind a clause's comma."""
    last = tree.places[inside[-1].id]
    following = tree.words[last + 1 : last + 3]
    if not following:
        return False
    behind = next((one for one in following if one.form != ","), None)
    closed = any(one.relation == "acl" for one in inside) and "," in (following[0].form, inside[-1].form)
    if closed and behind is not None and behind.form.lower() in _ASIDES:
        return True  # který zmizel, [prý v lese]
    if word.relation in ("obl", "nmod") and inside[-1].upos == "NOUN":
        return _belongs(tree, word, inside, following[0])
    if word.relation not in _CLAUSAL or inside[-1].form == "," or len(following) < 2 or following[0].form != ",":
        return False
    if inside[-1].upos == "ADJ" or inside[-1].lemma.endswith(("ý", "í")):
        return following[1].upos in ("NOUN", "ADJ")  # která kreslí tenké, dlouhé čáry
    return following[1].upos in ("NOUN", "ADJ", "PROPN") and following[1].feats.get("Case") not in ("Nom", None)


def _belongs(tree: Tree, word: Word, inside: list[Word], following: Word) -> bool:
    """Whether a word behind a phrase may be its own: *vedle mužů [v sakách]*, *v kostýmu [čerta]*, *v praní [námi]*."""
    if following.upos == "ADP" and inside[-1].lemma in CZECH.needs_genitive and len(inside) <= len(_BARE_PHRASE):
        return True  # na situaci [v kraji]
    if following.upos == "ADP":
        held = following.head in tree and tree[following.head].lemma in lexicon.BODY  # s míčem [v ruce]
        return held or (following.lemma in ("v", "s", "bez") and CZECH.is_animate(tree, inside[-1].id))
    if following.form.lower() in _TURNED and inside[-1].feats.get("Case") == "Ins":
        return True  # s hrncem postaveným dnem [vzhůru]
    if following.upos not in ("NOUN", "ADJ", "PROPN", "DET"):
        return False
    case = following.feats.get("Case")
    if following.upos == "NOUN" and inside[-1].lemma in CZECH.needs_genitive and case in ("Gen", "Nom"):
        return following.lemma.endswith(("ní", "tí")) or case == "Gen"  # v procesu [učení]
    action = any(one.lemma.endswith(("ní", "tí")) for one in inside)
    needed = following.relation in ("nsubj", "obj", "iobj", "root") and tree.places[word.head] > tree.places[word.id]
    bare = following.upos in ("NOUN", "PROPN") and not needed
    return case == "Gen" or bare or (action and case == "Ins")


def is_second_end(tree: Tree, word: Word, inside: list[Word]) -> bool:
    """*Od kuchařů [po číšníky]*: whether a phrase is the far end of what one right before it begins."""
    ends = any(one.lemma in ("po", "do", "k", "až") for one in tree.children(word.id, "case"))
    first = tree.places[inside[0].id]
    return ends and any(one.upos == "ADP" and one.lemma == "od" for one in tree.words[max(0, first - 4) : first])


def holds_subject(tree: Tree, word: Word, head: Word, inside: list[Word]) -> bool:
    """*V lese zvěř žila*: whether a noun at the end of a phrase before a verb without a subject may be just that."""
    last = inside[-1]
    if word.relation != "obl" or last.id == word.id or tree.child(head.id, "nsubj", "csubj") is not None:
        return False
    if last.upos != "NOUN" or tree.child(last.id, "case") or tree.places[head.id] < tree.places[last.id]:
        return False
    readings = inflector("cs").analyses(last.form.lower())
    return any(one.upos == "NOUN" and one.feats.get("Case") == "Nom" for one in readings)


def goes_on_list(tree: Tree, word: Word, inside: list[Word]) -> bool:
    """Whether a phrase behind a comma goes on a list of phrases with its preposition: *v píli, [v píli] a vůli*."""
    first = tree.places[inside[0].id]
    cases = tree.children(word.id, "case")
    if word.relation != "obl" or not cases or not first or "," not in (inside[0].form, tree.words[first - 1].form):
        return False
    return any(one.upos == "ADP" and one.lemma == cases[0].lemma for one in tree.words[:first])


def own_commas(tree: Tree, word: Word, around: frozenset[int]) -> frozenset[int]:
    """A phrase that is no clause takes commas with it only if it stands between two, an adjective in a row of them."""
    places = [tree.places[one] for one in around if tree[one].form != ","]
    commas = [one for one in around if not min(places) < tree.places[one] < max(places) and tree[one].form == ","]
    if word.relation in _CLAUSAL or not commas:
        return around
    if word.relation == "amod":
        place = tree.places[commas[0]]
        beside = tree.words[place - 1] if place else word
        taken = len(commas) == 1 and beside.relation == "amod" and beside.head == word.head
    else:
        taken = len(commas) == 2
    return around if taken else around - set(commas)


def is_in_aside(tree: Tree, inside: list[Word]) -> bool:
    """*Dva muži, vidění zezadu, [kteří nesou bednu], jdou*: whether the comma behind a clause closes more than it."""
    words = [one for one in inside if one.form != ","] or inside
    first, last = tree.places[words[0].id], tree.places[words[-1].id]
    around = [one.form for one in (*tree.words[max(0, first - 1) : first], *tree.words[last + 1 : last + 2])]
    opens = next((place for place in range(first - 2, 0, -1) if tree.words[place].form == ","), 0)
    between = tree.words[opens + 1 : first - 1]
    if around != [",", ","] or not opens or any(one.upos in ("VERB", "AUX", "CCONJ", "SCONJ") for one in between):
        return False
    row = between[0].relation == "amod" and tree.places[between[0].head] > opens  # vysoký, štíhlý muž
    return not row and not any(one.upos in ("VERB", "AUX") for one in tree.words[:opens])


def left_behind(source: Tree, made: Tree) -> str | None:
    """What an edit left at the edge of a gap that cannot stand there, or None."""
    first = next((word for word in made.words if word.upos != "PUNCT"), None)
    began = next((word for word in source.words if word.upos != "PUNCT"), None)
    if first is None or began is None:
        return "nothing is left"
    leans = first.form.lower() in _NEVER_FIRST and (first.form.lower() not in ("je", "jí") or first.upos == "PRON")
    if leans and first.id != began.id:
        return f"{first.form} cannot begin a sentence"
    said = [word for word in made.words if word.upos != "PUNCT" and word.form.lower() not in lexicon.CLITICS]
    if len(said) == 1:
        return f"{said[0].form} says too little alone"
    for place, word in enumerate(made.words[:-1]):
        if word.form == "," and place and _is_stray(source, made, place):
            return "a comma is left where none belongs"
    return None


def _is_stray(source: Tree, made: Tree, place: int) -> bool:
    """Whether a comma beside a gap follows a conjunction, or parts a verb from its clause."""
    before, comma, after = made.words[place - 1 : place + 2]
    was = source.places[comma.id]
    beside = source.words[was - 1 : was] + source.words[was + 1 : was + 2]
    if {before.id, after.id} == {one.id for one in beside}:
        return False  # as it was
    if after.form.lower() in ("však", "tedy", "totiž", "prý"):
        return True
    if before.upos == "CCONJ" or before.form.lower() in lexicon.CLAUSE_OPENERS:
        return True
    if before.upos == "ADJ" and after.upos in ("NOUN", "DET", "PRON") and after.lemma not in CZECH.relatives:
        return True  # half a row of adjectives
    clause = made.words[:place]
    if after.upos not in ("VERB", "AUX") and after.form.lower() not in ("se", "si"):
        return False
    return not any(one.upos in ("VERB", "AUX") for one in clause)
