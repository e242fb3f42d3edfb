"""Phrases that parsers of English hang on the wrong word: participles on what somebody wears, objects on nothing."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.en import grammar, lexicon
from kostra.transforms.inflection import Inflector
from kostra.trees import Features, Tree, Word

Changes = dict[int, Word]
_STATES_OF_PEOPLE = frozenset({"dressed", "seated", "surrounded", "covered", "parked", "mounted", "perched", "clad"})
"""Participles, as forms, that hardly are a past tense without an object."""
_RECEIVERS = frozenset({"me", "him", "us", "them"})


def caption(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*A child smiling at the camera* is a noun with a participle and no clause: no word of it has tense."""
    root = tree.root
    if not grammar.is_ing(root) or tree.child(root.id, "aux", "aux:pass", "cop", "mark"):
        return {}
    place = tree.places[root.id]
    nouns = [one for one in tree.children(root.id, "nsubj", "obl", "compound") if tree.places[one.id] < place]
    subject = nouns[-1] if nouns else None
    if subject is None or subject.upos not in ("NOUN", "PROPN") or tree.child(subject.id, "case"):
        return {}
    if len(nouns) > 1 or tree.places[min(tree.subtree(subject.id), key=tree.places.__getitem__)] > 0:
        return {}
    changed = {root.id: root.but(head=subject.id, deprel="acl"), subject.id: subject.but(head=0, deprel="root")}
    for one in tree.children(root.id, "punct", "parataxis"):
        changed[one.id] = one.but(head=subject.id)
    return changed


