"""Noun phrases, prepositional phrases and clauses that hang on the wrong word.

Each function looks for one pattern that the endings forbid, and gives the words that change, by id.
"""

from __future__ import annotations

from kostra.transforms.inflection import Inflector
from kostra.transforms.pl import grammar, lexicon
from kostra.transforms.pl.agreement import agree, can_have, cells, is_governed
from kostra.trees import Tree, Word

Changes = dict[int, Word]


def numeral_as_subject(tree: Tree, inflector: Inflector) -> Changes:
    """*Dwóch smukłych akrobatów stoi*: the noun in the genitive is the subject, the numeral its numeral."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos not in ("NUM", "DET") or word.relation not in ("nsubj", "obj", "conj", "obl"):
            continue
        if word.feats.get("Case") not in ("Nom", "Acc"):
            continue
        place = tree.places[word.id]
        for noun in tree.words[place + 1 : place + 7]:
            if noun.upos in ("VERB", "CCONJ") or (
                noun.upos == "ADP" and grammar.next_form(tree, noun) not in lexicon.COLOURS
            ):
                break
            if noun.upos == "NOUN" and can_have(inflector, noun, "Gen") and noun.feats.get("Number") == "Plur":
                relation = "nsubj" if word.deprel == "obl" else word.deprel
                changes[noun.id] = noun.but(head=word.head, deprel=relation, feats=noun.feats.but(Case="Gen"))
                changes[word.id] = word.but(head=noun.id, deprel="nummod:gov")
                for child in (*tree.children(word.id), *tree.children(noun.head)):
                    between = place < tree.places[child.id] < tree.places[noun.id]
                    if child.id != noun.id and (child.head == word.id or between) and child.upos != "ADP":
                        changes[child.id] = child.but(
                            head=noun.id, deprel="amod" if child.upos == "ADJ" else child.deprel
                        )
                for child in tree.words[place + 1 : tree.places[noun.id]]:
                    if child.upos == "ADJ" and child.head == word.head:
                        changes[child.id] = child.but(head=noun.id, deprel="amod")
                break
    return changes


def wrong_preposition(tree: Tree, inflector: Inflector) -> Changes:
    """*przy obciążonej kamieniami siatce*: a preposition belongs to the noun whose case it governs."""
    changes: Changes = {}
    for preposition in tree.words:
        if preposition.relation != "case" or preposition.head == 0:
            continue
        noun = tree[preposition.head]
        if is_governed(inflector, preposition, noun) or noun.upos not in ("NOUN", "ADJ"):
            continue
        place = tree.places[noun.id]
        for other in tree.words[place + 1 : place + 4]:
            if other.upos in ("ADP", "VERB", "PUNCT", "CCONJ"):
                break
            if (
                other.upos == "NOUN"
                and is_governed(inflector, preposition, other)
                and other.feats.get("Case") != noun.feats.get("Case")
            ):
                between = tree.words[tree.places[preposition.id] + 1 : place]
                modifier = next((one for one in between if one.upos == "ADJ" and agree(inflector, one, other)), None)
                if modifier is None:
                    break
                changes[other.id] = other.but(head=noun.head, deprel=noun.deprel)
                changes[preposition.id] = preposition.but(head=other.id)
                changes[modifier.id] = modifier.but(head=other.id, deprel="amod")
                changes[noun.id] = noun.but(head=modifier.id, deprel="obl")
                break
    return changes


def wrong_antecedent(tree: Tree, inflector: Inflector) -> Changes:
    """*pan z walizkami, który …*: który agrees with its noun in number and gender."""
    changes: Changes = {}
    for verb in tree.words:
        if verb.deprel != "acl:relcl" or not verb.head:
            continue
        pronoun = next((one for one in tree.children(verb.id) if one.lemma == "który"), None)
        noun = tree[verb.head]
        if pronoun is None or noun.upos != "NOUN" or tree.places[noun.id] > tree.places[pronoun.id]:
            continue
        inside = tree.subtree(verb.id)
        nouns = [
            one
            for one in reversed(tree.words[: tree.places[pronoun.id]])
            if one.upos == "NOUN" and one.id not in inside
        ]
        nearest = next((one for one in nouns if _same_gender(inflector, pronoun, one)), noun)
        crossing = nouns[0].id == nearest.id and nearest.id not in tree.subtree(noun.id)
        if not _same_gender(inflector, pronoun, noun) or crossing:
            changes[verb.id] = verb.but(head=nearest.id)
    return changes


def _same_gender(inflector: Inflector, pronoun: Word, noun: Word) -> bool:
    left = {(number, gender) for _, number, gender in cells(inflector, pronoun.form, "ADJ")}
    right = {(number, gender) for _, number, gender in cells(inflector, noun.form, noun.upos)}
    return not left or not right or not left.isdisjoint(right)


def lost_genitive(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*w pobliżu czterech dębów*: a bare genitive right behind a noun belongs to it, not to the verb."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "NOUN" or word.relation not in ("iobj", "obl", "obj") or word.feats.get("Case") != "Gen":
            continue
        verb = tree[word.head] if word.head else None
        if verb is None or not grammar.no_preposition(tree, word) or grammar.governor(tree, word.id) is not None:
            continue
        if verb.lemma in lexicon.GENITIVE_OBJECTS or grammar.is_negated(tree, verb.id):
            continue
        first = min(tree.places[one] for one in tree.subtree(word.id))
        before = tree.words[first - 1] if first else None
        if before is not None and before.upos == "NOUN" and not grammar.is_inside(tree, before.id, word.id):
            changes[word.id] = word.but(head=before.id, deprel="nmod:arg")
    return changes


def phrase_beside_its_word(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """A prepositional phrase hangs on what stands right before it, where the tree would otherwise cross or jump.

    *Panie w futrach tańczą* (between subject and verb), *panie siedzące pod lipą* (behind a participle),
    *sadza na kolanach lalkę w czepku* (behind another noun than its head), *tańczą koło siebie* (before its head).
    """
    changes: Changes = {}
    for word in tree.words:
        if word.relation not in ("nmod", "obl", "iobj") or not word.head:
            continue
        if tree.child(word.id, "case") is None and (word.upos != "NOUN" or word.feats.get("Case") != "Ins"):
            continue
        first = min(tree.places[one] for one in tree.subtree(word.id) if tree[one].upos != "PUNCT")
        before = tree.words[first - 1] if first else None
        head = tree[word.head]
        if before is not None and before.form == "się" and first > 1 and grammar.is_participle(tree.words[first - 2]):
            before = tree.words[first - 2]
        if before is None or before.upos in ("PUNCT", "ADP", "CCONJ"):
            continue
        if before.id == head.id or grammar.is_inside(tree, before.id, word.id):
            continue
        behind_subject = (
            word.relation == "obl" and head.upos == "VERB" and tree.places[head.id] > first
            and (before.upos == "NOUN" or before.lemma in grammar.POLISH.pairs)
            and before.relation == "nsubj" and before.head == head.id
        )  # fmt: skip
        joined = before.relation == "conj" and before.upos == "NOUN" and tree[before.head].relation == "nmod"
        near = tree[before.head] if joined else changes.get(before.id, before)
        who = grammar.subject(tree, head.id) if word.relation == "obl" and near.relation == "nmod" else None
        behind_phrase = (
            who is not None and who.upos == "NOUN" and tree.places[who.id] < first < tree.places[head.id]
            and near.head == who.id
        )  # fmt: skip
        is_modifier = before.relation in ("amod", "acl", "xcomp") and before.deprel != "acl:relcl"
        behind_participle = is_modifier and grammar.is_participle(before)
        crossing = (
            word.relation == "nmod" and head.upos == "NOUN" and before.upos == "NOUN"
            and tree.places[head.id] < tree.places[before.id] and before.id not in tree.subtree(head.id)
        )  # fmt: skip
        early = word.relation == "nmod" and head.upos == "NOUN" and tree.places[head.id] > tree.places[word.id]
        dressed = (
            word.relation == "obl" and before.upos == "NOUN" and word.lemma in lexicon.CLOTHES
            and before.lemma not in lexicon.CLOTHES and before.lemma not in lexicon.BODY
            and before.relation in ("obj", "obl", "iobj", "nsubj") and tree.child(word.id, "case") is not None
        )  # fmt: skip
        if behind_subject or crossing or dressed:
            changes[word.id] = word.but(head=before.id, deprel="nmod")
        elif behind_phrase and who is not None:
            owner = before if joined and word.lemma in lexicon.BODY else who
            changes[word.id] = word.but(head=owner.id, deprel="nmod")
        elif behind_participle or (early and before.upos == "VERB"):
            changes[word.id] = word.but(head=before.id, deprel="obl")
    return changes


def direction_of_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*wsuwa list pod drzwi*, *podał klucz sąsiadce*: a direction or receiver behind an object is the verb's."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation not in ("nmod", "iobj") or word.upos != "NOUN" or not word.head:
            continue
        if tree[word.head].relation != "obj":
            continue
        preposition = tree.child(word.id, "case")
        case = word.feats.get("Case")
        if preposition is not None and preposition.form in ("pod", "za", "nad", "przed") and case == "Acc":
            changes[word.id] = word.but(head=tree[word.head].head, deprel="obl")
        elif preposition is None and case == "Dat":
            changes[word.id] = word.but(head=tree[word.head].head, deprel="iobj")
        elif preposition is not None and word.lemma in lexicon.DIRECTIONS and (preposition.form, case) in _TOWARDS:
            changes[word.id] = word.but(head=tree[word.head].head, deprel="obl")
    return changes


_TOWARDS = frozenset({("do", "Gen"), ("w", "Acc"), ("na", "Acc"), ("ku", "Dat")})


def measure_of_adverb(tree: Tree, inflector: Inflector) -> Changes:
    """*leży kawałek dalej*: a bare noun right before an adverb of the comparative says by how much."""
    changes: Changes = {}
    for noun, adverb in zip(tree.words, tree.words[1:], strict=False):
        if noun.upos != "NOUN" or adverb.upos != "ADV" or adverb.feats.get("Degree") != "Cmp" or noun.head == 0:
            continue
        if noun.relation == "nsubj" or not can_have(inflector, noun, "Acc"):
            continue
        if not grammar.no_preposition(tree, noun):
            changes |= _measure_in_relative(tree, noun, adverb)
            continue
        near = tree.words[max(0, tree.places[noun.id] - 2) : tree.places[noun.id]]
        if len(tree.children(noun.id)) > 1 or (tree.children(noun.id) and len(near) < 2):
            continue
        for child in tree.children(noun.id):  # of what stands before it: motor leżący kawałek dalej
            owner, modifier = near
            if child is not modifier or owner.upos != "NOUN" or not agree(inflector, child, owner):
                break
            changes[child.id] = child.but(head=owner.id)
        else:
            changes |= _measure(noun, adverb)
    return changes


def _measure_in_relative(tree: Tree, noun: Word, adverb: Word) -> Changes:
    """*droga, przy której kawałek dalej stoi dom*: the preposition is the pronoun's."""
    before = tree.words[tree.places[noun.id] - 1]
    if before.lemma != "który" or before.head != noun.id:
        return {}
    changes = {before.id: before.but(head=noun.head, deprel="obl")}
    changes |= {one.id: one.but(head=before.id) for one in tree.children(noun.id, "case")}
    return changes | _measure(noun, adverb)


