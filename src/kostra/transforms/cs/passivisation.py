"""Makes the object the subject: *Smlouva byla podepsána starostou*, *Tráva se seká*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.cs import lexicon
from kostra.transforms.cs.grammar import CZECH, form_in_case, gender_of, is_bare, is_no_object, may_agree
from kostra.transforms.edits import part
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import Inflector, compatible
from kostra.transforms.shared import passivisation as shared
from kostra.transforms.shared.grammar import Changes
from kostra.transforms.shared.looking import GOVERNING, governor, is_in_relative, is_participle, no_preposition
from kostra.transforms.shared.passivisation import Clause, Passive
from kostra.trees import Features, Tree, Word

RELATION = shared.RELATION
VARIANTS: Mapping[str, str] = {
    "agent last": "the agent, in the instrumental, stands behind all other parts of the clause",
    "agent first": "the agent, in the instrumental, stands right behind the participle",
    "reflexive": "the verb becomes reflexive, and nobody says who does it",
}
MOST_BEFORE_AGENT = 6
"""Words that may stand between the participle and its agent."""
_OF_SOMETHING = frozenset({"obvinit", "obžalovat", "podezírat", "varovat", "zbavit", "požádat", "vyzvat", "přesvědčit"})
"""Verbs whose phrase behind the object parsers hang on it: *obvinit vládu z chyb*."""
_LEAN_ON_SUBJECT = frozenset(
    {"sám", "sama", "samo", "sami", "samy", "například", "zejména", "hlavně", "především", "nejprve"}
)
"""Words that say how the subject is when it acts, or that pick one of many."""
_CHANGES = frozenset(
    {"zvýšit", "zvyšovat", "snížit", "snižovat", "navýšit", "zkrátit", "prodloužit", "rozšířit", "zvětšit"}
)
"""Verbs that say by how much: the phrase is theirs, and parsers hang it on the object."""
_MOTIONS = ("skakovat", "bíhat", "cházet", "jíždět", "lézat", "létávat", "kračovat", "stupovat", "hazovat")
"""Endings of verbs of motion that have objects by their prefix."""
_OF_NOUNS = frozenset({"na", "do", "z", "ze", "k", "ke", "pro", "proti", "s", "se", "za", "před"})
"""Prepositions that nouns govern as well, so that a phrase right behind an object may be its own."""
_NAMED = frozenset(
    {"agentura", "akademie", "asociace", "banka", "divadlo", "dům", "federace", "fond", "galerie", "hora", "hnutí",
     "inspekce", "kancelář", "klub", "komise", "komora", "kongres", "kříž", "les", "liga", "ministerstvo", "moře",
     "muzeum", "nemocnice", "parlament", "pojišťovna", "rada", "rozhlas", "sdružení", "senát", "sněmovna", "soud",
     "společnost", "správa", "stát", "strana", "svaz", "škola", "televize", "unie", "univerzita", "úřad", "ústav",
     "výbor"}
)  # fmt: skip
"""Nouns of names that open with an adjective, and with a capital wherever they stand: *Nejvyšší soud*."""
_PLAIN = frozenset({"místní", "tamní", "zdejší", "nový", "celý", "jiný", "další", "dnešní", "současný", "tamější"})
"""Adjectives with which no such name opens."""
_TENSES = {("Imp", "Pres"): "Pres", ("Imp", "Past"): "Past", ("Perf", "Past"): "Past", ("Perf", "Pres"): "Fut"}
"""Tense of *být*, by the aspect and tense of the verb; the present of a perfective verb is a future."""


class _Czech(shared.Passivisation):
    helpers_second = True

    def lacks_passive(self, tree: Tree, verb: Word) -> str | None:
        """Some verbs have no usual passive; a first or second person has none with an agent."""
        if verb.lemma in lexicon.NOT_PASSIVE:
            return f"{verb.lemma} has no usual passive"
        if (verb.feats.get("Aspect", ""), verb.feats.get("Tense", "")) not in _TENSES or tree.child(verb.id, "aux"):
            return f"{verb.form} has a tense without passive"
        inside = tree.descendants(verb.id)
        if verb.lemma in _OF_SOMETHING or any(one.form.lower() in ("sotva", "jen", "pouze", "téměř") for one in inside):
            return f"what belongs to {verb.form} would stand elsewhere"
        if any(one.upos == "PUNCT" and one.form not in (",", ".") for one in inside):
            return "quotation marks, dashes or a question would stand elsewhere"
        if any(one.form.lower() in _LEAN_ON_SUBJECT for one in inside):
            return f"what is said of the subject or picks one of many would stand with {verb.form}"
        if any(one.form.lower() in ("než", "jako", "jakožto") for one in inside):
            return "a comparison would point elsewhere"
        for one in tree.children(verb.id, "obl"):
            behind = tree.places[one.id] > tree.places[verb.id]
            if behind and any(case.lemma in ("o", "mezi") for case in tree.children(one.id, "case")):
                return f"{one.form} may belong to the object"
        subject = tree.child(verb.id, "nsubj")
        if subject is not None and _is_loaded(tree, subject):
            return f"more than one phrase may stand with {subject.form}"
        oneself = CZECH.reflexive(tree, verb.id)
        if oneself is None and (kept := _kept_object(tree, tree.child(verb.id, "obj"))) is not None:
            return kept
        if subject is not None and _may_share_participle(tree, subject):
            return f"a participle may be said of all that are joined with {subject.form}"
        for thing in (subject, tree.child(verb.id, "obj")):
            if thing is not None and (thing.lemma in lexicon.TIMES or _has_loose_verb(tree, thing)):
                return f"{thing.form} says how long, or a clause hangs on it"
        if subject is not None and self._may_take_place(tree, verb, subject):
            return f"a place behind {subject.form} may be its own"
        if (torn := _torn_phrase(tree, verb)) is not None:
            return f"{torn.form} may belong to subject or object"
        if subject is not None and _is_interrupted(tree, subject):
            return f"something stands between commas with {subject.form}"
        states = verb.feats.get("Aspect") == "Imp" and subject is not None
        if states and subject is not None and not self._acts(tree, subject):
            return f"{subject.form} does nothing"
        return None

    def _may_take_place(self, tree: Tree, verb: Word, subject: Word) -> bool:
        """*Válka na severu oslabila zemi*: whether a place right behind a subject that is nobody may belong to it."""
        end = max(tree.places[one] for one in tree.subtree(subject.id)) + 1
        starts = {one.id: min(tree.places[inner] for inner in tree.subtree(one.id)) for one in tree.children(verb.id)}
        near = [one for one in tree.children(verb.id, "obl") if starts[one.id] == end]
        placed = any(case.form.lower() in lexicon.PLACES for one in near for case in tree.children(one.id, "case"))
        return placed and not CZECH.is_animate(tree, subject.id)

    def _acts(self, tree: Tree, subject: Word) -> bool:
        """Whether a subject is somebody: a person, an animal, an office or a company."""
        return CZECH.is_animate(tree, subject.id) or subject.upos == "PROPN" or subject.lemma in lexicon.OFFICES

    def parted(self, clause: Clause, rest: list[Word]) -> tuple[list[Word], list[Word], list[Word]]:
        """What stood before subject and verb stays in front; what stood between them goes before the participle."""
        tree, verb, subject, thing = clause
        verb_at = tree.places[verb.id]
        start = min(tree.places[one] for one in tree.subtree(subject.id) | tree.subtree(thing.id) | {verb.id})
        places = tree.places
        front = [word for word in rest if word.id in places and places[word.id] < start]
        middle = [word for word in rest if word.id in places and start < places[word.id] < verb_at]
        return front, middle, [word for word in rest if word not in front and word not in middle]

    def orders(self, clause: Clause, rest: frozenset[int]) -> tuple[str, ...]:
        """The agent stands last; right behind the participle where places or times may follow it."""
        tree, verb, subject, _ = clause
        if any(tree[one].upos == "VERB" and tree.places[one] > tree.places[verb.id] for one in rest):
            return ("agent first",)  # before the clauses behind the verb
        behind = [one for one in rest if tree.places[one] > tree.places[verb.id] and tree[one].upos != "PUNCT"]
        tops = [tree[one] for one in behind if tree[one].head == verb.id]
        phrases = all(one.relation == "obl" and tree.child(one.id, "case") is not None for one in tops)
        short = len(tree.subtree(subject.id)) <= self.longest_agent
        last = max(tops, key=lambda one: tree.places[one.id], default=None)
        if last is not None and (last.upos == "ADJ" or last.feats.get("Case") == "Ins"):
            return ("agent first",)  # označen za vážný lékaři, opraven před domem zedníky
        if tops and len(behind) > MOST_BEFORE_AGENT:
            return ("agent first",)
        return ("agent last", "agent first") if tops and phrases and short else ("agent last",)

    def agent(self, clause: Clause, tools: Tools) -> Changes | None:
        """The instrumental; none where another instrumental would be taken for the agent."""
        tree, verb, subject, _ = clause
        others = [one for one in tree.children(verb.id, "obl", "obj", "iobj") if one.feats.get("Case") == "Ins"]
        if any(tree.child(one.id, "case") is None for one in others):
            return None
        first = subject.id == tree.words[0].id and subject.upos == "PROPN" and tree.child(subject.id, "flat") is None
        if first and subject.feats.get("Animacy") != "Anim":
            return None  # Bulvár, Hluk: a name, or a noun that begins the sentence
        if _may_be_name(tree, subject):
            tools.why(f"{subject.form} may be the noun of a name that keeps its capital", subject.id)
            return None
        return CZECH.recased(tree, subject.id, "Ins", tools.inflector)

    def passive(self, clause: Clause, tools: Tools) -> Passive | None:
        """*Je sekána*, *byla podepsána*, *bude podepsána*: the short participle agrees with its subject."""
        tree, verb, thing = clause.tree, clause.verb, clause.thing
        if _may_be_turned(clause, tools.inflector) or _is_of_other_verb(verb, tools.inflector):
            return None
        if verb.feats.agrees(Aspect="Imp", Tense="Pres") and not verb.lemma.endswith(("ovat", "ávat", "ívat", "ývat")):
            return None  # je čtena mužem: right, and nobody says so
        if verb.feats.agrees(Aspect="Imp", Tense="Pres") and verb.lemma.endswith(_MOTIONS):
            return None  # je přeskakována: the same
        changed = CZECH.recased(tree, thing.id, "Nom", tools.inflector)
        agreement = CZECH.verb_features(tree, thing.id)
        if changed is None or agreement is None:
            return None
        tense = _TENSES[verb.feats["Aspect"], verb.feats["Tense"]]
        helper = CZECH.finite_form(tools.inflector, "být", {"Tense": tense, "Aspect": "Imp"}, agreement)
        wanted = {"VerbForm": "Part", "Voice": "Pass", "Variant": "Short", "Number": agreement["Number"]}
        wanted |= gender_of(agreement) | {"Aspect": verb.feats["Aspect"]}
        form = tools.inflector.inflect(verb.lemma, "ADJ", wanted)
        if helper is None or form is None or _is_misformed(verb.lemma, form):
            return None
        feats = Features({"Tense": tense, "Aspect": "Imp", "Number": agreement["Number"], "VerbForm": "Fin"})
        auxiliary = Word(tree.fresh(), helper, "být", "AUX", feats=feats, head=verb.id, deprel="aux:pass")
        made = verb.but(form=form, upos="ADJ", xpos="_", feats=Features(wanted))
        return Passive(made, (auxiliary,), changed)

    def others(self, clause: Clause, made: Passive | None, doubts: list[str], tools: Tools) -> Iterator[Draft]:  # noqa: ARG002 - a hook
        """The reflexive passive, without its agent: of things, not of people, who would do it to themselves."""
        tree, verb, subject, thing = clause
        if verb.lemma not in lexicon.REFLEXIVE_PASSIVE:
            tools.why(f"{verb.lemma} with se is not known to be a passive", verb.id)
            return
        if _may_be_turned(clause, tools.inflector):
            return
        if CZECH.is_animate(tree, thing.id, tools.inflector) or not CZECH.is_animate(tree, subject.id, tools.inflector):
            tools.why(f"{thing.form} with se would do it itself, or {subject.form} is nobody", thing.id)
            return
        changed = CZECH.recased(tree, thing.id, "Nom", tools.inflector)
        agreement = CZECH.verb_features(tree, thing.id)
        form = CZECH.finite_form(tools.inflector, verb.lemma, verb.feats, agreement) if agreement else None
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


def _may_be_name(tree: Tree, subject: Word) -> bool:
    """*Nejvyšší soud*: whether a subject that begins the sentence with an adjective may be a name."""
    opens = part(tree, tree.subtree(subject.id))[0]
    adjective = opens.upos == "ADJ" and opens.id == tree.words[0].id and opens.lemma not in _PLAIN
    one = subject.feats.get("Number") != "Plur" or subject.lemma in ("stát", "hora", "les")  # Spojené státy
    return adjective and one and subject.lemma in _NAMED


def _kept_object(tree: Tree, thing: Word | None) -> str | None:
    """Why an object stays one: a part of the body, which is the subject's own, or a means that hangs on it."""
    if thing is None:
        return None
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


