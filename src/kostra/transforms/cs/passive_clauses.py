"""Which Czech clauses are so plain that their passive is sure to be good."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.grammar import CZECH, form_in_case, is_bare, is_no_object, may_agree
from kostra.transforms.edits import part
from kostra.transforms.inflection import Inflector, compatible
from kostra.transforms.shared.looking import GOVERNING, governor, is_in_relative, is_participle, no_preposition
from kostra.transforms.shared.passivisation import Clause
from kostra.trees import Tree, Word

LONGEST_AGENT = 6
"""Words of the longest agent, which closes the clause."""
LONGEST_OBJECT = 10
"""Words of the longest object, which opens it."""
LONGEST_TIME = 4
"""Words of the longest phrase that stands before the participle: *do třiceti dnů*."""
_LEANING = frozenset({"než", "jako", "jakožto", "sám", "sama", "samo", "sami", "samy", "nejprve", "postupně"})
"""Words that liken, or say how the subject is when it acts."""
_HARMLESS = frozenset({"již", "už", "také", "též", "rovněž"})
"""Particles that may stand before a participle as before a verb."""
_AGAIN = frozenset({"znovu", "opět", "konečně", "nakonec", "často", "brzy", "brzo", "rychle"})
"""Adverbs that may stand there as well."""
_BOUND = frozenset({"pro", "proti", "přes", "s", "se"})
"""Prepositions of phrases that stay with a thing, whatever is done to it: *most přes řeku*."""
_POINTING = frozenset({"svůj", "vlastní", "jeho", "její", "jejich"})
"""What in an object points to somebody, who may be the subject or stand in it: *básníkova dcera … jeho dopisy*."""
_OF_ONES_LIFE = frozenset({"kariéra", "život", "dráha", "studium", "manželství", "dětství", "mládí", "účast"})
"""What everybody has of their own."""
_CHANGES = frozenset(
    {"zvýšit", "zvyšovat", "snížit", "snižovat", "navýšit", "zkrátit", "prodloužit", "rozšířit", "zvětšit"}
)
"""Verbs that say by how much: the phrase is theirs, and parsers hang it on the object."""


def obstacle(tree: Tree, verb: Word, subject: Word, thing: Word) -> str | None:
    """Why a clause is not plain: a subject, a verb, an object, what stands in front of them, and when.

    All else would have to stand behind the participle, where it parts it from its agent (*odpálen za čáru tenistkou*),
    or may be the object's own (*stoly v jídelně*).
    """
    for one in tree.descendants(verb.id):
        form = one.form.lower()
        if one.upos == "PUNCT" and form not in (",", "."):
            return "quotation marks, dashes or a question would stand elsewhere"
        if form in _LEANING or (form in lexicon.FOCUS and form not in _HARMLESS):
            return f"{one.form} points to what stands beside it"
    own = [one for one in tree.children(verb.id) if one.relation not in ("punct", "cc", "conj", "expl")]
    for one in own:
        if one.id not in (subject.id, thing.id) and not _has_place(tree, verb, subject, thing, one):
            return f"{one.form} would part the participle from its agent, or may belong to {thing.form}"
    if _says_how_much(tree, verb):
        return f"by how much {verb.form} says would stand before who does it"
    if all(tree.places[one.id] >= tree.places[verb.id] for one in own):
        return f"{verb.form} opens its clause"
    return _heavy(tree, subject, thing) or _kept_object(tree, thing) or _unsure_subject(tree, subject)


def _has_place(tree: Tree, verb: Word, subject: Word, thing: Word, one: Word) -> bool:
    """Whether a part of a clause stands in front of all the rest, or can stand before the participle."""
    inside = tree.subtree(one.id)
    places = tree.places
    if any(tree[inner].upos in ("VERB", "AUX", "SCONJ") or tree[inner].form == "," for inner in inside):
        return False
    first = min(places[inner] for inner in tree.subtree(subject.id) | tree.subtree(thing.id) | {verb.id})
    if max(places[inner] for inner in inside) < first:
        plain = not (no_preposition(tree, one) or _is_of_doer(tree, one))
        return one.relation in ("obl", "advmod") and (one.upos == "ADV" or _is_time(one) or plain)
    told = one.relation == "obl" and is_circumstance(tree, one) and not _is_of_doer(tree, one)
    return len(inside) <= LONGEST_TIME and (_is_adverb(tree, one) or told)


def _is_of_doer(tree: Tree, phrase: Word) -> bool:
    """*Po návratu z ciziny*: whether a phrase may tell what the subject did, so that no other may stand beside it."""
    cases = {case.lemma for case in tree.children(phrase.id, "case")}
    return bool(cases & {"po", "při", "před", "bez", "během"}) and not _is_time(phrase)


def _is_time(word: Word) -> bool:
    return word.lemma.lower() in lexicon.TIMES


def is_circumstance(tree: Tree, phrase: Word) -> bool:
    """Whether a phrase says when, or why: it is of the verb, whatever stands beside it."""
    cases = {case.form.lower() for case in tree.children(phrase.id, "case")}
    return _is_time(phrase) or bool(cases & lexicon.CIRCUMSTANCES - {"po", "vedle"})


def _says_how_much(tree: Tree, verb: Word) -> bool:
    """*Zvýší o třetinu*: whether a verb of change has the phrase that its sentence is about."""
    measured = [one for one in tree.descendants(verb.id) if one.lemma == "o" and one.upos == "ADP"]
    return verb.lemma in _CHANGES and bool(measured)


def _is_adverb(tree: Tree, word: Word) -> bool:
    """Whether a word alone says when, again, or how."""
    form = word.form.lower()
    if word.upos not in ("ADV", "PART") or tree.children(word.id) or form in lexicon.WHERE:
        return False
    return _is_time(word) or form in _HARMLESS | _AGAIN or form.endswith(("ě", "le", "ce"))


def _heavy(tree: Tree, subject: Word, thing: Word) -> str | None:
    """Why subject or object are too heavy to change places, or hold what may not be theirs."""
    inside = tree.descendants(subject.id)
    if len(inside) >= LONGEST_AGENT or any(one.deprel == "acl:relcl" or one.form == "," for one in inside):
        return f"{subject.form} is too heavy to close the clause"
    if len(tree.subtree(thing.id)) > LONGEST_OBJECT:
        return f"{thing.form} is too heavy to open the clause"
    for one in tree.children(thing.id):
        cases = {case.form.lower() for case in tree.children(one.id, "case")}
        bound = cases <= _BOUND and not CZECH.is_animate(tree, thing.id) and one.lemma not in lexicon.TIMES
        if one.relation in ("nmod", "obl") and cases and cases != {"o"} and not bound:
            return f"{one.form} may belong to {thing.form} or to the verb"
    for one in inside:
        cases = {case.form.lower() for case in tree.children(one.id, "case")}
        if cases & (lexicon.CIRCUMSTANCES | {"při", "přes", "na", "z", "ze", "do", "od"}):
            return f"{one.form} may belong to {subject.form} or to the verb"
    return None


def _unsure_subject(tree: Tree, subject: Word) -> str | None:
    """Why a parser may have taken too much or too little for the subject."""
    if _is_loaded(tree, subject):
        return f"more than one phrase may stand with {subject.form}"
    if _may_share_participle(tree, subject):
        return f"a participle may be said of all that are joined with {subject.form}"
    if subject.lemma in lexicon.TIMES or _has_loose_verb(tree, subject):
        return f"{subject.form} says how long, or a clause hangs on it"
    return None


def _kept_object(tree: Tree, thing: Word) -> str | None:
    """Why an object stays one: a part of the body, which is the subject's own, or a means that hangs on it."""
    if thing.lemma in lexicon.TIMES or _has_loose_verb(tree, thing):
        return f"{thing.form} says how long, or a clause hangs on it"
    inside = tree.descendants(thing.id)
    if any(one.lemma in _POINTING for one in inside):
        return f"whose {thing.form} it is would stand behind it"
    nouns = [one for one in inside if one.upos in ("NOUN", "PROPN", "PRON")]
    if thing.lemma in _OF_ONES_LIFE and not tree.child(thing.id, "nmod", "amod", "det"):
        return f"{thing.form} is the subject's own"
    getter = next((one for one in nouns if is_bare(tree, one, "Dat")), None)
    if getter is not None:
        return f"{getter.form} may belong to the verb"  # zkrátí cestu cyklistům
    owner = any(is_bare(tree, one, "Gen") for one in tree.children(thing.id, "nmod"))
    owner = owner or any("Poss" in one.feats and one.lemma != "svůj" for one in tree.children(thing.id, "det", "amod"))
    if thing.lemma in lexicon.BODY and not owner:
        return f"{thing.form} may be the subject's own"
    means = next((one for one in tree.descendants(thing.id) if one.upos == "NOUN" and is_bare(tree, one, "Ins")), None)
    if means is None or is_participle(tree[means.head]):
        return None
    return f"{means.form} says by what means"


