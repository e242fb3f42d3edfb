"""Phrases whose head no ending tells but their meaning does: vehicles, ways, purposes; colours with a hyphen.

Each function looks for one pattern and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import agree, can_have, cells
from kostra.trees import Tree, Word

Changes = dict[int, Word]
_GLUED = "SpaceAfter=No"


def hyphenated_colour(tree: Tree, inflector: Inflector) -> Changes:
    """*Czarno-biały pies*: both parts are one modifier, written without blanks."""
    changes: Changes = {}
    words = tree.words
    for place in [place for place, word in enumerate(words[:-1]) if place and word.form in "-–"]:
        first, hyphen, second = words[place - 1 : place + 2]
        if not first.form.endswith("o") or first.upos not in ("ADV", "ADJ") or "Case" in first.feats:
            continue
        if second.upos not in ("ADV", "ADJ"):
            continue
        changes[first.id], changes[hyphen.id] = first.but(misc=_GLUED), hyphen.but(misc=_GLUED, head=second.id)
        noun = _coloured(tree, first, second, inflector)
        if noun is not None and first.head != noun.id:
            lone = first.but(upos="ADJ", feats=first.feats.but(Degree=None), head=noun.id, deprel="amod", misc=_GLUED)
            changes[first.id] = lone
            changes[second.id] = second.but(head=first.id, deprel="conj")
            changes |= {one.id: one.but(head=noun.id) for one in tree.children(first.id) if one.id not in changes}
    return changes


def _coloured(tree: Tree, first: Word, second: Word, inflector: Inflector) -> Word | None:
    """The noun of a colour whose second part agrees with it."""
    if "Case" not in second.feats:
        return None
    if second.relation == "amod" and second.head and second.head != first.id:
        return tree[second.head]
    behind = tree.words[tree.places[second.id] + 1 : tree.places[second.id] + 4]
    noun = next((one for one in behind if one.upos == "NOUN"), None)
    return noun if first.upos == "ADV" and noun is not None and agree(inflector, second, noun) else None


def purpose_of_noun(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*odbija piłkę do siatkówki na plaży*, *skok o tyczce*: what a thing is for is the thing's, the place is not."""
    changes: Changes = {}
    for before, preposition in zip(tree.words, tree.words[1:], strict=False):
        if before.upos != "NOUN" or preposition.form not in ("do", "o") or preposition.relation != "case":
            continue
        noun = tree[preposition.head]
        if preposition.form == "do":
            meant = noun.lemma in lexicon.GAMES or noun.lemma.endswith(("anie", "enie", "cie"))
        else:
            meant = noun.feats.get("Case") == "Loc" and noun.lemma in lexicon.POLES
        if not meant or noun.relation not in ("obl", "nmod") or not noun.head:
            continue
        verb = tree[noun.head] if tree[noun.head].upos == "VERB" else None
        if verb is not None and not grammar.is_inside(tree, before.id, noun.id) and before.head:
            changes[noun.id] = noun.but(head=before.id, deprel="nmod")
        above = grammar.verb_above(tree, noun.id)
        for inner in tree.children(noun.id, "nmod") if above is not None else ():
            where = tree.child(inner.id, "case")
            if where is not None and where.form in lexicon.PLACES and tree.places[above or 0] < tree.places[inner.id]:
                changes[inner.id] = inner.but(head=above or 0, deprel="obl")
    return changes


