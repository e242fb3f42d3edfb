"""In which Czech sentences a denial of the main clause is sure to say something: one clause, or two told at once."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.denial import tells_how
from kostra.transforms.cs.grammar import CZECH, is_past
from kostra.transforms.cs.scope import ancestors
from kostra.transforms.inflection import inflector
from kostra.transforms.shared.looking import no_preposition, subject
from kostra.trees import Tree, Word

_BELOW = ("ccomp", "advcl", "acl", "csubj")
_SO = frozenset({"tak", "takový", "tolik", "natolik"})
_TAKING_UP = frozenset({"což", "čímž", "načež", "přičemž", "také", "taky", "též", "rovněž"})
"""Words that take up what is said, and have nothing to take up once it is denied."""
_POLITE = frozenset({"děkovat", "prosit", "přát", "gratulovat", "omlouvat", "vítat", "zdravit", "doporučovat"})
"""Verbs that do what they say."""


def is_odd_under_denial(tree: Tree, word: Word) -> bool:
    """Whether a word hinders a denial of the main clause, wherever *ne-* stands."""
    if word.form.lower() in _TAKING_UP or _says_so_much(tree, word) or _is_alternative(tree, word):
        return True
    if _is_told_behind(tree, word) or _is_denied_before(tree, word) or _is_polite(tree, word):
        return True
    if _is_free(tree, word) or _is_set_against(tree, word) or _would_deny_less(tree, word):
        return True
    return _is_left_undenied(tree, word) or _is_told_in_turn(tree, word) or _is_no_verb(tree, word)


def is_below(tree: Tree, word: Word) -> bool:
    """Whether a word stands in a clause of its own, which a denial of the main one leaves as it is."""
    return any(one.relation in _BELOW and one.head for one in (word, *ancestors(tree, word)))


def _says_so_much(tree: Tree, word: Word) -> bool:
    """*Byl tak unaven, že usnul*: denied, another conjunction would have to follow."""
    behind = tree.words[tree.places[word.id] + 1 :]
    return (
        word.lemma.lower() in _SO
        and not is_below(tree, word)
        and any(one.form.lower() in ("že", "aby") for one in behind)
    )


def _is_alternative(tree: Tree, word: Word) -> bool:
    """*Nosí čepici nebo klobouk*: denied, *ani* would have to stand there; of two hands one may hold nothing."""
    paired = word.lemma == "druhý" and any(one.lemma == CZECH.one for one in tree.words)  # v jedné ruce míč, ve druhé
    added = word.relation == "conj" and word.upos == "ADV" and tree[word.head].upos != "ADV"  # píše dopisy, a dlouze
    either = word.upos == "CCONJ" and word.form.lower() in CZECH.alternatives
    return (paired or added or either) and not is_below(tree, word)


def _is_told_behind(tree: Tree, word: Word) -> bool:
    """*Čte, když čeká*, *přišel, aby pomohl*, *zaspal kvůli dešti*: what is told behind may be what is denied."""
    main = tree[word.head] if word.head else word
    main = tree[main.head] if main.relation == "xcomp" and main.head else main
    own = main.id == tree.root.id or (main.relation == "conj" and main.head == tree.root.id)
    reason = word.relation == "obl" and any(one.lemma in ("kvůli", "díky") for one in tree.children(word.id, "case"))
    if word.lemma == "důvod" and any(one.lemma == "z" for one in tree.children(word.id, "case")):
        return not is_below(tree, word)
    wished = any(one.form.lower().startswith("aby") for one in tree.children(word.id, "mark", "aux"))
    aimed = word.relation == "ccomp" and wished and main.lemma not in lexicon.ASKS
    return (word.relation == "advcl" or reason or aimed) and own and tree.places[word.id] > tree.places[main.id]


def _is_denied_before(tree: Tree, word: Word) -> bool:
    """*Bez rozmyslu skočil*; *věřím, že nepřijde*: what denies something itself."""
    if word.head != tree.root.id:
        return False
    without = word.relation == "obl" and any(one.lemma == "bez" for one in tree.children(word.id, "case"))
    return without or (word.relation == "ccomp" and CZECH.is_negated(tree, word.id))


def _is_free(tree: Tree, word: Word) -> bool:
    """*Může být jakýkoli*, *jak chléb, tak sůl*: of what is free or paired, a denial denies too much or too little."""
    if is_below(tree, word):
        return False
    before = {one.form.lower() for one in tree.words[: tree.places[word.id]]}
    follows = tree.places[word.id] and tree.words[tree.places[word.id] - 1].form == ","
    paired = word.form.lower() == "tak" and bool(follows) and "jak" in before
    return word.lemma.lower().endswith(("koli", "koliv")) or word.lemma == "libovolný" or paired


def _is_set_against(tree: Tree, word: Word) -> bool:
    """*Pije čaj, ne kávu*, *jedni spí - druzí čtou*: what is denied already, or set apart, no longer fits."""
    amid = tree.words[0].id != word.id != tree.words[-1].id
    apart = word.form in ("-", "–", "—") and amid and not _is_joining(tree, word)
    return (apart or word.form.lower() in ("ne", "nikoli", "nikoliv")) and not is_below(tree, word)


def _is_joining(tree: Tree, dash: Word) -> bool:
    """*Česko-polský*: whether a dash makes one word of two, or a span of two numbers."""
    place = tree.places[dash.id]
    return tree.words[place - 1].glued or tree.words[place + 1].upos == "NUM"


def _would_deny_less(tree: Tree, word: Word) -> bool:
    """Whether a denial would be read of one word: *je pilně zaměstnán*, *po letech usnul*, *byl čas jít*."""
    head = tree[word.head] if word.head else word
    if head.id != tree.root.id or head.id == word.id:
        return False
    opens = min(tree.places[one] for one in tree.subtree(word.id)) == 0
    cases = {one.lemma for one in tree.children(word.id, "case")}
    after = opens and "po" in cases and word.lemma in lexicon.TIMES and tree.child(word.id, "nummod") is not None
    due = word.lemma == "čas" and word.relation == "nsubj" and _has_infinitive(tree)
    wished = head.lemma == "mít" and any(one.feats.get("Mood") == "Cnd" for one in tree.children(head.id, "aux"))
    once = wished and word.relation == "xcomp" and word.feats.get("Aspect") == "Perf"
    manner = word.relation == "advmod" and head.upos == "ADJ" and tells_how(word)
    return after or due or once or manner


def _has_infinitive(tree: Tree) -> bool:
    return any(one.feats.get("VerbForm") == "Inf" and one.upos == "VERB" for one in tree.words)


def _is_polite(tree: Tree, word: Word) -> bool:
    return word.id == tree.root.id and word.lemma in _POLITE and word.feats.get("Person") == "1"


def _is_left_undenied(tree: Tree, word: Word) -> bool:
    """*Sedí, čte si a drží tužku*: whether a verb without a subject hangs where a denial does not reach it."""
    if not CZECH.is_finite(tree, word) or is_below(tree, word) or subject(tree, word.id) is not None:
        return False
    joined = word.relation == "conj" and word.head == tree.root.id
    return word.id != tree.root.id and not joined


def _is_told_in_turn(tree: Tree, word: Word) -> bool:
    """*Vstal a odešel*, *sedí, čte*: of two predicates both are denied only if they last, and *a* joins them."""
    if word.head != tree.root.id or word.relation not in ("conj", "parataxis") or not CZECH.is_predicate(tree, word):
        return False
    if not all(_lasts(tree, one) for one in (tree.root, word)) or tree.child(word.id, "cc") is None:
        return True
    if subject(tree, word.id) is not None:
        return True  # pes spí a kočka pije: one denial is half of it
    return _number(word) != _number(tree.root) and None not in (_number(word), _number(tree.root))


def _number(verb: Word) -> str | None:
    """The number of a verb, unless one and several look alike: *drží*."""
    alike = verb.form.endswith("í") and not verb.form.endswith("jí")
    return None if alike else verb.feats.get("Number")


def _lasts(tree: Tree, predicate: Word) -> bool:
    """Whether a predicate tells what goes on now."""
    if predicate.upos == "VERB":
        return predicate.feats.get("Tense") == "Pres" and predicate.feats.get("Aspect") != "Perf"
    helpers = tree.children(predicate.id, "cop", "aux")
    return bool(helpers) and not any(is_past(one) or one.feats.get("Tense") == "Fut" for one in helpers)


def _is_no_verb(tree: Tree, word: Word) -> bool:
    """*Vážený čtenáři*: whether what looks like a past is a noun to the dictionary, and to nobody a verb."""
    readings = inflector("cs").analyses(word.form.lower())
    called = any(one.feats.get("Case") == "Voc" for one in readings) and all(one.upos == "NOUN" for one in readings)
    return word.id == tree.root.id and is_past(word) and called


def is_presented(tree: Tree) -> bool:
    """*Na pole jde žena*, *vypukl požár, který…*: whether a subject behind its verb is more than what is denied."""
    for verb in (tree.root, *tree.children(tree.root.id, "conj")):
        who = subject(tree, verb.id)
        if who is None or tree.places[who.id] < tree.places[verb.id]:
            continue
        things = any(no_preposition(tree, one) for one in tree.children(verb.id, "obj", "iobj"))
        acts = CZECH.is_animate(tree, who.id) and verb.lemma not in lexicon.PRESENTING
        if things or acts or tree.child(who.id, "acl") is not None or who.upos == "PROPN":
            return True
    return False


def needs_another(tree: Tree, who: Word) -> bool:
    """*Dívá se na druhého*: whether somebody is named as another than the subject."""
    inside = tree.subtree(who.id)
    return any(
        one.lemma in ("druhý", "další", "jiný", "ostatní", "zbylý") and one.id not in inside for one in tree.words
    )


def stays_never(tree: Tree, verb: Word) -> bool:
    """*Občas ji zalijeme*: whether *nikdy* would not stand for *sometimes*: with one event, or within a time."""
    timed = any(one.lemma in lexicon.TIMES for one in tree.children(verb.id, "obl", "advmod"))
    return timed or verb.feats.get("Aspect") == "Perf"