def _torn_phrase(tree: Tree, verb: Word) -> Word | None:
    """A phrase that a parser hung on the verb, or on the subject, though it may be the other's.

    *Výlet do hor*, *dívka ve svetru na louce*, *členové spolku kvůli dešti*; times belong to the verb.
    """
    subject, thing = tree.child(verb.id, "nsubj"), tree.child(verb.id, "obj")
    if subject is None or thing is None:
        return None
    starts = {
        one.id: min(tree.places[inner] for inner in tree.subtree(one.id)) for one in tree.children(verb.id, "obl")
    }
    behind = max(tree.places[one] for one in tree.subtree(thing.id)) + 1
    who = tree.places[subject.id]
    for one in tree.children(verb.id, "obl"):
        cases = {case.form.lower() for case in tree.children(one.id, "case")}
        if not cases or one.lemma in lexicon.TIMES or cases & lexicon.CIRCUMSTANCES - {"po", "vedle"}:
            continue
        between = who < starts[one.id] < tree.places[verb.id]
        if between or (starts[one.id] == behind and cases & _OF_NOUNS):
            return one
    for one in tree.descendants(subject.id):
        cases = {case.form.lower() for case in tree.children(one.id, "case")}
        if cases & (lexicon.CIRCUMSTANCES | {"při", "přes"}):
            return one
    return None


