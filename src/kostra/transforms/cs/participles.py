"""What a Czech participle says of its noun, and whether it can be told by a clause."""

from __future__ import annotations

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.agreement import agree
from kostra.transforms.cs.clitics import is_clitic
from kostra.transforms.cs.grammar import CZECH, PREFIXES, form_in_case, is_bare, is_conditional, is_past
from kostra.transforms.edits import part
from kostra.transforms.inflection import Inflector
from kostra.transforms.shared.looking import is_participle, no_preposition
from kostra.trees import Tree, Word

_MANY = ({"Gender": "Masc", "Animacy": "Anim"}, {"Gender": "Fem"}, {"Gender": "Neut"})
"""Genders that several may have."""

_LAST = ("držet", "vést", "nést", "vézt", "jistit", "táhnout", "tlačit", "hlídat", "chránit", "řídit", "sledovat")
"""Imperfective verbs whose participles stand beside an agent: *chlapec držený matkou*."""

_COVERED = frozenset(
    {"lemovaný", "natřený", "obklopený", "ohraničený", "osvětlený", "ozdobený", "pokreslený", "pokrytý", "polepený",
     "pomalovaný", "přikrytý", "vybavený", "zahalený", "zakončený", "zakrytý", "zarostlý"}
)  # fmt: skip
"""States beside which an instrumental says with what: *obklopený fanoušky*; *postavený dědečkem* says by whom."""


def is_late_participle(tree: Tree, word: Word) -> bool:
    """Whether a word is a participle behind its noun: *pes běžící po louce*."""
    late = word.head in tree and tree.places[word.id] > tree.places[word.head]
    return late and is_participle(word) and word.relation in ("amod", "acl") and word.deprel != "acl:relcl"


def holds_more(tree: Tree, participle: Word) -> bool:
    """Whether a phrase opens with a particle, or holds the noun that the participle agrees with.

    *I čekající lidé*; *v cukr obsahujícím nápoji*, where a parser takes the object for the noun.
    """
    inside = part(tree, tree.subtree(participle.id))
    if inside[0].upos in ("PART", "CCONJ") or inside[0].form.lower() in lexicon.FOCUS | {"jako"}:
        return True
    if is_participle(participle, "Pass") and any(one.form.lower() in ("sebe", "sobě") for one in inside):
        return True  # desky položené na sobě
    case = participle.feats.get("Case")
    if not is_participle(participle, "Act") or case not in ("Dat", "Loc", "Ins"):
        return False
    return any(is_bare(tree, one, case) and one.upos == "NOUN" for one in tree.children(participle.id))


def is_joined_to_like(tree: Tree, participle: Word, noun: Word, inflector: Inflector) -> bool:
    """*Dívka a chlapec stojící u zdi*: whether a participle may be said of all nouns that are joined, by its form."""
    joined = noun.relation == "conj" or any(one.upos in ("NOUN", "PROPN") for one in tree.children(noun.id, "conj"))
    if not joined:
        return False
    return any(agree(inflector, participle, noun.but(feats=noun.feats.but(Number="Plur", **kind))) for kind in _MANY)


def is_misread_noun(noun: Word, inflector: Inflector) -> bool:
    """Whether a noun may be an adverb, or of another gender than a parser says, which the pronoun would show."""
    readings = [one.feats for one in inflector.analyses(noun.form.lower()) if one.upos == "NOUN"]
    if not readings:
        return noun.form.endswith(("sky", "cky", "zky")) and noun.form.lower() == noun.lemma.lower()
    case, number = noun.feats.get("Case"), noun.feats.get("Number", "")
    same = [one for one in readings if case in one.get("Case", "").split(",") and number in one.get("Number", "")]
    told = noun.feats.agrees(Gender="Neut", Number="Plur")  # studií of studio or studie: která, které
    return told and any(one.get("Gender") == "Fem" for one in same)


def lasts_as_state(participle: Word) -> bool:
    """Whether a passive participle says how something is, not what was done: *zaměřený na*."""
    return participle.lemma in lexicon.LASTING_STATES | lexicon.VISIBLE_STATES


