"""Adjectives and participles that hang on the wrong word, and nouns joined to the wrong one.

Each function looks for one pattern that the endings forbid, and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import agree, can_have
from kostra.trees import Tree, Word

Changes = dict[int, Word]


def adjective_between_nouns(tree: Tree, inflector: Inflector) -> Changes:
    """*czyści rurę długą szczotką*: an adjective right before a noun with which it agrees belongs to that noun."""
    changes: Changes = {}
    for before, word, behind in zip(tree.words, tree.words[1:], tree.words[2:], strict=False):
        if word.relation == "amod" and word.head == before.id and before.upos == behind.upos == "NOUN":
            bare = behind.feats.get("Case") == "Ins" and grammar.no_preposition(tree, behind)
            if bare and agree(inflector, word, behind) and behind.head != word.id:
                changes[word.id] = word.but(head=behind.id)
    return changes


def joined_adjectives(tree: Tree, inflector: Inflector) -> Changes:
    """*Duży, ale szybki koń*: two adjectives before a noun with which both agree are coordinated."""
    changes: Changes = {}
    for second in tree.words:
        if second.relation not in ("amod", "acl") or not second.head or tree[second.head].upos != "NOUN":
            continue
        noun, place = tree[second.head], tree.places[second.id]
        joint: list[Word] = []
        while place > 0 and tree.words[place - 1].upos in ("CCONJ", "PUNCT") and len(joint) < 2:
            place -= 1
            joint.append(tree.words[place])
        first = tree.words[place - 1] if place and joint else None
        if first is None or first.upos != "ADJ" or "Case" not in first.feats or first.head == noun.id:
            continue
        if any(one.form not in lexicon.JOINTS for one in joint) or tree.places[noun.id] < tree.places[second.id]:
            continue
        if tree.child(first.id, "cop", "aux", "case") or first.relation in ("amod", "conj", "acl"):
            continue
        if not agree(inflector, first, noun) or not agree(inflector, second, noun):
            continue
        changes[first.id] = first.but(head=noun.id, deprel="amod")
        changes[second.id] = second.but(head=first.id, deprel="conj")
        for one in joint:
            changes[one.id] = one.but(head=second.id, deprel="cc" if one.upos == "CCONJ" else "punct")
        verb = tree[noun.head] if noun.head else noun
        if first.head == 0 and grammar.is_finite(verb):
            changes[verb.id] = verb.but(head=0, deprel="root")
            for child in tree.children(first.id):
                if child.id not in changes:
                    changes[child.id] = child.but(head=verb.id)
    return changes


def participle_as_root(tree: Tree, inflector: Inflector) -> Changes:
    """*Zmęczeni podróżą turyści rozbijają namiot*: the finite verb is the root, the noun its subject."""
    root = tree.root
    if root.upos != "ADJ" or tree.child(root.id, "aux", "cop") is not None:
        return {}
    verb = next((one for one in tree.children(root.id) if grammar.is_finite(one)), None)
    subject = grammar.subject(tree, verb.id) if verb is not None else None
    near = [*tree.children(root.id), *((subject,) if subject is not None else ())]
    noun = next((one for one in near if one.upos == "NOUN" and agree(inflector, root, one)
                 and can_have(inflector, one, "Nom") and grammar.no_preposition(tree, one)), None)  # fmt: skip
    if verb is None or noun is None or tree.places[root.id] > tree.places[noun.id]:
        return {}
    changes = {
        verb.id: verb.but(head=0, deprel="root"),
        noun.id: noun.but(head=verb.id, deprel="nsubj"),
        root.id: root.but(head=noun.id, deprel="amod"),
    }
    for child in tree.children(root.id):
        if child.id not in changes and tree.places[child.id] > tree.places[noun.id]:
            changes[child.id] = child.but(head=verb.id)
    return changes


def participle_for_noun(tree: Tree, inflector: Inflector) -> Changes:
    """*widzi śpiącą pod lampą ćmę*: a participle that stands for a noun hands its place to the noun behind it."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "ADJ" or not grammar.is_participle(word) or word.relation in ("amod", "root", "xcomp", "conj"):
            continue
        if word.deprel == "acl:relcl" or tree.child(word.id, "aux", "cop") is not None or not word.head:
            continue
        inside = tree.subtree(word.id)
        place = tree.places[word.id]
        near = [*tree.words[place + 1 : place + 8], *(one for one in tree.children(word.id, "nsubj"))]
        nouns = [one for one in near if one.upos == "NOUN" and one.id in inside and grammar.no_preposition(tree, one)]
        noun = next((one for one in nouns if agree(inflector, word, one)), None)
        if noun is None or changes:
            continue
        relation = word.deprel
        if relation in ("advcl", "iobj", "obl", "acl"):
            relation = "obj" if can_have(inflector, noun, "Acc") and not can_have(inflector, noun, "Nom") else "nsubj"
            if relation == "nsubj" and grammar.subject(tree, word.head) is not None:
                relation = "obj"
        changes[noun.id] = noun.but(head=word.head, deprel=relation)
        changes[word.id] = word.but(head=noun.id, deprel="amod")
        for child in tree.children(word.id):
            if child.id != noun.id and tree.places[child.id] > tree.places[noun.id] and place < tree.places[noun.id]:
                changes[child.id] = child.but(head=noun.id)
    return changes