def _measure(noun: Word, adverb: Word) -> Changes:
    return {
        noun.id: noun.but(head=adverb.id, deprel="obl", feats=noun.feats.but(Case="Acc")),
        adverb.id: adverb.but(head=noun.head if adverb.head == noun.id else adverb.head),
    }


def together_of_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*niosą razem ciężki kosz*: what several do together is said of the verb, not of the thing."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation == "advmod" and word.form.lower() in lexicon.TOGETHER and word.head:
            thing = tree[word.head]
            thing = tree[thing.head] if thing.relation == "amod" else thing
            behind = tree.places[word.id] < tree.places[thing.id]
            if thing.upos == "NOUN" and thing.relation == "obj" and behind and tree[thing.head].upos == "VERB":
                changes[word.id] = word.but(head=thing.head)
    return changes


def phrase_of_last_conjunct(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*w płaszczu i wianku na głowie*: of joined things a phrase right behind the last is the last one's."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "nmod" or not word.head or tree.child(word.id, "case") is None:
            continue
        joined = [one for one in tree.children(word.head, "conj") if tree.places[one.id] < tree.places[word.id]]
        if not joined or joined[-1].upos != "NOUN" or grammar.no_preposition(tree, tree[word.head]):
            continue
        first = min(tree.places[one] for one in tree.subtree(word.id))
        if tree.words[first - 1].id == joined[-1].id:
            changes[word.id] = word.but(head=joined[-1].id)
    return changes


def lost_object(tree: Tree, inflector: Inflector) -> Changes:
    """*chowa w szufladzie stary zegarek*: a bare accusative under a noun is the object of the verb."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "NOUN" or word.relation not in ("nmod", "obj", "iobj", "obl", "appos", "conj") or not word.head:
            continue
        if not grammar.no_preposition(tree, word) or (word.relation == "conj" and tree.child(word.id, "cc", "punct")):
            continue
        head = tree[word.head]
        if head.upos != "NOUN" and not (word.relation in ("iobj", "obl") and head.upos == "VERB"):
            continue
        if (
            word.feats.get("Case") not in ("Acc", "Nom")
            or not can_have(inflector, word, "Acc")
            or (can_have(inflector, word, "Gen") and grammar.numeral(tree, word.id) is None)
        ):
            continue
        verb = head.id if head.upos == "VERB" else grammar.verb_above(tree, word.id)
        if verb is None or tree.child(verb, "obj") is not None or tree[verb].upos != "VERB":
            continue
        if grammar.subject(tree, verb) is None and not grammar.is_converb(tree[verb]):
            continue
        if tree.places[word.id] > tree.places[verb] and not grammar.reflexive(tree, verb):
            changes[word.id] = word.but(head=verb, deprel="obj", feats=word.feats.but(Case="Acc"))
    return changes


def instrument(tree: Tree, inflector: Inflector) -> Changes:
    """*kroi chleb nożem*: a bare instrumental behind an object says with what it is done."""
    changes: Changes = {}
    for word in tree.words:
        if word.upos != "NOUN" or word.relation != "nmod" or word.feats.get("Case") != "Ins" or not word.head:
            continue
        head = tree[word.head]
        if (
            head.relation == "obj"
            and head.upos == "NOUN"
            and grammar.no_preposition(tree, word)
            and not can_have(inflector, word, "Gen")
        ):
            changes[word.id] = word.but(head=head.head, deprel="obl")
    return changes


def adverb_of_verb(tree: Tree, inflector: Inflector) -> Changes:  # noqa: ARG001 - a mender's form
    """*maszerują pieszo po grobli*: an adverb before such a phrase is the verb's, unless it says how near."""
    changes: Changes = {}
    for word in tree.words:
        if word.relation != "advmod" or word.upos != "ADV" or not word.head or word.form.lower() in lexicon.NEARNESS:
            continue
        noun = tree[word.head]
        if noun.upos == "NOUN" and noun.relation == "obl" and tree.places[word.id] < tree.places[noun.id]:
            following = grammar.next_form(tree, word)
            if any(one.form == following for one in tree.children(noun.id, "case")) and tree[noun.head].upos == "VERB":
                changes[word.id] = word.but(head=noun.head)
    return changes