def way_of_verb(tree: Tree, inflector: Inflector) -> Changes:
    """*jedzie po alejce na hulajnodze*, *ciągnie pana w czapce po piasku*: way and vehicle are the verb's."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nmod" or word.upos != "NOUN" or word.feats.get("Case") != "Loc" or not word.head:
            continue
        preposition, noun = tree.child(word.id, "case"), tree[word.head]
        if preposition is None or tree.places[noun.id] > tree.places[word.id]:
            continue
        way = preposition.form == "po" and word.lemma not in lexicon.BODY
        vehicle = preposition.form == "na" and word.lemma in lexicon.VEHICLES
        above = grammar.verb_above(tree, word.id)
        if not (way or vehicle) or above is None or tree.places[above] > tree.places[word.id]:
            continue
        if noun.lemma in lexicon.MOTIONS or noun.lemma.endswith(("anie", "enie", "cie")):
            continue
        if grammar.POLISH.is_animate(tree, noun.id, inflector) or noun.relation == "conj":
            continue
        if not _crosses(tree, word, tree.places[above]):
            changes[word.id] = word.but(head=above, deprel="obl")
    return changes


def _crosses(tree: Tree, word: Word, verb: int) -> bool:
    """Whether a comma or a conjunction stands between a verb and a phrase behind it."""
    return any(one.upos in ("PUNCT", "CCONJ") for one in tree.words[verb : tree.places[word.id]])


def place_of_adjective(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*ogląda film rysunkowy na kanapie*: a place behind an adjective behind its noun is the verb's."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "obl" or word.upos != "NOUN" or not word.head:
            continue
        modifier = tree[word.head]
        if modifier.upos != "ADJ" or modifier.relation != "amod" or grammar.is_participle(modifier):
            continue
        where, noun = tree.child(word.id, "case"), tree[modifier.head]
        if where is None or where.form not in lexicon.PLACES or tree.places[noun.id] > tree.places[modifier.id]:
            continue
        above = grammar.verb_above(tree, noun.id)
        if above is not None and tree.places[above] < tree.places[modifier.id] < tree.places[word.id]:
            changes[word.id] = word.but(head=above)
    return changes


def head_down(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*wisi głową w dół*: the part of the body and where it points go together, and are no object."""
    changes: Changes = {}
    for part, preposition, where in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if part.lemma not in lexicon.BODY or part.feats.get("Case") != "Ins" or where.lemma not in lexicon.DIRECTIONS:
            continue
        if preposition.head == where.id and part.head and grammar.no_preposition(tree, part):
            changes[part.id] = part.but(deprel="obl")
            changes[where.id] = where.but(head=part.id, deprel="nmod")
            for inner in tree.children(where.id, "nmod", "obl"):
                changes[inner.id] = inner.but(head=part.head, deprel="obl")
    return changes


def held_in_arms(tree: Tree, inflector: Inflector) -> Changes:
    """*trzyma na rękach synka*: somebody behind a part of the body is held, not its owner."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nmod" or word.feats.get("Case") != "Gen" or not word.head:
            continue
        body = tree[word.head]
        verb = tree[body.head] if body.lemma in lexicon.BODY and body.relation == "obl" and body.head else None
        if verb is None or verb.lemma not in lexicon.HOLDING or tree.child(verb.id, "obj") is not None:
            continue
        if word.upos == "NOUN" and can_have(inflector, word, "Acc") and grammar.no_preposition(tree, word):
            numbers = {cell[1] for cell in cells(inflector, word.form, word.upos) if cell[0] == "Acc"}
            number = word.feats.get("Number", "Sing")
            number = number if number in numbers or len(numbers) != 1 else numbers.pop()
            changes[word.id] = word.but(head=verb.id, deprel="obj", feats=word.feats.but(Case="Acc", Number=number))
            for one in tree.children(word.id, "amod"):
                changes[one.id] = one.but(feats=one.feats.but(Case="Acc", Number=number))
    return changes


def direction_of_participle(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*z uniesioną ręką do góry*: where something points is said by its participle."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nmod" or not word.head or tree[word.head].lemma not in lexicon.BODY:
            continue
        preposition, noun = tree.child(word.id, "case"), tree[word.head]
        made = next((one for one in tree.children(noun.id, "amod") if grammar.is_participle(one, "Pass")), None)
        if preposition is None or made is None or tree.places[made.id] > tree.places[noun.id]:
            continue
        aimed = word.lemma in lexicon.DIRECTIONS or word.lemma in ("kierunek", "strona")
        if aimed or (preposition.form == "o" and word.feats.get("Case") == "Acc"):
            changes[word.id] = word.but(head=made.id, deprel="obl")
    return changes


def adverb_of_participle(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*szeroko otwarte oczy*: an adverb right before a participle that stands before its noun is the participle's."""
    changes: Changes = {}
    for word, made in zip(tree.words, tree.words[1:], strict=False):
        if word.upos != "ADV" or made.upos != "ADJ" or made.relation != "amod":
            continue
        preposition, noun = tree.child(word.id, "case"), tree[made.head]
        if preposition is not None and word.lemma not in lexicon.COLOURS and grammar.no_preposition(tree, noun):
            changes[preposition.id] = preposition.but(head=noun.id)
            changes[word.id] = word.but(head=made.id, deprel="advmod")
        if word.head == made.id:
            continue
        before = grammar.is_participle(made) and tree.places[made.id] < tree.places[made.head]
        if before and not grammar.is_inside(tree, made.id, word.id) and word.relation in ("advmod", "obl"):
            changes[word.id] = word.but(head=made.id, deprel="advmod")
            place = tree.places[word.id]
            if place and tree.words[place - 1].form == "tak" and word.form == "samo":
                changes[tree.words[place - 1].id] = tree.words[place - 1].but(head=word.id, deprel="advmod")
    return changes


