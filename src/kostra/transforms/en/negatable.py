"""What keeps an English sentence from being negated as a whole, and what it is: a request, *there is*, *every*."""

from __future__ import annotations

from itertools import pairwise

from kostra.transforms.edits import is_comma
from kostra.transforms.en import grammar, lexicon
from kostra.transforms.en.grammar import ENGLISH
from kostra.transforms.engine import Tools
from kostra.transforms.shared import looking
from kostra.trees import Tree, Word

_OUT_OF_SCOPE = lexicon.words("outside_negation")
_SAYING = frozenset(
    {"say", "add", "ask", "reply", "answer", "conclude", "explain", "shout", "whisper", "write", "tell"}
)
_QUOTING = frozenset({'"', "'", "''", "``", "“", "”", "„"})
_SAID_BY_SAYING = frozenset(
    {"bet", "guess", "hope", "wish", "swear", "promise", "assure", "suppose", "wonder", "thank"}
)
"""Verbs with which *I* does what it says, or softens it: nobody denies them."""
_SOME = frozenset({"some", "several", "many", "most", "certain", "various", "numerous", "other"})
LARGE = frozenset({"thousand", "hundred", "dozen", "million", "lot", "number", "majority", "handful", "plenty"})
_WHERE = frozenset({"where", "when", "why", "how", "as", "if", "while", "because", "although", "though", "after"})
_NEARLY = frozenset({"nearly", "almost", "practically", "virtually"})
_PAIRED = frozenset({("pretty", "much"), ("a", "bit"), ("a", "little"), ("due", "to"), ("thanks", "to"),
                     ("because", "of"), ("now", "that"), ("more", "or"), ("sooner", "or")})  # fmt: skip
"""Two words, as forms, that soften what they stand with or say why, which *not* reaches or not."""
_SOFTENING = frozenset({"pretty", "quite", "rather", "fairly", "somewhat"})
"""Adverbs, as forms, that hardly stand behind *not*, or mean something else there."""
_PRAISING = frozenset({"good", "great", "nice", "decent", "excellent", "proper", "nutritious", "healthy", "best"})
"""What is recommended with a request, as lemmas: nobody is asked not to use any good glue."""
_LATELY = frozenset({"lately", "recently", "currently", "presently", "early"})
_NOMINATIVE = frozenset({"it", "he", "she", "they", "i", "we", "you"})


def there(tree: Tree) -> Word | None:
    """The *there* of *there is*."""
    root = tree.root
    found = next((one for one in tree.children(root.id, "expl") if one.form.lower() == "there"), None)
    return found if found is not None and root.lemma == "be" else None


def has_word_outside(tree: Tree, root: Word) -> bool:
    """Whether a word stands outside every negation, or means something else in it: *maybe*, *or something*."""
    wish = any(one.form.lower() in ("'d", "would") for one in tree.children(root.id, "aux"))
    if wish and root.lemma in ("like", "love"):
        return True
    least = any(
        one.form.lower() in ("at", "as") and looking.next_form(tree, one) in ("least", "most", "many")
        for one in tree.words
    )
    or_so = any(
        one.form.lower() == "or" and looking.next_form(tree, one) in ("something", "someone", "so")
        for one in tree.words
    )
    nearly = any(
        one.form.lower() in _NEARLY and (one.head == root.id or looking.next_form(tree, one) in lexicon.OF_ALL)
        for one in tree.words
    )
    return or_so or least or nearly or any(word.form.lower() in _OUT_OF_SCOPE for word in tree.words)


def incoherent(tree: Tree, root: Word) -> str | None:
    """What else in a sentence says that it is so, and would stand beside its negation; None if nothing does."""
    subject = looking.subject(tree, root.id)
    if reason := _hardly_denied(tree, root, subject) or _loosely_said(tree, root, subject) or _worded(tree, root):
        return reason
    denied = next((one for one in tree.words if one.lemma.lower() in lexicon.NEGATIVE), None)
    if denied is not None and not ENGLISH.is_negated(tree, root.id):
        return f"{denied.form} denies something already"
    if subject is not None and grammar.is_ing(root):
        named = root.lemma in ("have", "be") or subject.lemma.lower() in lexicon.NAMED_BY_ING
        if named and not grammar.is_passive(tree, root.id):
            return f"{root.form} may say what {subject.form} is"
    return None