def _is_loaded(tree: Tree, subject: Word) -> bool:
    """Whether a parser hung on a subject what may stand elsewhere: *zvuk ve mně*, *bohužel*."""
    inside = part(tree, tree.subtree(subject.id))
    personal = any(one.upos == "PRON" and not no_preposition(tree, one) for one in inside)
    leading = inside[0].upos in ("ADV", "PART", "SCONJ", "CCONJ")
    return personal or (leading and inside[0].form.lower() not in ("i", "už", "také", "též"))


def _may_be_turned(clause: Clause, inflector: Inflector) -> bool:
    """Whether object and subject may be the other way round, or are not in the cases that the parser gave them."""
    tree, verb, subject, thing = clause
    if _is_misattached(tree, verb, thing):
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
        return alike and not somebody and may_agree(tree, thing, verb)  # útoky zastavily deště
    readings = [one.feats for one in inflector.analyses(thing.form.lower()) if one.feats.get("Animacy") == "Anim"]
    people = any(compatible({"Case": "Acc,Nom"}, one) for one in readings)
    if people and thing.feats.get("Animacy") != "Anim" and may_agree(tree, thing, verb):
        return True  # somebody, who would be the subject or have another nominative
    same = subject.feats.get("Number") == thing.feats.get("Number") or "Number" not in verb.feats
    return same and alike