def is_done(participle: Word) -> bool:
    """Whether a passive participle is of a perfective verb beyond doubt: it has a prefix, and no suffix of lasting."""
    long = participle.lemma[-5:-4] in ("á", "í", "é")  # nabízený, vyráběný: perhaps lasting
    if long or participle.lemma.endswith("vaný") or participle.feats.get("Aspect") == "Imp":
        return False
    return participle.lemma.startswith(PREFIXES)


def lasts(participle: Word, inflector: Inflector) -> bool:
    """Whether a passive participle is of an imperfective verb: known, or beside a brother in *-ený*."""
    if participle.feats.get("Aspect") == "Imp" or participle.lemma.endswith(("ávaný", "ívaný", "ývaný")):
        return True
    brother = participle.lemma.removesuffix("ovaný") + "ený"
    known = participle.lemma.endswith("ovaný") and bool(inflector.analyses(brother))
    wanted = {"VerbForm": "Part", "Voice": "Pass", "Case": "Nom", "Number": "Sing", "Gender": "Masc", "Animacy": "Anim"}
    return known or participle.lemma in {inflector.inflect(verb, "ADJ", wanted) for verb in _LAST}


def is_one_of_several(tree: Tree, participle: Word) -> bool:
    """Whether another participle behind a comma says more of the same noun, or an adverb stands before this one."""
    inside = tree.subtree(participle.id)
    first = min(tree.places[one] for one in inside)
    before = tree.words[first - 1] if first else None
    near = before is not None and (before.upos == "ADV" or before.lemma in ("blízko", "daleko", "nedaleko"))
    apart = before is not None and before.lemma in ("blízko", "daleko", "nedaleko")
    if near and before is not None and (apart or before.head != participle.head):
        return True
    for place, one in enumerate(tree.words):
        kind = is_participle(one) or one.form.endswith(("ný", "ná", "né", "ného", "nou", "ných", "ným", "nými"))
        other = kind and one.id not in inside and place and tree.words[place - 1].form in (",", "a")
        if other and all(one.feats.get(name) == participle.feats.get(name) for name in ("Case", "Number", "Gender")):
            return True
    return False


def in_past(tree: Tree, participle: Word) -> bool:
    """Whether the clause in which a participle stands tells of the past: *začal číst dopisy ležící na stole*."""
    predicate = _predicate_over(tree, participle)
    if predicate is None or is_conditional(tree, predicate.id):
        return False
    return is_past(predicate) or any(is_past(one) for one in tree.children(predicate.id, "aux", "cop"))


def _predicate_over(tree: Tree, participle: Word) -> Word | None:
    """The predicate of the clause in which a participle stands."""
    at = participle
    while at.head:
        at = tree[at.head]
        helpers = tree.children(at.id, "aux", "cop")
        if at.feats.get("VerbForm") != "Inf" and (at.upos == "VERB" or helpers):
            return at
    return None


_MAKES = frozenset({"namalovat", "nakreslit", "postavit", "vybudovat", "navrhnout", "vytvořit", "napsat", "vyrobit",
                    "zhotovit", "založit", "vysadit", "zasadit", "vytesat", "vyřezat", "ukovat", "ušít"})  # fmt: skip
"""Verbs of which what they tell of is there only afterwards."""


def outlasts_what_was_done(tree: Tree, participle: Word) -> bool:
    """*Hotel stojící u moře byl postaven loni*: whether a thing may still stand where something was done to it."""
    predicate, noun = _predicate_over(tree, participle), tree[participle.head]
    if predicate is None or CZECH.is_animate(tree, noun.id):
        return False
    return predicate.lemma in _MAKES or is_participle(predicate, "Pass")  # obraz visící v síni namaloval mnich