def joined_adjectives(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Red and black jacket*: the second adjective is joined with the first."""
    changed: Changes = {}
    for place, joint in enumerate(tree.words[1:-1], 1):
        if joint.form.lower() not in ("and", "or", "but"):
            continue
        before = place - 2 if tree.words[place - 1].form == "," and place > 1 else place - 1
        first, second = tree.words[before], tree.words[place + 1]
        if first.relation == "conj" and first.upos == "ADJ":
            first = tree[first.head]  # white, red, and black
        if first.relation != "amod" or first.upos != "ADJ" or second.upos != "ADJ":
            continue
        if second.relation == "amod" and second.head == first.head:
            changed[second.id] = second.but(head=first.id, deprel="conj")
        if second.id in changed or (second.relation == "conj" and second.head == first.id):
            changed[joint.id] = joint.but(head=second.id, deprel="cc")
    return changed


def side_of_and(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """Of two verbs joined by *and* each has what stands on its side: *kneels at a well and fills a jug*."""
    changed: Changes = {}
    for second in tree.words:
        joint = tree.child(second.id, "cc")
        if second.relation != "conj" or second.upos != "VERB" or tree[second.head].upos != "VERB" or joint is None:
            continue
        if tree.places[joint.id] > tree.places[second.id] or len(tree.children(second.head, "conj")) > 1:
            continue
        for one in tree.children(second.id, "obl", "obj", "advmod", "xcomp"):
            if tree.places[one.id] < tree.places[joint.id]:
                changed[one.id] = one.but(head=second.head)
        for one in tree.children(second.head, "obl", "obj", "advmod", "xcomp"):
            if tree.places[one.id] > tree.places[second.id]:
                changed[one.id] = one.but(head=second.id)
    return changed


def joined_adverbs(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Slowly and carefully*: the second adverb is joined with the first, not with the verb."""
    changed: Changes = {}
    for first, joint, second in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if (first.upos, joint.upos, second.upos) != ("ADV", "CCONJ", "ADV") or first.relation != "advmod":
            continue
        if second.relation == "conj" and second.head == first.head:
            changed[second.id] = second.but(head=first.id)
            changed[joint.id] = joint.but(head=second.id)
    return changed


def phrase_of_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """A phrase with a preposition that hangs on a verb is no modifier of a noun."""
    return {
        word.id: word.but(deprel="obl")
        for word in tree.words
        if word.deprel == "nmod" and tree[word.head].upos == "VERB" and tree.child(word.id, "case") is not None
    }


def participle_of_person(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*A man in a jacket playing*: who plays is the man, not what he wears."""
    changed: Changes = {}
    for word in tree.words:
        if word.relation != "acl" or not grammar.is_ing(word) or word.lemma in lexicon.OF_THINGS:
            continue
        noun = tree[word.head]
        if noun.upos != "NOUN" or _is_doer(tree, noun):
            continue
        verb = tree[noun.head] if noun.head else noun
        doer = tree.child(verb.id, "nsubj") if verb.upos == "VERB" and noun.relation in ("obl", "obj") else None
        if doer is not None and _is_doer(tree, doer) and word.lemma not in lexicon.MOTION:
            changed[word.id] = word.but(head=verb.id, deprel="advcl")
            continue
        above = noun
        while above.head:
            above = tree[above.head]
            if above.upos not in ("NOUN", "VERB") or (above.upos == "VERB" and above.relation != "acl"):
                break
            if above.upos == "NOUN" and _is_doer(tree, above):
                changed[word.id] = word.but(head=above.id)
                break
    return changed


def _is_doer(tree: Tree, noun: Word) -> bool:
    return grammar.ENGLISH.is_animate(tree, noun.id)


def participle_of_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """A participle that hangs on a verb belongs to the object right before it, or says what goes along."""
    changed: Changes = {}
    for word in tree.words:
        if word.deprel != "acl" or tree[word.head].upos != "VERB" or not word.feats.get("VerbForm"):
            continue
        start = min(tree.places[one] for one in tree.subtree(word.id))
        before = tree.words[start - 1] if start else word
        owner = before if before.head == word.head and before.relation in ("obj", "obl") else None
        if owner is not None and owner.upos == "NOUN" and _is_doer(tree, owner):
            changed[word.id] = word.but(head=owner.id)
        else:
            changed[word.id] = word.but(deprel="advcl")
    return changed


def lost_object(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """A noun without preposition right behind a verb that has no object is its object, unless it says when."""
    changed: Changes = {}
    for word in tree.words:
        if word.deprel not in ("obl:unmarked", "nmod:unmarked", "obl", "nmod") or tree[word.head].upos != "VERB":
            continue
        verb = tree[word.head]
        if tree.child(word.id, "case") or tree.child(verb.id, "obj", "aux:pass") or word.upos not in ("NOUN", "PROPN"):
            continue
        start = min(tree.places[one] for one in tree.subtree(word.id))
        if start == tree.places[verb.id] + 1 and word.lemma.lower() not in lexicon.TIMES:
            changed[word.id] = word.but(deprel="obj")
    return changed


def time_is_no_object(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Walks every day*: a time or a stretch is no object."""
    return {
        word.id: word.but(deprel="obl:unmarked")
        for word in tree.words
        if word.relation == "obj" and (word.lemma.lower() in lexicon.TIMES or word.upos == "NUM")
    }


def particle_with_phrase(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Hike up a path*: a particle right before what the parser took for an object is its preposition."""
    changed: Changes = {}
    for word in tree.words:
        if word.deprel != "compound:prt" or word.form.lower() not in ("up", "down", "through", "across", "along", "by"):
            continue
        thing = tree.child(word.head, "obj")
        if thing is None or tree[word.head].lemma not in lexicon.MOTION:
            continue
        if min(tree.places[one] for one in tree.subtree(thing.id)) == tree.places[word.id] + 1:
            changed[word.id] = word.but(head=thing.id, deprel="case", upos="ADP")
            changed[thing.id] = thing.but(deprel="obl")
    return changed


def particle_of_near_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """A particle belongs to the nearest verb before it, and so does an adverb right behind a verb."""
    changed: Changes = {}
    for before, word in pairwise(tree.words):
        if word.deprel == "compound:prt":
            verbs = [one for one in tree.words[: tree.places[word.id]] if one.upos == "VERB"]
        elif word.relation == "advmod" and word.upos in ("ADV", "ADP") and before.upos == "VERB":
            verbs = [before]
        else:
            continue
        own = {word.id, *tree.subtree(word.id)}
        if not verbs or verbs[-1].id == word.head or verbs[-1].id in own:
            continue
        if tree[word.head].upos == "VERB" and tree.places[word.head] < tree.places[verbs[-1].id]:
            changed[word.id] = word.but(head=verbs[-1].id)
    return changed


def time_has_no_article(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Paint the fence tomorrow*: the article and the noun before a day belong together, and the day to the verb."""
    changed: Changes = {}
    for word in tree.words:
        place = tree.places[word.id]
        noun = tree.words[place - 1]
        if word.form.lower() not in ("today", "tomorrow", "tonight", "yesterday") or noun.head != word.id:
            continue
        if not word.head:
            continue
        if noun.relation == "compound" and tree.child(word.id, "det", "nmod:poss") and tree[word.head].upos == "VERB":
            changed[noun.id] = noun.but(head=word.head, deprel="obj")
            changed[word.id] = word.but(deprel="obl:unmarked")
            for one in tree.children(word.id):
                if one.id != noun.id and tree.places[one.id] < place:
                    changed[one.id] = one.but(head=noun.id)
    return changed


def time_has_no_preposition(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*The tax on tobacco next year*: a preposition before another noun is not that of *next year*."""
    changed: Changes = {}
    for which in tree.words:
        time = tree[which.head] if which.head else which
        noun, case = tree.words[tree.places[which.id] - 1], tree.child(time.id, "case")
        if which.form.lower() not in ("next", "last", "this") or time.lemma.lower() not in lexicon.TIMES:
            continue
        if case is None or noun.head != time.id or noun.relation not in ("compound", "nmod", "amod"):
            continue
        place = tree.places[case.id]
        before = tree.words[place - 1] if place else case
        if before.upos != "NOUN" or tree.places[case.id] > tree.places[noun.id]:
            continue
        changed[noun.id] = noun.but(upos="NOUN", head=before.id, deprel="nmod")
        changed[time.id] = time.but(head=before.head if time.head == before.id else time.head, deprel="obl:unmarked")
        for one in tree.children(time.id):
            if tree.places[one.id] < tree.places[noun.id]:
                changed[one.id] = one.but(head=noun.id)
    return changed


def direction_of_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Rides a bike down the road*, *cuts paper with scissors*: where to and by what belong to the verb."""
    changed: Changes = {}
    for word in tree.words:
        if word.deprel != "nmod" or tree[word.head].relation != "obj" or tree[tree[word.head].head].upos != "VERB":
            continue
        case = tree.child(word.id, "case")
        if case is None or tree.places[word.id] < tree.places[word.head]:
            continue
        where_to = case.form.lower() in lexicon.DIRECTIONS
        by_what = case.form.lower() == "with" and word.lemma in lexicon.INSTRUMENTS
        about = case.form.lower() == "to" and tree[word.head].lemma in lexicon.RELATIONAL  # the key to the cellar
        if (where_to or by_what) and not about:
            changed[word.id] = word.but(head=tree[word.head].head, deprel="obl")
    return changed


def two_objects(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Gives the dog a bone*: of two objects the first gets the second."""
    changed: Changes = {}
    for verb in tree.words:
        if verb.lemma not in lexicon.GIVES_TO | lexicon.GIVES_FOR or verb.upos != "VERB":
            continue
        things = tree.children(verb.id, "obj", "obl:unmarked", "nmod:unmarked")
        if len(things) != 2 or tree.places[things[0].id] < tree.places[verb.id]:
            continue
        if things[0].upos == "PRON" or _is_doer(tree, things[0]):
            changed[things[0].id] = things[0].but(deprel="iobj")
            changed[things[1].id] = things[1].but(deprel="obj")
    return changed


def receiver(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Cost them much pain*: what owns a thing is *their*, and *them* gets it."""
    changed: Changes = {}
    for word in tree.words:
        thing = tree[word.head] if word.head else word
        if word.deprel == "nmod:poss" and word.form.lower() in _RECEIVERS and thing.relation == "obj":
            changed[word.id] = word.but(head=thing.head, deprel="iobj")
    return changed


def dressed(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Men dressed in black* is a noun with a participle: nobody dresses without saying whom."""
    root = tree.root
    if root.form.lower() not in _STATES_OF_PEOPLE or root.upos != "VERB":
        return {}
    subject = tree.child(root.id, "nsubj")
    joined = tree.children(root.id, "conj")
    if (
        subject is None
        or tree.child(root.id, "obj", "aux", "aux:pass")
        or any(not one.form.endswith("ing") for one in joined)
    ):
        return {}
    feats = Features(grammar.DONE)
    changed = {
        root.id: root.but(head=subject.id, deprel="acl", xpos="VBN", feats=feats),
        subject.id: subject.but(head=0, deprel="root"),
    }
    for one in tree.children(root.id, "punct", "parataxis"):
        changed[one.id] = one.but(head=subject.id)
    return changed


def next_to(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Next to the water*: both words are one preposition."""
    changed: Changes = {}
    for word, to in pairwise(tree.words):
        if word.form.lower() not in lexicon.ADVERBS_BEFORE_TO or to.form.lower() != "to" or to.relation != "case":
            continue
        if word.relation == "advmod" and word.head != to.head and not tree.children(word.id):
            changed[word.id] = word.but(head=to.head, deprel="case", upos="ADP")
    return changed


def clause_inside_noun(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """A finite verb joined with a noun, where a finite verb stands above, is joined with the verb."""
    changed: Changes = {}
    for word in tree.words:
        if word.relation != "conj" or word.upos != "VERB" or grammar.helpers(tree, word.id):
            continue
        at = tree[word.head]
        if at.upos not in ("NOUN", "PROPN") or tree.child(word.id, "nsubj"):
            continue
        while at.head and at.upos != "VERB":
            at = tree[at.head]
        alike = at.feats.get("VerbForm") == "Fin" and at.feats.get("Tense") == word.feats.get("Tense")
        if at.upos == "VERB" and (alike or (grammar.is_ing(at) and grammar.is_ing(word))):
            changed[word.id] = word.but(head=at.id)
    return changed


def colour_before_noun(tree: Tree, inflector: Inflector) -> Changes:
    """*Wears a purple hat*: a colour before a noun that hangs on it is an adjective of the noun."""
    for colour, noun in pairwise(tree.words):
        if colour.form.lower() not in lexicon.COLOURS or colour.upos != "NOUN" or noun.head != colour.id:
            continue
        thing = any(one.upos == "NOUN" for one in inflector.analyses(noun.form.lower()))
        if not thing or noun.upos != "NOUN":
            continue
        changed = {one.id: one.but(head=noun.id) for one in tree.children(colour.id) if one.id != noun.id}
        changed[noun.id] = noun.but(head=colour.head, deprel=colour.deprel)
        changed[colour.id] = colour.but(
            lemma=colour.form.lower(),
            upos="ADJ",
            xpos="JJ",
            feats=Features({"Degree": "Pos"}),
            head=noun.id,
            deprel="amod",
        )
        return changed
    return {}


def joined_object(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Approved the plan and the budget*: a noun is joined with the object before it, and not with the verb."""
    changed: Changes = {}
    for noun in tree.words:
        verb = tree[noun.head] if noun.head else noun
        if noun.relation != "conj" or noun.upos not in ("NOUN", "PROPN") or verb.upos != "VERB":
            continue
        if tree.child(noun.id, "case", "nsubj", "cop") is not None or not _opens_with_and(tree, noun):
            continue
        start = min(tree.places[one] for one in tree.subtree(noun.id))
        thing = tree.child(verb.id, "obj")
        if thing is not None and max(tree.places[one] for one in tree.subtree(thing.id)) == start - 1:
            changed[noun.id] = noun.but(head=thing.id)
    return changed


def _opens_with_and(tree: Tree, noun: Word) -> bool:
    first = min(tree.subtree(noun.id), key=tree.places.__getitem__)
    return tree[first].upos == "CCONJ"