def adjective_of_nothing(tree: Tree, inflector: Inflector) -> Changes:
    """*bryczką weselną*: an adjective that hangs on no noun, beside a noun with which it agrees, belongs to it."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "ADJ" or word.relation in ("amod", "acl", "xcomp", "root", "nsubj", "advcl") or not word.head:
            continue
        if "Case" not in word.feats or tree.child(word.id, "cop", "aux", "case", "cc", "punct", "nsubj") is not None:
            continue
        place = tree.places[word.id]
        for near in (place - 1, place + 1):
            if 0 <= near < len(tree.words) and tree.words[near].upos == "NOUN":
                noun = tree.words[near]
                if (
                    agree(inflector, word, noun)
                    and noun.head != word.id
                    and not grammar.is_inside(tree, noun.id, word.id)
                ):
                    changes[word.id] = word.but(head=noun.id, deprel="amod")
                    for child in tree.children(word.id):
                        if child.relation not in ("advmod", "conj") and tree.places[child.id] > place:
                            changes[child.id] = child.but(head=grammar.verb_above(tree, noun.id) or noun.id)
                    break
    return changes


def disagreeing_modifier(tree: Tree, inflector: Inflector) -> Changes:
    """*aktor kłania się zwrócony bokiem*: a participle belongs to a noun with which it agrees, before or behind it."""
    changes: Changes = {}
    for word in tree.words:
        if (
            word.relation not in ("amod", "acl")
            or word.deprel == "acl:relcl"
            or not word.head
            or "Case" not in word.feats
        ):
            continue
        noun = tree[word.head]
        if noun.upos != "NOUN" or word.upos != "ADJ" or agree(inflector, word, noun):
            continue
        place = tree.places[word.id]
        after = tree.words[place + 1 : place + 7]
        before = tree.words[max(0, place - 8) : place]
        inside = tree.subtree(word.id)
        near = (*after, *reversed(before)) if place < tree.places[noun.id] else (*reversed(before), *after)
        nouns = [one for one in near if one.upos == "NOUN" and one.id != noun.id]
        other = next(
            (
                one
                for one in nouns
                if agree(inflector, word, one) and (grammar.no_preposition(tree, one) or one.id not in inside)
            ),
            None,
        )
        if other is None or (
            tree.places[other.id] > place and not grammar.no_preposition(tree, other) and other.id != noun.id
        ):
            continue
        if other.id in inside:  # kole zaparkowanego na ulicy motocyklu
            changes[other.id] = other.but(head=noun.id, deprel="nmod:arg")
            changes[word.id] = word.but(head=other.id, deprel="amod")
            continue
        is_subject = other.relation == "nsubj" and tree.places[other.head] < place and word.head != other.id
        if is_subject and can_have(inflector, word, "Nom"):
            changes[word.id] = word.but(head=other.head, deprel="xcomp", feats=word.feats.but(Case="Nom"))
        else:
            changes[word.id] = word.but(head=other.id, deprel="amod")
        is_phrase = noun.feats.get("Case") == "Ins" or not grammar.no_preposition(tree, noun)
        right_behind = 0 < tree.places[noun.id] - place <= 3
        if right_behind and is_phrase and grammar.is_participle(word) and noun.head != word.id:
            changes[noun.id] = noun.but(head=word.id, deprel="obl")
    return changes


def noun_joined_to_adjective(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*wozy załadowane sianem i traktor*: a noun is joined to the noun, not to its participle."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation == "conj" and word.upos == "NOUN" and word.head:
            head = tree[word.head]
            if head.upos == "ADJ" and head.relation in ("amod", "acl") and head.head and tree[head.head].upos == "NOUN":
                noun = tree[head.head]
                if noun.feats.get("Case") == word.feats.get("Case"):
                    changes[word.id] = word.but(head=noun.id)
    return changes


def adjectives_before_noun(tree: Tree, inflector: Inflector) -> Changes:
    """*przez wąski i długi tunel*: an adjective to which its own noun was joined is said of the noun."""
    changes: Changes = {}
    for noun in tree.words:
        first = tree[noun.head] if noun.relation == "conj" and noun.upos == "NOUN" and noun.head else noun
        if first.upos != "ADJ" or first.lemma in lexicon.ORDER_WORDS or not agree(inflector, first, noun):
            continue
        preposition, joint, second = (
            tree.child(first.id, "case"),
            tree.child(noun.id, "cc"),
            tree.child(noun.id, "amod"),
        )
        if preposition is None or joint is None or second is None:
            continue
        at = tree.places[noun.id]
        if [one.id for one in tree.words[at - 3 : at]] != [first.id, joint.id, second.id]:
            continue
        changes[noun.id] = noun.but(head=first.head, deprel=first.deprel)
        changes[first.id] = first.but(head=noun.id, deprel="amod")
        for one, head, relation in ((preposition, noun, "case"), (joint, second, "cc"), (second, first, "conj")):
            changes[one.id] = one.but(head=head.id, deprel=relation)
    return changes


def noun_joined_to_wrong_noun(tree: Tree, inflector: Inflector) -> Changes:
    """*pani z parasolką i student*: joined nouns stand in one case."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "conj" or word.upos != "NOUN" or not word.head or not grammar.no_preposition(tree, word):
            continue
        head = tree[word.head]
        case = head.feats.get("Case")
        if head.upos != "NOUN" or case is None or can_have(inflector, word, case) or grammar.governor(tree, word.id):
            continue
        inner = [one for one in tree.children(head.id, "nmod") if tree.places[one.id] < tree.places[word.id]]
        at = inner[-1] if inner else head
        above = [at] if inner else []
        while at.head:
            at = tree[at.head]
            above.append(at)
        for at in above:
            if at.upos == "NOUN" and "Case" in at.feats and can_have(inflector, word, at.feats["Case"]):
                changes[word.id] = word.but(head=at.id, feats=word.feats.but(Case=at.feats["Case"]))
                break
    return changes