def _may_share_participle(tree: Tree, subject: Word) -> bool:
    """*Chlapec a dívka sedící u stolu*: whether joined subjects have a participle, which would have to agree anew."""
    inside = tree.descendants(subject.id)
    return any(one.relation == "conj" for one in inside) and any(is_participle(one) for one in inside)


def _is_loaded(tree: Tree, subject: Word) -> bool:
    """Whether a parser hung on a subject what may stand elsewhere: *zvuk ve mně*, *bohužel*."""
    inside = part(tree, tree.subtree(subject.id))
    personal = any(one.upos == "PRON" and not no_preposition(tree, one) for one in inside)
    leading = inside[0].upos in ("ADV", "PART", "SCONJ", "CCONJ")
    return personal or (leading and inside[0].form.lower() not in ("i", "už", "také", "též"))


def may_be_turned(clause: Clause, inflector: Inflector) -> bool:
    """Whether object and subject may be the other way round, or are not in the cases that the parser gave them."""
    tree, verb, subject, thing = clause
    if _is_misattached(tree, thing) or any(_is_misgendered(one) for one in (subject, thing)):
        return True
    joined = [one for top in (subject, thing) for one in tree.descendants(top.id) if one.relation == "conj"]
    if any(one.upos == "NOUN" and not inflector.analyses(one.form.lower()) for one in joined):
        return True  # a funí: a verb, taken for a noun
    made = form_in_case(inflector, subject, "Nom")
    if governor(tree, subject.id) is None and made is not None and made != subject.form.lower():
        return True
    if _names_somebody(thing, inflector) or _may_be_several(tree, thing, inflector):
        return True
    if is_no_object(tree, thing, inflector) or not may_agree(tree, subject, verb):
        return True
    both = (subject, thing)
    alike = all(form_in_case(inflector, one, "Nom") == form_in_case(inflector, one, "Acc") for one in both)
    plain = tree.places[subject.id] < tree.places[verb.id] < tree.places[thing.id]
    opens = part(tree, tree.subtree(thing.id))[0].form.lower()
    if plain and opens not in ("i", "také", "též", "jen", "jenom", "pouze"):
        man = form_in_case(inflector, subject.but(feats=subject.feats.but(Animacy="Anim")), "Dat") or ""
        known = man.endswith("ovi") and bool(inflector.analyses(man))  # dědečkovi, whatever the parser says
        somebody = known or CZECH.is_animate(tree, subject.id) or subject.lemma in lexicon.OFFICES
        other = thing.but(feats=thing.feats.but(Number=verb.feats.get("Number", "Sing")))
        turned = form_in_case(inflector, other, "Nom") == thing.form.lower()  # dovoz omezuje unie, which is one or more
        return alike and not somebody and (turned or may_agree(tree, thing, verb))  # útoky zastavily deště
    readings = [one.feats for one in inflector.analyses(thing.form.lower()) if one.feats.get("Animacy") == "Anim"]
    people = any(compatible({"Case": "Acc,Nom"}, one) for one in readings)
    if people and thing.feats.get("Animacy") != "Anim" and may_agree(tree, thing, verb):
        return True  # somebody, who would be the subject or have another nominative
    same = subject.feats.get("Number") == thing.feats.get("Number") or "Number" not in verb.feats
    return same and alike