def happened(tree: Tree, participle: Word) -> bool:
    """Whether a participle tells what happened, not how something is: by whom or when is said."""
    beside = tree.children(participle.id, "obl")
    lasts = participle.lemma in lexicon.LASTING_STATES  # obklopený lesem: by what it is, not by whom
    told = any(
        (is_bare(tree, one, "Ins") and not lasts) or one.lemma in lexicon.TIMES or one.form.isdecimal()
        for one in beside
    )
    return told or any(one.lemma in lexicon.TIMES for one in tree.children(participle.id, "advmod"))


def is_of_other_noun(tree: Tree, participle: Word, noun: Word, inflector: Inflector) -> bool:
    """*Starosta obce ležící u řeky*: whether a participle behind two nouns may by its form be said of the other.

    What somebody wears or carries is left out: *dívka v čepici sedící na lavičce*.
    """
    start = min(tree.places[one] for one in tree.subtree(participle.id))
    if start < tree.places[noun.id]:
        return False
    for one in tree.words[tree.places[noun.id] + 1 : start]:
        cases = {case.form.lower() for case in tree.children(one.id, "case")}
        worn = (
            bool(cases & {"v", "ve", "s", "se", "bez"})
            and CZECH.is_animate(tree, noun.id)
            and not CZECH.is_animate(tree, one.id)
        )
        if one.upos in ("NOUN", "PROPN") and not worn and agree(inflector, participle, one):
            return True
    above = tree[noun.head] if noun.relation == "nmod" and noun.head else None
    if above is None or not is_participle(participle, "Act") or CZECH.is_animate(tree, noun.id):
        return False
    return above.upos in ("NOUN", "PROPN") and agree(inflector, participle, above)


def reaches_to_verb(tree: Tree, participle: Word, noun: Word) -> bool:
    """*Dřevo nařezané bratrem v neděli odvezl*: whether the end of a phrase may belong to the verb that follows."""
    inside = tree.subtree(participle.id)
    end = max(tree.places[one] for one in inside) + 1
    stop = next((place for place in range(end, len(tree.words)) if tree.words[place].upos in ("PUNCT", "CCONJ")), end)
    follows = any(one.upos in ("VERB", "AUX") for one in tree.words[end:stop])
    if tree.places[noun.id] > end or not follows:
        return False
    own = [one for one in tree.children(participle.id) if tree.places[one.id] > tree.places[participle.id]]
    own = [one for one in own if one.relation in ("obl", "advmod", "obj")]
    if not own:
        return False
    last = max(own, key=lambda one: tree.places[one.id])
    cases = {case.form.lower() for case in tree.children(last.id, "case")}
    moving = lexicon.POSTURES | lexicon.VISIBLE_ACTS | lexicon.WAYS
    around = {"po", "vedle"} if lexicon.PARTICIPLE_VERBS.get(participle.lemma) in moving else set()  # běžící po pláži
    loose = last.relation == "advmod" or last.lemma in lexicon.TIMES
    loose = loose or bool(cases & lexicon.CIRCUMSTANCES - around)
    doer = is_bare(tree, last, "Ins") and any(not no_preposition(tree, one) for one in tree.children(last.id, "nmod"))
    return loose or doer or (len(own) > 1 and last.relation == "obl")


def is_kept_in_state(tree: Tree, participle: Word) -> bool:
    """*Stojí u stolu ozdobeného květinami*: whether what was done once only tells how something is now.

    That it was done is told where the clause tells of the past, or by whom, by what act or when: *psaná knězem*.
    """
    means = [one for one in tree.children(participle.id, "obl") if is_bare(tree, one, "Ins")]
    if participle.lemma in lexicon.LASTING_STATES:
        return bool(means) and participle.lemma not in _COVERED
    if (lasts_as_state(participle) and not means) or not is_done(participle) or in_past(tree, participle):
        return False
    doers = lexicon.OFFICES | lexicon.COMPANIES | {"stát", "země", "obec", "město", "kraj"}
    for one in tree.children(participle.id, "obl", "advmod"):
        act = one.lemma.endswith(("ání", "ení", "ění", "ista", "osta", "seda", "atel", "itel"))  # šetření, starosta
        acts = act or one.upos == "PROPN" or one.lemma in doers or CZECH.is_animate(tree, one.id)
        if one.lemma in lexicon.TIMES or one.form.isdecimal() or (is_bare(tree, one, "Ins") and acts):
            return False
    return True