def is_of_verb(tree: Tree, clause: Word) -> bool:
    """Whether an -ing phrase goes on with what a verb says, and a negation reaches into it: *starts out telling*."""
    opened = tree.child(clause.id, "mark", "nsubj", "case", "aux", "cop") is not None
    return grammar.is_ing(clause) and not opened


def _worded(tree: Tree, root: Word) -> str | None:
    """A word or two in a sentence that would mean something else beside *not*, or None."""
    begins = tree.places[root.id]
    modal = next((one for one in grammar.helpers(tree, root.id) if one.form.lower() in ("may", "might")), None)
    if modal is not None:
        return f"what {modal.form} be {modal.form} not be as well"
    if root.lemma == "some":
        return f"what is said with {root.form} would be denied in part"
    for word in tree.words:
        following, form = looking.next_form(tree, word).lower(), word.form.lower()
        if (form, following) in _PAIRED or form in lexicon.ANY_AT_ALL:
            return f"{word.form} would mean something else"  # is not pretty much running it
        if form in _SOFTENING and word.upos == "ADV" and _says_how(tree, word):
            return f"{word.form} hardly stands behind not"  # is not pretty tall
        if tree.places[word.id] < begins:
            continue
        behind = tree.words[tree.places[word.id] + 2 :][:1]
        counted = following == "of" and any(near.upos == "NUM" or near.form in ("several", "many") for near in behind)
        if word.lemma == "part" and following == "of" and word.feats.get("Number") == "Plur":
            return f"some {form} may be left out as it is"  # must be silent during parts of the show
        if form == "one" and counted:
            return "one of several may be any of them"  # cannot be done in one of two ways
        if form == "but" or (form in ("cause", "'cause", "cuz") and following in _NOMINATIVE):
            return f"what is set against it with {form} would fit no more"
    behind = tree.words[begins + 1 :][:1]
    if any(grammar.is_past_participle(one) and one.lemma in lexicon.NAMING for one in behind):
        return f"{behind[0].form} belongs to what stands before {root.form}"  # a new band formed called Rust
    return None


def _says_how(tree: Tree, word: Word) -> bool:
    """Whether an adjective or adverb follows."""
    behind = tree.words[tree.places[word.id] + 1 :][:1]
    return any(one.upos in ("ADJ", "ADV") for one in behind)


def _loosely_said(tree: Tree, root: Word, subject: Word | None) -> str | None:
    """Why a part of a sentence would be denied or not, as one reads it; None if nothing is so loose."""
    begins = tree.places[root.id]
    for one in tree.children(root.id, "ccomp"):
        some = next((inner for inner in tree.descendants(one.id) if inner.form.lower() in lexicon.SOME_TO_ANY), None)
        if some is not None:
            return f"{some.form} would be denied, or not"
    if subject is None:
        return None
    start = min(tree.places[one] for one in tree.subtree(subject.id))
    apart = any(is_comma(one) for one in tree.words[:start]) and not any(
        one.upos == "ADP" for one in tree.words[:start]
    )
    for one in tree.children(root.id) if apart else ():
        bare = one.upos in ("NOUN", "ADJ") and tree.child(one.id, "case", "mark") is None
        if bare and tree.places[one.id] < start and one.lemma.lower() not in lexicon.TIMES and one.id != subject.id:
            return f"what is said with {one.form} would stay as it is"  # good idea, I am trying it
    between = tree.words[tree.places[subject.id] + 1 : begins]
    for comma, after in pairwise(between):
        if is_comma(comma) and after.form.lower() in _NOMINATIVE | {"this"}:
            return f"{after.form} is the subject rather than {subject.form}"  # a tale of a king, it was long
    return None


