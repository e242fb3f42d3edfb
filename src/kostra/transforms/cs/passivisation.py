"""Makes the object the subject: *Smlouva byla podepsána starostou*, *Tráva se seká*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.grammar import CZECH, form_in_case, gender_of, is_bare
from kostra.transforms.cs.passive_clauses import may_be_turned, obstacle
from kostra.transforms.edits import part
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import Inflector, compatible
from kostra.transforms.shared import passivisation as shared
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.looking import governor, no_preposition
from kostra.transforms.shared.passivisation import Clause, Passive
from kostra.trees import Features, Tree, Word

RELATION = shared.RELATION
VARIANTS: Mapping[str, str] = {
    "agent last": "the agent, in the instrumental, closes the clause",
    "reflexive": "the verb becomes reflexive, and nobody says who does it",
}
_NAMED = frozenset(
    {"agentura", "akademie", "asociace", "banka", "divadlo", "dům", "federace", "fond", "galerie", "hora", "hnutí",
     "inspekce", "kancelář", "klub", "komise", "komora", "kongres", "kříž", "les", "liga", "ministerstvo", "moře",
     "muzeum", "nemocnice", "parlament", "pojišťovna", "rada", "rozhlas", "sdružení", "senát", "sněmovna", "soud",
     "společnost", "správa", "stát", "strana", "svaz", "škola", "televize", "unie", "univerzita", "úřad", "ústav",
     "výbor"}
)  # fmt: skip
"""Nouns of names that open with an adjective, and with a capital wherever they stand: *Nejvyšší soud*."""
_ONE_OF_ITS_KIND = frozenset({"senát", "sněmovna", "kongres", "akademie", "vatikán", "hrad"})
"""Nouns that are names wherever there is one of them."""
_PLAIN = frozenset({"místní", "tamní", "zdejší", "nový", "celý", "jiný", "další", "dnešní", "současný", "tamější"})
"""Adjectives with which no such name opens."""
_ANYBODY = frozenset({"člověk", "lidé"})
"""Who does what is done in general: *lidé pěstují révu*, *réva se pěstuje*."""
_TENSES = {("Imp", "Pres"): "Pres", ("Imp", "Past"): "Past", ("Perf", "Past"): "Past", ("Perf", "Pres"): "Fut"}
"""Tense of *být*, by the aspect and tense of the verb; the present of a perfective verb is a future."""


def _aspect(verb: Word) -> str | None:
    """The aspect of a verb whose passive with an agent is usual, as the lexicon has it, whatever a parser says."""
    if verb.lemma in lexicon.PASSIVE_DONE:
        return "Perf"
    return "Imp" if verb.lemma in lexicon.PASSIVE_LASTING else None


class _Czech(shared.Passivisation):
    """Only verbs that are listed: with an agent, or, of everyday acts, with *se* and without one."""

    helpers_second = True

    def lacks_passive(self, tree: Tree, verb: Word) -> str | None:
        """Most verbs have no usual passive; a first or second person has none with an agent."""
        if _aspect(verb) is None and verb.lemma not in lexicon.REFLEXIVE_PASSIVE:
            return f"{verb.lemma} has no usual passive"
        if verb.feats.get("Tense") not in ("Pres", "Past") or tree.child(verb.id, "aux"):
            return f"{verb.form} has a tense without passive"
        subject, thing = tree.child(verb.id, "nsubj"), self.passive_object(tree, verb)
        if subject is None or thing is None or CZECH.reflexive(tree, verb.id) is not None:
            return None  # which the skeleton tells
        return obstacle(tree, verb, subject, thing)

    def parted(self, clause: Clause, rest: list[Word]) -> tuple[list[Word], list[Word], list[Word]]:
        """What stood before subject and verb stays in front; all else goes before the participle."""
        tree, verb, subject, thing = clause
        start = min(tree.places[one] for one in tree.subtree(subject.id) | tree.subtree(thing.id) | {verb.id})
        front = [word for word in rest if word.id in tree.places and tree.places[word.id] < start]
        return front, [word for word in rest if word not in front], []

    def orders(self, clause: Clause, rest: frozenset[int]) -> tuple[str, ...]:  # noqa: ARG002 - a hook
        """The agent closes the clause."""
        return ("agent last",)

    def agent(self, clause: Clause, tools: Tools) -> Changes | None:
        """The instrumental."""
        tree, verb, subject, _ = clause
        acts = CZECH.is_animate(tree, subject.id) or subject.upos == "PROPN" or subject.lemma in lexicon.OFFICES
        if _aspect(verb) == "Imp" and not acts and verb.lemma not in lexicon.PASSIVE_BY_THINGS:
            tools.why(f"{subject.form} does nothing", subject.id)
            return None
        if subject.upos == "PROPN" and len(tree.subtree(subject.id)) == 1:
            tools.why(f"{subject.form} alone is no agent of a formal sentence, or no name", subject.id)
            return None  # Bulvár, Hluk: a noun that begins the sentence; Petr: everyday speech has no such passive
        if subject.upos == "PROPN" and any(no_preposition(tree, one) for one in tree.children(subject.id, "nmod")):
            tools.why(f"a part of the name of {subject.form} cannot be declined", subject.id)
            return None
        if _says_little(tree, verb, subject):
            tools.why(f"{subject.form} alone would be too little to end a sentence with", subject.id)
            return None
        if _is_anybody(tree, subject):
            tools.why(f"that {subject.form} do it is hardly worth saying", subject.id)
            return None  # réva je pěstována lidmi
        if _may_be_name(tree, subject):
            tools.why(f"{subject.form} may be the noun of a name that keeps its capital", subject.id)
            return None
        made = CZECH.recased(tree, subject.id, "Ins", tools.inflector)
        if made is not None and _may_be_other_case(tree, made[subject.id], tools.inflector):
            tools.why(f"{made[subject.id].form} alone may be another case", subject.id)
            return None
        nouns = [one for one in (made or {}).values() if one.upos == "NOUN"]
        return made if all(_is_known(one, tree[one.id], tools.inflector) for one in nouns) else None

    def passive(self, clause: Clause, tools: Tools) -> Passive | None:
        """*Je sledována*, *byla podepsána*, *bude podepsána*: the short participle agrees with its subject."""
        tree, verb, thing = clause.tree, clause.verb, clause.thing
        aspect = _aspect(verb)
        if aspect is None or may_be_turned(clause, tools.inflector) or _is_of_other_verb(verb, tools.inflector):
            return None
        changed = CZECH.recased(tree, thing.id, "Nom", tools.inflector)
        agreement = CZECH.verb_features(tree, thing.id)
        if changed is None or agreement is None:
            return None
        tense = _TENSES[aspect, verb.feats["Tense"]]
        helper = CZECH.finite_form(tools.inflector, "být", {"Tense": tense, "Aspect": "Imp"}, agreement)
        wanted = {"VerbForm": "Part", "Voice": "Pass", "Variant": "Short", "Number": agreement["Number"]}
        wanted |= gender_of(agreement) | {"Aspect": aspect}
        form = tools.inflector.inflect(verb.lemma, "ADJ", wanted)
        if helper is None or form is None or _is_misformed(verb.lemma, form):
            return None
        feats = Features({"Tense": tense, "Aspect": "Imp", "Number": agreement["Number"], "VerbForm": "Fin"})
        auxiliary = Word(tree.fresh(), helper, "být", "AUX", feats=feats, head=verb.id, deprel="aux:pass")
        made = verb.but(form=form, upos="ADJ", xpos="_", feats=Features(wanted))
        return Passive(made, (auxiliary,), changed)

    def others(self, clause: Clause, made: Passive | None, doubts: list[str], tools: Tools) -> Iterator[Draft]:  # noqa: ARG002 - a hook
        """The reflexive passive, without its agent: of things, not of people, who would do it to themselves.

        Only where people in general do it: of anybody else more is lost than that somebody does.
        """
        tree, verb, subject, thing = clause
        if verb.lemma not in lexicon.REFLEXIVE_PASSIVE:
            tools.why(f"{verb.lemma} with se is not known to be a passive", verb.id)
            return
        if not _is_anybody(tree, subject):
            tools.why(f"that {subject.form} does it would be lost", subject.id)
            return
        if may_be_turned(clause, tools.inflector) or min(tree.subtree(verb.id)) not in tree.subtree(subject.id):
            return  # v hale se prodává pečivo: what is new would stand elsewhere
        if CZECH.is_animate(tree, thing.id, tools.inflector) or not CZECH.is_animate(tree, subject.id, tools.inflector):
            tools.why(f"{thing.form} with se would do it itself, or {subject.form} is nobody", thing.id)
            return
        changed = CZECH.recased(tree, thing.id, "Nom", tools.inflector)
        agreement = CZECH.verb_features(tree, thing.id)
        form = (
            CZECH.finite_form(tools.inflector, verb.lemma, verb.feats.but(Aspect="Imp"), agreement)
            if agreement
            else None
        )
        if changed is None or form is None or agreement is None:
            tools.why(f"no reflexive passive of {verb.form} can be told", verb.id)
            return
        kind = Features({"Case": "Acc", "PronType": "Prs", "Reflex": "Yes", "Variant": "Short"})
        oneself = Word(tree.fresh(), "se", "se", "PRON", feats=kind, head=verb.id, deprel="expl:pass")
        gender = gender_of(agreement) if verb.feats.get("Tense") == "Past" else {}
        new = verb.but(form=form, xpos="_", feats=verb.feats.but(Number=agreement["Number"], **gender))
        passive = Passive(new, (oneself,), changed)
        order = self.ordered(clause, passive, [], tree.subtree(thing.id), agent_last=True)
        yield Draft(order, "reflexive", (verb.id, subject.id, thing.id), ("inflected", "moved", "argument"))

    def passive_object(self, tree: Tree, verb: Word) -> Word | None:
        """The object in the accusative; none where a second one stands beside it."""
        things = [one for one in tree.children(verb.id, "obj") if one.feats.get("Case") == "Acc"]
        things += [one for one in tree.children(verb.id, "obj") if governor(tree, one.id) is not None]
        return things[0] if len(things) == 1 else None


def _says_little(tree: Tree, verb: Word, subject: Word) -> bool:
    """*Je navrhován ředitelkou*, *bylo vydáno firmou*: whether a passive would end with what one expects there.

    One person who is at something, so many who are, or a house that is not named; offices decide, and are what is told.
    """
    one = subject.feats.get("Number") == "Sing" and tree.child(subject.id, "conj", "nummod") is None
    lasting = _aspect(verb) == "Imp"
    if lasting and (one or governor(tree, subject.id) is not None) and CZECH.is_animate(tree, subject.id):
        return True
    bare = not [child for child in tree.children(subject.id) if child.relation != "punct"]
    return one and bare and subject.lemma.lower() in lexicon.HOUSES


def _is_anybody(tree: Tree, subject: Word) -> bool:
    """*Lidé*: whether a subject says no more than that somebody does it."""
    return subject.lemma in _ANYBODY and not tree.children(subject.id)


def _may_be_other_case(tree: Tree, agent: Word, inflector: Inflector) -> bool:
    """*Vyhlášeno učiteli*: whether nothing tells several who do it from one to whom it is done, or from who are it."""
    if agent.feats.get("Number") != "Plur" or tree.child(agent.id, "amod", "det", "nummod") is not None:
        return False
    one = form_in_case(inflector, agent.but(feats=agent.feats.but(Number="Sing")), "Dat")
    return agent.form.lower() in (one, form_in_case(inflector, agent, "Nom"))


def _is_known(made: Word, noun: Word, inflector: Inflector) -> bool:
    """Whether the dictionary has an instrumental, or it is of people and regular: neither *keřemi* nor *historici*."""
    form = made.form.lower()
    if form == noun.form.lower():
        wanted = {"Case": "Ins", "Gender": noun.feats.get("Gender", "")}
        return any(compatible(wanted, one.feats) for one in inflector.analyses(form))
    return (noun.feats.get("Animacy") == "Anim" and not form.endswith("mi")) or bool(inflector.analyses(form))


def _may_be_name(tree: Tree, subject: Word) -> bool:
    """*Nejvyšší soud*, *Rada Evropy*: whether a subject that begins the sentence may be a name."""
    opens = part(tree, tree.subtree(subject.id))[0]
    if opens.id == subject.id == tree.words[0].id and subject.lemma.lower() in _ONE_OF_ITS_KIND:
        return True
    if opens.id == subject.id == tree.words[0].id and subject.lemma.lower() in _NAMED:
        return any(is_bare(tree, one, "Gen") for one in tree.children(subject.id, "nmod"))  # Ministerstvo obrany
    adjective = opens.upos == "ADJ" and opens.id == tree.words[0].id and opens.lemma not in _PLAIN
    one = subject.feats.get("Number") != "Plur" or subject.lemma in ("stát", "hora", "les")  # Spojené státy
    return adjective and one and subject.lemma in _NAMED


def _is_misformed(lemma: str, form: str) -> bool:
    """Whether a participle has the *-t* of *krýt* though its verb has *-n*, or the other way round: *zalít*."""
    stem = form.rstrip("aeiyo")
    if lemma.endswith(("ít", "ýt")) and not lemma.endswith("řít"):
        return stem.endswith("n")
    return lemma.endswith(("at", "et", "ět", "it")) and stem.endswith("t")


def _is_of_other_verb(verb: Word, inflector: Inflector) -> bool:
    """Whether a form is known, and of other verbs than the one that a parser names: *zalil*, which is of *zalít*."""
    found = {one.lemma for one in inflector.analyses(verb.form.lower()) if one.upos == "VERB"}
    return bool(found) and verb.lemma not in found


apply = _Czech(CZECH).apply