def _is_misgendered(noun: Word) -> bool:
    """*Turistu*, *cyklisty*: whether a parser took a man for a woman or a thing."""
    named = noun.form.lower().endswith(("isty", "isté", "isti", "istu"))
    return (noun.lemma.endswith(("ista", "osta", "seda")) or named) and noun.feats.get("Animacy") != "Anim"


def _names_somebody(thing: Word, inflector: Inflector) -> bool:
    """*Zvěst rozšíří mechanici*: whether an object is not known by its form, or is people in the nominative."""
    readings = inflector.analyses(thing.form.lower())
    people = [one for one in readings if compatible({"Case": "Nom", "Number": "Plur", "Animacy": "Anim"}, one.feats)]
    named = any(one.lemma != thing.lemma and "Animacy" in one.feats for one in people)
    return thing.upos == "NOUN" and thing.form.endswith(("i", "é")) and (not readings or named)


def _may_be_several(tree: Tree, thing: Word, inflector: Inflector) -> bool:
    """*Uviděl soudce*: whether one and several have the same accusative, and nothing beside it tells which."""
    if tree.child(thing.id, "amod", "det", "nummod", *GOVERNING) is not None or thing.feats.get("Animacy") != "Anim":
        return False
    other = "Plur" if thing.feats.get("Number") == "Sing" else "Sing"
    made = form_in_case(inflector, thing.but(feats=thing.feats.but(Number=other)), "Acc")
    return made == thing.form.lower()


def _is_misattached(tree: Tree, thing: Word) -> bool:
    """Whether an object has what may not be its own: when, whither, or a second object behind *i*."""
    if part(tree, tree.subtree(thing.id))[0].upos == "ADV":
        return True  # teď opravený most otevřeli
    somebody = CZECH.is_animate(tree, thing.id)
    moves = ("do", "k", "ke", "od", *(("z", "ze") if somebody else ()))  # zachránil psa z vody, but hrad z písku
    for one in tree.children(thing.id, "nmod"):
        if (somebody or thing.lemma in lexicon.THINGS) and any(
            case.form.lower() in moves for case in tree.children(one.id, "case")
        ):
            return True
    inner = [one for one in tree.descendants(thing.id) if one.relation == "conj" and one.head != thing.id]
    return any(cc.form.lower() == "i" for one in inner for cc in tree.children(one.id, "cc"))


def _has_loose_verb(tree: Tree, noun: Word) -> bool:
    """Whether a verb hangs on a phrase outside a relative clause, or several do: two clauses, taken for one."""
    verbs = [one for one in tree.descendants(noun.id) if one.upos in ("VERB", "AUX")]
    several = sum(one.upos == "VERB" for one in verbs) > 1
    return several or any(not is_in_relative(tree, one, noun) for one in verbs)