def bare_locative(tree: Tree, inflector: Inflector) -> Changes:
    """*Dziecku kupują lody*: a noun that looks like a locative, and has no preposition, is a dative."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "NOUN" or word.feats.get("Case") != "Loc" or word.relation == "conj":
            continue
        if grammar.no_preposition(tree, word) and can_have(inflector, word, "Dat"):
            for one in (word, *tree.children(word.id, "amod")):
                changes[one.id] = one.but(feats=one.feats.but(Case="Dat"))
    return changes


def place_beyond_body(tree: Tree, inflector: Inflector) -> Changes:
    """*leży na plecach na trawie*, *leci obok skał z rozłożonymi skrzydłami*: place and manner are the verb's."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nmod" or word.upos != "NOUN" or not word.head:
            continue
        noun, preposition = tree[word.head], tree.child(word.id, "case")
        if preposition is None or noun.relation != "obl" or not noun.head or tree[noun.head].upos != "VERB":
            continue
        if tree.places[noun.id] > tree.places[word.id] or tree.places[noun.head] > tree.places[noun.id]:
            continue
        place = noun.lemma in lexicon.BODY and preposition.form in lexicon.PLACES and word.lemma not in lexicon.BODY
        manner = preposition.form in ("z", "ze") and word.lemma in lexicon.BODY and word.feats.get("Case") == "Ins"
        manner = manner and tree.child(word.id, "amod", "acl") is not None
        manner = manner and not grammar.POLISH.is_animate(tree, noun.id, inflector)
        if place or manner:
            changes[word.id] = word.but(head=noun.head, deprel="obl")
    return changes


def place_of_crowd(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*z grupą kibiców na trybunach*: a place right behind those who are many is theirs."""
    changes: Changes = {}
    for noun, preposition in zip(tree.words, tree.words[1:], strict=False):
        if noun.relation != "nmod" or noun.feats.get("Case") != "Gen" or preposition.relation != "case":
            continue
        place, many = tree[preposition.head], tree[noun.head]
        if place.relation != "obl" or preposition.form not in lexicon.PLACES or many.lemma not in lexicon.QUANTITIES:
            continue
        if many.relation in ("nmod", "obl") and not grammar.no_preposition(tree, many):
            changes[place.id] = place.but(head=noun.id, deprel="nmod")
    return changes


def participle_of_next_noun(tree: Tree, inflector: Inflector) -> Changes:
    """*z tyłu zatłoczonego wozu*: a participle between two nouns belongs to the bare genitive behind it."""
    changes: Changes = {}
    for before, made, noun in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if made.head != before.id or before.upos != "NOUN" or not grammar.is_participle(made):
            continue
        bare = noun.upos == "NOUN" and noun.head == made.id and noun.feats.get("Case") == "Gen"
        if bare and agree(inflector, made, noun) and grammar.no_preposition(tree, noun):
            changes[noun.id] = noun.but(head=before.id, deprel="nmod")
            changes[made.id] = made.but(head=noun.id, deprel="amod")
    return changes