def _names_somebody(thing: Word, inflector: Inflector) -> bool:
    """*Zvěst rozšíří mechanici*: whether an object is not known by its form, or is people in the nominative."""
    readings = inflector.analyses(thing.form.lower())
    people = [one for one in readings if compatible({"Case": "Nom", "Number": "Plur", "Animacy": "Anim"}, one.feats)]
    named = any(one.upos == "NOUN" and one.lemma != thing.lemma and "Animacy" in one.feats for one in people)
    return thing.upos == "NOUN" and thing.form.endswith(("i", "é")) and (not readings or named)


def _may_be_several(tree: Tree, thing: Word, inflector: Inflector) -> bool:
    """*Uviděl soudce*: whether one and several have the same accusative, and nothing beside it tells which."""
    if tree.child(thing.id, "amod", "det", "nummod", *GOVERNING) is not None or thing.feats.get("Animacy") != "Anim":
        return False
    other = "Plur" if thing.feats.get("Number") == "Sing" else "Sing"
    made = form_in_case(inflector, thing.but(feats=thing.feats.but(Number=other)), "Acc")
    return made == thing.form.lower()


def _is_misattached(tree: Tree, verb: Word, thing: Word) -> bool:
    """Whether an object has what may not be its own: by how much it changed, when, or a second object behind *i*."""
    if part(tree, tree.subtree(thing.id))[0].upos == "ADV":
        return True  # teď opravený most otevřeli
    grows = verb.lemma in _CHANGES and any(one.lemma == "o" for one in tree.descendants(thing.id))
    somebody = CZECH.is_animate(tree, thing.id)
    moves = ("do", "k", "ke", "od", *(("z", "ze") if somebody else ()))  # zachránil psa z vody, but hrad z písku
    for one in tree.children(thing.id, "nmod"):
        if (somebody or thing.lemma in lexicon.THINGS) and any(
            case.form.lower() in moves for case in tree.children(one.id, "case")
        ):
            return True
    inner = [one for one in tree.descendants(thing.id) if one.relation == "conj" and one.head != thing.id]
    return grows or any(cc.form.lower() == "i" for one in inner for cc in tree.children(one.id, "cc"))


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


def _has_loose_verb(tree: Tree, noun: Word) -> bool:
    """Whether a verb hangs on a phrase outside a relative clause, or several do: two clauses, taken for one."""
    verbs = [one for one in tree.descendants(noun.id) if one.upos in ("VERB", "AUX")]
    several = sum(one.upos == "VERB" for one in verbs) > 1
    return several or any(not is_in_relative(tree, one, noun) for one in verbs)


def _is_interrupted(tree: Tree, noun: Word) -> bool:
    """Whether commas inside a phrase belong to neither a clause nor a coordination."""
    inside = tree.descendants(noun.id)
    joined = any(one.relation in ("conj", "acl") for one in inside)
    return not joined and any(one.form == "," for one in inside)


apply = _Czech(CZECH).apply