def clause_joined_to_noun(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*ostrzy nóż, a kucharka obiera cebulę*: a clause is joined to the clause."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation == "conj" and grammar.is_finite(word) and word.head and tree[word.head].upos == "NOUN":
            verb = grammar.verb_above(tree, word.head)
            contrast = any(one.form.lower() in ("a", "zaś", "natomiast") for one in tree.children(word.id, "cc"))
            if verb is not None and contrast and grammar.is_finite(tree[verb]):
                changes[word.id] = word.but(head=verb)
    return changes


def agent(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*pisane przez ucznia*: przez right behind a passive participle names its agent."""
    changes: Changes = {}
    for participle, przez in zip(tree.words, tree.words[1:], strict=False):
        if przez.form != "przez" or przez.relation != "case" or not grammar.is_participle(participle, "Pass"):
            continue
        noun = tree[przez.head]
        if noun.id != participle.id and noun.deprel != "obl:agent":
            changes[noun.id] = noun.but(head=participle.id, deprel="obl:agent")
    return changes


def distant_agent(tree: Tree, inflector: Inflector) -> Changes:
    """*na linie ciągniętej po piasku przez rybaków*: who stands behind przez does what the participle says."""
    changes: Changes = {}
    for przez in tree.words:
        if przez.form != "przez" or przez.relation != "case" or not przez.head:
            continue
        noun, place = tree[przez.head], tree.places[przez.id]
        if not noun.head or not grammar.POLISH.is_animate(tree, noun.id, inflector):
            continue
        if grammar.is_participle(tree[noun.head], "Pass"):
            continue
        passive = next((one for one in tree.words[:place] if tree.child(one.id, "aux:pass") is not None), None)
        if passive is not None and tree.child(passive.id, "obl:agent") is None:
            if passive.id not in tree.subtree(noun.id):
                changes[noun.id] = noun.but(head=passive.id, deprel="obl:agent")
            continue
        for one in reversed(tree.words[:place]):
            if one.upos in ("VERB", "PUNCT", "CCONJ"):
                break
            if grammar.is_participle(one, "Pass") and tree.child(one.id, "obl:agent") is None:
                if one.id not in tree.subtree(noun.id):
                    changes[noun.id] = noun.but(head=one.id, deprel="obl:agent")
                break
    return changes


def participle_keeps_its_own(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*Dziecko niesione przez ojca śpi*: what stands between a participle and the verb is its own."""
    changes: Changes = {}
    for word in tree.words:
        if not grammar.is_participle(word) or word.relation not in ("amod", "acl") or not word.head:
            continue
        noun, place = tree[word.head], tree.places[word.id]
        if noun.relation != "nsubj" or not noun.head or tree.places[noun.id] > place:
            continue
        verb = tree.places[noun.head]
        for child in tree.children(noun.head, "obl", "iobj", "obj"):
            between = tree.words[place + 1 : tree.places[child.id]]
            if place < tree.places[child.id] < verb and not any(one.form == "," for one in between):
                changes[child.id] = child.but(head=word.id)
    return changes


def converb_keeps_its_own(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*czeka w bramie, licząc drobne*: what follows a converb up to the next comma belongs to it."""
    changes: Changes = {}
    for verb in tree.words:
        if not grammar.is_converb(verb) or verb.relation not in ("advcl", "conj") or not verb.head:
            continue
        place = tree.places[verb.id]
        if tree.places[verb.head] > place:
            continue
        for child in tree.children(verb.head, "obj", "obl", "iobj", "advmod"):
            between = tree.words[place + 1 : tree.places[child.id]]
            if tree.places[child.id] > place and not any(one.form in (",", "i") for one in between):
                changes[child.id] = child.but(head=verb.id)
    return changes


def before_the_conjunction(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*klęczy w ogródku i sadzi*: what stands before the conjunction belongs to the first of two verbs."""
    changes: Changes = {}
    for second in tree.words:
        conjunction = tree.child(second.id, "cc")
        if second.relation != "conj" or not grammar.is_finite(second) or conjunction is None or not second.head:
            continue
        first, joint = tree.places[second.head], tree.places[conjunction.id]
        if not grammar.is_finite(tree[second.head]):
            continue
        for child in tree.children(second.id, "obl", "obj", "iobj", "advmod"):
            if first < tree.places[child.id] < joint:
                changes[child.id] = child.but(head=second.head)
    return changes
