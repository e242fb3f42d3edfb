"""A participle becomes a relative clause: *przy zasłoniętym oknie* → *przy oknie, które jest zasłonięte*."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kostra.transforms.edits import comma, in_order, part, with_commas
from kostra.transforms.engine import Draft, Tools
from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import agree
from kostra.trees import Features, Tree, Word


def to_relatives(tree: Tree, tools: Tools) -> Iterator[Draft]:
    """Turn each participle into a relative clause of its noun, or of the subject if it stands with the verb."""
    for word in tree.words:
        if word.upos != "ADJ" or word.head == 0 or word.deprel == "acl:relcl" or "Case" not in word.feats:
            continue
        voice = _voice(word, tools.inflector)
        if voice is None or tree.child(word.id, "aux", "cop") is not None:
            continue
        head = tree[word.head]
        if word.relation in ("amod", "acl") and head.upos in ("NOUN", "PROPN"):
            if not agree(tools.inflector, word, head):
                tools.why(f"{word.form} does not agree with {head.form}", word.id)
                continue
            yield from _of_noun(tree, word, head, voice, tools)
        elif head.upos == "VERB" and word.feats["Case"] == "Nom" and word.relation != "nsubj":
            yield from _of_subject(tree, word, head, voice, tools)


def _voice(word: Word, inflector: Inflector) -> str | None:
    """The voice of a participle, also where the parser took it for a plain adjective and the analyser does not."""
    if grammar.is_participle(word):
        return word.feats.get("Voice", "Pass")
    if not word.lemma.endswith(("ny", "ty")):
        return None
    readings = inflector.analyses(word.form.lower())
    return "Pass" if any(one.feats.get("VerbForm") == "Part" for one in readings) else None


def _of_noun(tree: Tree, word: Word, noun: Word, voice: str, tools: Tools) -> Iterator[Draft]:
    feats = grammar.phrase_features(tree, noun.id) if not tree.children(noun.id, "conj") else _alone(noun)
    if feats is None:
        tools.why(f"the gender or number of {noun.form} is not known", noun.id)
        return
    if any(one.deprel == "acl:relcl" for one in tree.children(noun.id)):
        tools.why(f"{noun.form} has a relative clause already", noun.id)
        return
    clause = _clause(tree, word, voice, feats, noun, tools)
    if clause is None:
        return
    inside = with_commas(tree, tree.subtree(word.id), clause_openers=lexicon.CLAUSE_OPENERS)
    doubts = ("inflected", "comma")
    if tree.places[word.id] > tree.places[noun.id]:
        first = min(tree.places[one] for one in tree.subtree(word.id))
        yield Draft(_with_clause(tree, inside, clause, first), "relative near", (word.id, noun.id), doubts)
        return
    near = tree.places[noun.id] + 1
    far = _end(tree, noun)
    clumsy = ("style",) if far > near else ()
    made = _with_clause(tree, inside, clause, near)
    if not _has_bare_genitive(tree, noun):
        yield Draft(made, "relative near", (word.id, noun.id), (*doubts, "moved", *clumsy))
    if far > near:
        yield Draft(
            _with_clause(tree, inside, clause, far), "relative far", (word.id, noun.id), (*doubts, "moved", "far")
        )
    joined = tree.children(noun.id, "conj")
    if joined and all(
        tree.child(one.id, "case", "amod", "det", "nummod", *grammar.GOVERNING) is None for one in joined
    ):
        plural = grammar.phrase_features(tree, noun.id)
        both = _clause(tree, word, voice, plural, noun, tools) if plural else None
        if both is not None:
            last = max(tree.places[one] for one in tree.subtree(joined[-1].id)) + 1
            made = _with_clause(tree, inside, both, last)
            yield Draft(made, "relative far", (word.id, noun.id), (*doubts, "moved", "coordinated"))


def _has_bare_genitive(tree: Tree, noun: Word) -> bool:
    """Whether a genitive follows a noun from which nothing may part it: *garść monet*."""
    return any(
        one.feats.get("Case") == "Gen"
        and tree.child(one.id, "case") is None
        and tree.places[one.id] > tree.places[noun.id]
        for one in tree.children(noun.id, "nmod")
    )


def _alone(noun: Word) -> dict[str, str] | None:
    found = {name: noun.feats[name] for name in ("Number", "Gender", "Animacy") if name in noun.feats}
    found["Number"] = "Plur" if found.get("Number") == "Ptan" else found.get("Number", "")
    return found if "Gender" in found and found["Number"] else None


def _end(tree: Tree, noun: Word) -> int:
    """The place behind a noun and what follows and hangs on it, without coordinated nouns."""
    inside = set(tree.subtree(noun.id))
    for one in tree.children(noun.id, "conj", "acl"):
        inside -= tree.subtree(one.id)
    place = tree.places[noun.id]
    while place + 1 < len(tree.words) and tree.words[place + 1].id in inside and tree.words[place + 1].upos != "PUNCT":
        place += 1
    return place + 1


def _of_subject(tree: Tree, word: Word, verb: Word, voice: str, tools: Tools) -> Iterator[Draft]:
    subject = grammar.subject(tree, verb.id)
    feats = grammar.phrase_features(tree, subject.id) if subject is not None else None
    if subject is None or feats is None or subject.upos not in ("NOUN", "PROPN"):
        tools.why(f"{word.form} has no subject whose clause it could be", word.id)
        return
    for own, doubts in _reach(tree, word, verb):
        clause = _clause(tree, word, voice, feats, subject, tools, own=own)
        if clause is None:
            return
        inside = with_commas(tree, own, clause_openers=lexicon.CLAUSE_OPENERS)
        last = max(tree.places[one] for one in tree.subtree(subject.id) if one not in inside) + 1
        draft = _with_clause(tree, inside, clause, last)
        doubts = ("inflected", "comma", "moved", *doubts)
        yield Draft(draft, "relative of subject", (word.id, subject.id), doubts)


def _reach(tree: Tree, word: Word, verb: Word) -> Iterator[tuple[frozenset[int], tuple[str, ...]]]:
    """How far a participle that stands with the verb reaches: to its agent, or to the end of the clause."""
    own = tree.subtree(word.id)
    agent = tree.child(word.id, "obl:agent")
    if agent is not None:
        end = max(tree.places[one] for one in tree.subtree(agent.id))
        yield frozenset(one for one in own if tree.places[one] <= end), ()
    place = tree.places[word.id]
    if place > tree.places[verb.id] and len(own) > 1:
        more = [one for one in tree.children(verb.id, "obl", "advmod", "iobj") if tree.places[one.id] > place]
        wide = own.union(*(tree.subtree(one.id) for one in more))
        yield frozenset(one for one in wide if tree.places[one] >= place or one in own), ("attachment",)
    else:
        yield own, ()


def _clause(
    tree: Tree,
    word: Word,
    voice: str,
    feats: Mapping[str, str],
    noun: Word,
    tools: Tools,
    *,
    own: frozenset[int] | None = None,
) -> list[Word] | None:
    """Comma, który, the predicate and what the participle had, comma."""
    pronoun = tools.inflector.inflect("który", "DET", {**feats, "Case": "Nom"})
    changed: dict[int, Word] = {}
    helpers: list[Word] = []
    number = tree.fresh()
    for one in (word, *(joined for joined in tree.children(word.id, "conj") if "Case" in joined.feats)):
        other = voice if one is word else _voice(one, tools.inflector)
        if other != voice:
            tools.why(f"{word.form} and {one.form} make different clauses", one.id)
            return None
        if other == "Act":
            form = grammar.finite_form(
                tools.inflector, one.lemma, {"Tense": "Pres", "Aspect": "Imp", "Mood": "Ind"}, feats
            )
            made = Features({"Aspect": "Imp", "Mood": "Ind", "Number": feats["Number"], "Person": "3", "Tense": "Pres",
                             "VerbForm": "Fin", "Voice": "Act"})  # fmt: skip
            new = None if form is None else one.but(form=form, upos="VERB", xpos="_", feats=made)
        else:
            new = grammar.agreeing(one, {**feats, "Case": "Nom"}, tools.inflector)
        if new is None:
            tools.why(f"no predicate of {one.form} can be told", one.id)
            return None
        changed[one.id] = new
    if voice == "Pass":
        form = "jest" if feats["Number"] == "Sing" else "są"
        kind = Features({"Aspect": "Imp", "Mood": "Ind", "Number": feats["Number"], "Tense": "Pres", "VerbForm": "Fin"})
        helpers = [Word(number + 3, form, "być", "AUX", feats=kind, head=word.id, deprel="aux:pass")]
    if pronoun is None:
        return None
    which = Word(
        number, pronoun, "który", "DET", feats=Features({**feats, "Case": "Nom", "PronType": "Rel"}), head=word.id,
        deprel="nsubj" if voice == "Act" else "nsubj:pass",
    )  # fmt: skip
    changed[word.id] = changed[word.id].but(head=noun.id, deprel="acl:relcl")
    inside = [changed.get(one.id, one) for one in part(tree, own or tree.subtree(word.id))]
    while inside and inside[0].upos == "PUNCT":
        inside.pop(0)
    while inside and inside[-1].form == ",":
        inside.pop()
    return [comma(number + 1, word.id), which, *helpers, *inside, comma(number + 2, word.id)]


def _with_clause(tree: Tree, gone: frozenset[int], clause: list[Word], place: int) -> Tree:
    before = [word for word in tree.words[:place] if word.id not in gone]
    after = [word for word in tree.words[place:] if word.id not in gone]
    return in_order(tree, [*before, *clause, *after])
