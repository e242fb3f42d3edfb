"""Verbs of motion that say little without a way: *přejíždějí [přes most]*, *vlezl [do okna]*."""

from __future__ import annotations

import re

from kostra.transforms.cs import lexicon
from kostra.trees import Tree, Word

_MOTION = re.compile(
    "(do|na|nad|ob|od|ode|po|pod|pro|pře|před|při|s|se|se|v|ve|vy|vz|z|za)"
    "(jíždět|jet|cházet|jít|běhnout|běhat|bíhat|letět|létat|létávat|létnout|skočit|skakovat|lézt|lézat|plout|plouvat"
    "|plavat|nést|nášet|vézt|vážet|vést|vádět|táhnout|tahovat|házet|hazovat|hodit|kročit|kračovat|tlačit|tlačovat"
    "|sunout|sunovat|hnat|hánět|klouznout|kutálet|šplhat|mířit)"
)
_ALONE = frozenset(
    {"najít", "předvést", "předvádět", "provést", "provádět", "odjet", "odjíždět", "odejít", "odcházet", "odběhnout"}
    | {
        "přijet",
        "přijíždět",
        "přijít",
        "přicházet",
        "přilétat",
        "přiletět",
        "odlétat",
        "odletět",
        "vyskočit",
        "naházet",
    }
    | {"vyskakovat", "poskakovat", "poskočit", "procházet", "projíždět", "vyházet", "vyhodit", "vyhazovat", "vzlétat"}
    | {"vzlétnout", "vyšplhat", "zatáhnout", "natáhnout", "natahovat", "odhodit", "odnést", "odnášet", "odhazovat"}
)
"""Verbs that look like these, and say enough alone or mean something else."""
_SIMPLE = frozenset({"vézt", "povézt", "nosit", "vodit", "vozit", "přidat", "přidávat", "dodat", "umístit", "směřovat"})
_WHEN = frozenset({"během", "díky", "kvůli", "navzdory", "ohledně", "podle", "kromě", "s", "bez", "při"})
"""Prepositions of what is no way."""


def needs_way(lemma: str) -> bool:
    """Whether a verb says little without where somebody or something goes."""
    return lemma in _SIMPLE or (lemma not in _ALONE and _MOTION.fullmatch(lemma) is not None)


def is_way(tree: Tree, phrase: Word, verb: Word) -> bool:
    """Whether a phrase tells the way of a verb that needs it, and not when or on what: *sjíždí svah [na saních]*."""
    cases = {one.lemma for one in tree.children(phrase.id, "case")}
    if not needs_way(verb.lemma) or phrase.lemma in lexicon.TIMES | lexicon.MANNERS or not cases or cases & _WHEN:
        return False
    others = [one for one in tree.children(verb.id, "obl", "obj", "advmod") if one.id != phrase.id]
    riding = cases <= {"na", "v"} and phrase.feats.get("Case") == "Loc"
    early = tree.places[phrase.id] < tree.places[verb.id]  # po dlouhém boji vytáhl sumce
    return not others or not (riding or early)