def _hardly_denied(tree: Tree, root: Word, subject: Word | None) -> str | None:
    """Why what a sentence says is hardly what its root says, or what *not* cannot stand beside; None if neither."""
    if root.lemma in _SAYING and any(one.form in _QUOTING for one in tree.words):
        return "what is quoted would stay as it is"
    if subject is not None and subject.form.lower() in ("who", "what", "whoever", "which"):
        return f"{subject.form} asks, and says nothing"
    if root.lemma == "depend" and tree.child(root.id, "obl") is None:
        return "what it depends on is what the sentence says"
    if subject is not None and subject.form == "I" and root.lemma in _SAID_BY_SAYING:
        return f"nobody says that he does not {root.lemma}"
    for one in tree.children(root.id, "advmod", "mark"):
        if one.form.lower() in _WHERE and tree.places[one.id] < tree.places[root.id]:
            return f"{root.form} stands in the clause with {one.form}"
    opens = tree.words[0]
    if opens.head == root.id and opens.form.lower().endswith("ly") and opens.form.lower() not in _LATELY:
        return f"{opens.form} stands outside what is denied"  # boldly, she did not answer
    glad = next((one for one in tree.words[:2] if one.upos == "ADJ" and one.id != root.id), None)
    inside = tree.subtree(subject.id) if subject is not None else frozenset()
    if glad is not None and glad.head == root.id and glad.relation != "amod" and glad.id not in inside:
        return f"what is said with {glad.form} would stay as it is"  # so glad she came
    return None


def is_request(tree: Tree, tools: Tools) -> bool:
    """Whether a sentence asks for one thing to be done: *open the gate*."""
    root = tree.root
    if root.upos != "VERB" or looking.subject(tree, root.id) or grammar.helpers(tree, root.id):
        return False
    bare = grammar.is_base(root) or root.feats.get("Mood") == "Imp"
    bare = bare or (root.feats.agrees(Tense="Pres", VerbForm="Fin") and root.form.lower() == root.lemma)
    first = next((one for one in tree.words if one.upos != "PUNCT" and one.form.lower() != "please"), root)
    alone = not any(one.form in (";", "/") for one in tree.words)
    alone = alone and tree.child(root.id, "parataxis", "conj", "ccomp") is None and not root.form.isupper()
    kinds = {one.upos for one in tools.inflector.analyses(root.form.lower())}
    moves = root.lemma in lexicon.POSTURES | lexicon.MOTION
    whole = "NOUN" not in kinds or moves or tree.child(root.id, "obj", "xcomp", "compound:prt") is not None
    bare = bare and root.form.lower() == root.lemma and "VERB" in kinds and whole  # hole in the wall; wrote a letter
    bare = bare and not any(one.relation == "conj" and one.upos == "VERB" for one in tree.words)
    bare = bare and root.lemma not in lexicon.STATES and root.lemma not in ("look", "thank", "sound")
    alone = alone and not any(one.form.lower() == "and" for one in tree.words)  # kiss her hand and face the door
    thing = tree.child(root.id, "obj")
    alone = alone and not (thing and any(one.lemma in _PRAISING for one in tree.children(thing.id, "amod")))
    return bare and alone and first.id == root.id and tree.child(root.id, "mark") is None


def _count(tree: Tree, noun: Word) -> str:
    """The digits that stand before a noun: *1,200 people*."""
    return "".join(one.form for one in tree.children(noun.id, "nummod"))


def is_of_some(tree: Tree, root: Word) -> bool:
    """Whether a subject names some of several, so that the same may hold of others and not hold of these."""
    subject = looking.subject(tree, root.id)
    if subject is None:
        return False
    kinds = tree.children(subject.id, "det", "amod", "nmod:poss")
    if any(one.form.lower() in ("the", "these", "those") or one.relation == "nmod" for one in kinds):
        return False
    counted = (
        subject.lemma in LARGE
        or subject.form.lower() in _SOME
        or any(one.isdigit() for one in _count(tree, subject)[2:])
    )
    return counted or any(one.form.lower() in _SOME for one in kinds)


def every(tree: Tree, root: Word) -> Word | None:
    """The *every* or *all* with which the sentence begins."""
    subject = looking.subject(tree, root.id)
    if subject is None or any(one.form.lower() in _NEARLY for one in tree.descendants(subject.id)):
        return None
    if subject.lemma.lower() in ("everyone", "everybody", "everything"):
        return subject
    if tree.child(subject.id, "acl:relcl") is not None:
        return None
    kinds = tree.children(subject.id, "det", "det:predet")
    return next((one for one in kinds if one.lemma.lower() in ("all", "every")), None)