def is_entangled(tree: Tree, participle: Word) -> bool:
    """Whether a participle phrase has an adjective inside, or beside it what may be its own: *se*, an agent."""
    inside = tree.subtree(participle.id)
    places = [tree.places[one] for one in inside]
    behind = tree.words[max(places) + 1] if max(places) + 1 < len(tree.words) else None
    before = tree.words[min(places) - 1] if min(places) else None
    if before is not None and before.form.lower() in ("se", "si"):
        return True
    if _is_stacked(tree, participle, behind):
        return True
    if any(one.upos == "ADJ" and "Case" in one.feats for one in tree.children(participle.id) if one.relation != "conj"):
        return True
    if behind is None:
        return False
    if participle.head in tree and tree.places[participle.head] < tree.places[participle.id]:
        return not closes(tree, behind)
    infinitive = behind.feats.get("VerbForm") == "Inf"
    doer = behind.upos in ("NOUN", "PROPN") and is_bare(tree, behind, "Ins") and behind.id != participle.head
    return infinitive or doer or (len(inside) > 1 and behind.upos == "ADJ" and behind.head in inside)


def closes(tree: Tree, behind: Word) -> bool:
    """Whether the word behind a phrase shows that it ends there: a mark, a finite verb, *a* before another verb.

    *Na poli oddělovaném příkopem širokým a hlubokým*: a comma would part what belongs together.
    """
    if behind.upos == "CCONJ":
        joined = tree[behind.head or behind.id]
        return joined.relation == "conj" and CZECH.is_predicate(tree, joined)
    verbal = behind.upos in ("VERB", "AUX") and behind.feats.get("VerbForm") != "Inf"
    return behind.upos == "PUNCT" or verbal or is_clitic(behind)


def _is_stacked(tree: Tree, participle: Word, behind: Word | None) -> bool:
    """Whether other modifiers are taken for a part of a phrase, or stand right behind it.

    *V dnešním rychle změněném městě*; *počet dětí cvičících na hřištích zvýšený o desetinu*.
    """
    case, place = participle.feats.get("Case"), tree.places[participle.id]
    for one in tree.descendants(participle.id):
        if one.upos in ("ADJ", "DET", "NUM") and tree.places[one.id] < place and one.feats.get("Case") == case:
            return True
        if is_late_participle(tree, one) and tree[one.head].upos == "NOUN":
            return True
    follows = participle.head in tree and tree.places[participle.head] < place
    return follows and behind is not None and is_participle(behind) and "Case" in behind.feats


def is_uncertain_case(tree: Tree, noun: Word, inflector: Inflector) -> bool:
    """Whether the case that a parser gave a noun may be another: in a list, or beside a preposition of another case.

    *Polepena nálepkami, obrázky, které…*: an instrumental that looks like an accusative.
    """
    case = noun.feats.get("Case")
    own = tree.children(noun.id, "case")
    if own:
        return all("Case" in one.feats and one.feats["Case"] != case for one in own)
    if case == "Gen" and noun.relation in ("obj", "obl", "iobj"):
        return form_in_case(inflector, noun, "Dat") == noun.form.lower()  # mávají vlaku
    others = {"Nom", "Gen", "Dat", "Acc", "Loc", "Ins"} - ({"Nom", "Acc"} if case in ("Nom", "Acc") else {case})
    if not any(form_in_case(inflector, noun, one) == noun.form.lower() for one in others if one):
        return False  # muž, which is nothing but a nominative
    start = tree.places[noun.id]
    while start and tree.words[start - 1].upos in ("ADJ", "DET", "NUM", "ADV"):
        start -= 1
    before = tree.words[start - 1] if start else None
    if before is not None and (before.upos == "ADP" or (before.form == "," and noun.relation != "nsubj")):
        return True
    return noun.relation == "conj" and tree[noun.head].feats.get("Case", case) != case
