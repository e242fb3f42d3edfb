"""What in a Czech sentence does not fit once its main clause is denied."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.clitics import is_of_no_verb
from kostra.transforms.cs.edges import is_reflexive_misread
from kostra.transforms.cs.grammar import CZECH, auxiliary
from kostra.transforms.cs.scope import ancestors
from kostra.transforms.shared.looking import governor, no_preposition, numeral, subject
from kostra.trees import Tree, Word

_SAID_OF_SEVERAL = frozenset(
    {"bosi", "bosy", "bosa", "bosé", "samo", "sami", "samy", "sama", "nazí", "nahá", "nahé", "živi"}
)
"""Words that stand with the verb and agree with the subject."""


def says_how_much(tree: Tree, word: Word) -> bool:
    """Whether a word says how much somebody does something: *velmi se liší*; *není velmi dobrý* is said."""
    head = tree[word.head] if word.head else word
    if head.head and (head.upos == "ADV" or head.relation == "xcomp"):
        head = tree[head.head]  # volí velmi opatrně, může velmi pomoci
    main = head.id == tree.root.id or (head.relation == "conj" and head.head == tree.root.id)
    return main and head.upos == "VERB" and word.lemma.lower() in lexicon.INTENSIFIERS


def fits_no_denial(tree: Tree, word: Word) -> bool:
    """*Náhle usnul*, *mlčky přikývl*, *jaksi smutný*: whether nobody says a word so of what is not done."""
    head = tree[word.head] if word.head else word
    main = head.id == tree.root.id or (head.relation == "conj" and head.head == tree.root.id)
    if not main:
        return False
    if head.id == word.id:
        return _holds_in_a_way(
            tree, word
        )  # bylo to svým způsobem štěstí, where a parser takes the phrase for what it was
    if word.form.lower() in lexicon.SUDDEN or _holds_in_a_way(tree, word):
        return True
    early = tree.places[word.id] < tree.places[(auxiliary(tree, head.id) or head).id]
    return early and word.upos == "ADV" and tells_how(word)


def tells_how(adverb: Word) -> bool:
    """Whether an adverb says in which way: *tiše*, *opatrně*, *mlčky*, not *dole* or *zřejmě*."""
    form = adverb.form.lower()
    if form in lexicon.OUTSIDE | lexicon.WHERE | lexicon.TIMES or form.endswith("krát"):
        return False
    return form.endswith(("ě", "e", "ky", "mo")) or form in ("potichu", "nahlas", "pomalu", "přímo", "snadno", "vesele")


def _holds_in_a_way(tree: Tree, phrase: Word) -> bool:
    """*Svým způsobem*, *do jisté míry*, *v jistém smyslu*: whether a phrase takes something back."""
    beside = {one.lemma for one in tree.children(phrase.id)}
    vague = beside & {"jistý", "určitý", "značný", "velký", "svůj", "některý", "nějaký", "zvýšený"}
    if phrase.lemma in ("míra", "smysl", "způsob", "ohled", "druh"):
        return bool(vague)
    return phrase.lemma in ("podstata", "zásada") and beside <= {"v"}


def points_to_denied(tree: Tree, word: Word) -> bool:
    """*A vedle něj stojí žena*: whether a joined predicate has a place beside somebody of whom the first is denied."""
    third = word.upos == "PRON" and word.feats.get("PronType") == "Prs" and word.feats.get("Person") == "3"
    joined = tree[word.head] if word.head else word
    within = joined.relation == "conj" and joined.head == tree.root.id
    if any(tree.places[one.id] < tree.places[tree.root.id] for one in tree.children(tree.root.id, "nsubj")):
        return False  # somebody who is there, whatever he does not do
    return third and within and tree.child(word.id, "case") is not None and word.feats.get("Reflex") != "Yes"


def is_amid(tree: Tree) -> bool:
    """*Řekl to soused na schůzi*: whether more than clauses follows a subject that stands behind its verb."""
    who = subject(tree, tree.root.id)
    if who is None or tree.places[who.id] < tree.places[tree.root.id]:
        return False
    end = max(tree.places[one] for one in tree.subtree(who.id))
    rest = [one for one in tree.words[end + 1 :] if one.upos != "PUNCT"]
    return bool(rest) and tree.words[end + 1].form != ","


def is_quoted(tree: Tree, word: Word) -> bool:
    """*Dodala: „Je pozdě.“*: whether what is said word for word, or told in full, stands behind a colon."""
    at = tree.places[word.id]
    follows = tree.words[at + 1 : at + 2]
    return word.form == ":" and at > tree.places[tree.root.id] and any(not one.form.isdecimal() for one in follows)


def is_likened(tree: Tree, word: Word) -> bool:
    """*Stejně jako otec*, *než aby čekal*: of what is set beside what is done, a denial says something else."""
    at = tree.places[word.id]
    pair = tuple(one.form.lower() for one in tree.words[at : at + 2])
    wished = pair[0] in ("než", "místo", "namísto") and any(
        one.form.lower().startswith("aby") for one in tree.words[at + 1 : at + 4]
    )
    alike = pair in (("stejně", "jako"), ("podobně", "jako"), ("tak", "jako"), ("spíše", "než"), ("spíš", "než"))
    return wished or alike


def counts_part(tree: Tree, word: Word) -> bool:
    """*A deset z nich zpívalo*: whether a part of those who were spoken of is counted."""
    before = tree.words[tree.places[word.id] - 1] if tree.places[word.id] else word
    if word.form.lower() not in ("nich", "nás", "vás") or before.form.lower() != "z":
        return False
    return not any(one.relation in ("ccomp", "acl", "advcl") for one in ancestors(tree, word))


def has_two_objects(tree: Tree, verb: Word) -> bool:
    """*Zdálky ho sleduje zbytek týmu*: an object before a verb, and behind it what is rather its subject."""
    if verb.id != tree.root.id and (verb.relation != "conj" or verb.head != tree.root.id):
        return False
    things = [one for one in tree.children(verb.id, "obj", "nsubj") if no_preposition(tree, one)]
    early = [one for one in things if tree.places[one.id] < tree.places[verb.id] and one.relation == "obj"]
    late = [one for one in things if tree.places[one.id] > tree.places[verb.id] and one.upos != "PRON"]
    return bool(early) and any(_ends_clause(tree, one) for one in late)


def _ends_clause(tree: Tree, word: Word) -> bool:
    end = max(tree.places[one] for one in tree.subtree(word.id))
    following = tree.words[end + 1 : end + 2]
    return not following or following[0].upos in ("PUNCT", "CCONJ")


def points_back_to_cause(tree: Tree, word: Word) -> bool:
    """*A kvůli tomu zaspal*: whether what is joined follows from what comes before it."""
    place = tree.places[word.id]
    before = tree.words[place - 1] if place else None
    if word.lemma != "ten" or before is None or not any(one.upos == "CCONJ" for one in tree.words[:place]):
        return False
    return before.form.lower() in ("kvůli", "díky", "důsledku", "následkem", "základě", "zásluhou", "vinou")


def is_contrasted(tree: Tree, word: Word) -> bool:
    """*Zaplatit jsem musel já*: a pronoun behind its verb says who did it, not that it was done."""
    late = word.relation == "nsubj" and word.head == tree.root.id and tree.places[word.id] > tree.places[word.head]
    return late and word.upos == "PRON" and word.feats.get("PronType") == "Prs"


def is_astray(tree: Tree, word: Word) -> bool:
    """Whether a joined verb hangs on a noun, where negation does not reach it, or the main one is of another clause."""
    early = tree.places[word.id] < tree.places[tree.root.id]
    if is_of_no_verb(tree, word) or (early and is_reflexive_misread(tree, word)):
        return True
    modifies = word.relation in ("amod", "nmod") and CZECH.is_finite(tree, word)
    main = word.id == tree.root.id and tree.child(word.id, "mark") is not None
    if word.id == tree.words[0].id == tree.root.id and word.feats.agrees(Person="2", Tense="Pres"):
        return True  # myslete na to: perhaps a request
    if word.relation == "conj" and word.upos == "NOUN" and tree.child(word.id, "obj") is not None:
        return True  # tahá síť a háže ryby: a verb misread
    if _is_of_lost_verb(tree, word):
        return True
    if word.relation == "conj" and word.upos == "ADJ" and tree[word.head].upos == "VERB":
        return tree.child(word.id, "cop", "aux") is None  # stojí a chytá ryby
    return main or (modifies and tree.child(word.id, "cc") is not None)


def _is_of_lost_verb(tree: Tree, word: Word) -> bool:
    """*Žlutá znamená dost a modrá nulový zisk*, *stárnou, a hynou žalem*: whether half a clause was read as a noun."""
    place = tree.places[word.id]
    before = tree.words[place - 1] if place else word
    above = tree[word.head] if word.head else word
    if word.relation == "conj" and word.upos == "NOUN" and above.id == tree.root.id and above.upos == "VERB":
        start = min(tree.places[one] for one in tree.subtree(word.id) if tree[one].upos not in ("PUNCT", "CCONJ"))
        return [one.form for one in tree.words[max(0, start - 2) : start]] == [",", "a"]
    nominative = word.relation == "amod" and word.feats.get("Case") == "Nom" and before.upos == "CCONJ"
    return nominative and above.feats.get("Case", "Nom") != "Nom"


def opens_with_condition(tree: Tree) -> bool:
    """*Pokud pršet bude, zůstaneme doma*: a parser may take the first verb for the main one."""
    commas = [place for place, one in enumerate(tree.words) if one.form == ","]
    asks = tree.words[0].lemma.lower() in ("jaký", "kolik", "proč", "co")  # jaká je cena, nevím
    if asks and not any(place < tree.places[tree.root.id] for place in commas):
        return True
    opens = tree.words[0].form.lower() in lexicon.SUBORDINATORS
    return opens and bool(commas) and tree.places[tree.root.id] < commas[0]


def vague_quantity(tree: Tree) -> Word | None:
    """What says of a subject that it is some of many: that a few people do not sleep leaves open whether others do."""
    who = subject(tree, tree.root.id) or counted_before(tree)
    if who is None:
        return None
    counted = numeral(tree, who.id)
    late = tree.places[who.id] > tree.places[tree.root.id]
    others = any(subject(tree, one.id) is not None for one in tree.children(tree.root.id, "conj", "parataxis"))
    if counted is not None and (late or others):
        return counted  # zraněno bylo pět lidí, deset zůstalo doma
    beside = (who, *tree.children(who.id, "det", "nummod", "advmod", "amod"))
    return next((one for one in beside if one.lemma.lower() in lexicon.VAGUE_QUANTITIES), None)


def counted_before(tree: Tree) -> Word | None:
    """*Pár lidí odešlo*: a counted noun before the verb, which a parser did not take for the subject."""
    counted = [one for one in tree.children(tree.root.id, "obl", "obj") if governor(tree, one.id) is not None]
    early = [one for one in counted if tree.places[one.id] < tree.places[tree.root.id] and no_preposition(tree, one)]
    return early[0] if early else None


def names_what_was_meant(tree: Tree, word: Word) -> bool:
    """*Důvody jsou jasné, nouze a hlad*: whether a noun behind a comma tells what a predicate speaks of."""
    behind = word.head == tree.root.id and tree.places[word.id] > tree.places[tree.root.id] and word.upos == "NOUN"
    added = word.relation in ("conj", "appos", "parataxis", "dep") and tree.root.upos in ("ADJ", "VERB")
    if not behind or not added:
        return False
    start = min(tree.places[one] for one in tree.subtree(word.id))
    bare = word.feats.get("Case") == "Nom" and tree.child(word.id, "cop", "aux", "nsubj") is None
    return bare and any(one.form in (",", ":", "-") for one in tree.words[start - 1 : start + 1])


def describes_several(tree: Tree, word: Word, who: Word) -> bool:
    """*Děti běhají bosy*: whether a word beside the verb agrees with a subject that is not one man."""
    if word.id in tree.subtree(who.id):
        return False
    named = word.form.lower() in _SAID_OF_SEVERAL
    beside = word.head == who.head and word.upos == "ADJ" and word.feats.get("Case") == "Nom"
    one_man = word.feats.agrees(Number="Sing", Gender="Masc")
    return named or (beside and not one_man and word.relation in ("advmod", "xcomp", "obl", "dep", "advcl", "amod"))
