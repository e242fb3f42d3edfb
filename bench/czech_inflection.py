"""Czech inflection given lemma and features: accuracy and coverage by part of speech.

``python -m bench.czech_inflection`` learns from one half of UD Czech CAC and tries the other (on this the inflector was
developed), then tries the shipped rules, learnt from both halves, on UD Czech PUD (held out).
``python -m bench.czech_inflection relearn`` writes the rules that are shipped, from both halves, and nothing else.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from kostra.files import read_text, write_text
from kostra.transforms.cs import inflection
from kostra.transforms.cs.dictionary import load
from kostra.transforms.cs.inflection import Czech
from kostra.transforms.cs.learning import rules_of
from kostra.trees import Tree, Word, parse_conllu

DATA = Path(os.environ.get("KOSTRA_DATA", Path(__file__).parents[2] / "shared" / "data")) / "ud"
HALVES = ("cs_cac-ud-dev", "cs_cac-ud-test")
HELD_OUT = "cs_pud-first600"
ROW = "{:<28}{:>8}{:>10}{:>10}{:>14}{:>12}"
HEADER = """\
# Suffix rules of Czech: cell, ending of the lemma, rules as "cut>added count".
# Derived from UD Czech CAC (dev and test; CC BY-SA 4.0) and from the model words in paradigms.toml.
# Statistics of endings only: no sentence and no whole word. Made by: python -m bench.czech_inflection relearn
"""
KINDS = {
    "NOUN": "nouns",
    "PROPN": "proper nouns",
    "DET": "determiners",
    "PRON": "pronouns",
    "NUM": "numerals",
    "ADV": "adverbs",
}


def main() -> None:
    if not DATA.is_dir():
        print(f"no tagged text: {DATA} does not exist (set KOSTRA_DATA)")
        return
    if "relearn" in sys.argv[1:]:
        rules = rules_of(tree for half in HALVES for tree in trees(half))
        path = Path(inflection.__file__).parent / "suffixes.tsv"
        write_text(HEADER + "".join(f"{line}\n" for line in rules.lines()), path)
        print(f"{path}: {path.stat().st_size:,} bytes")
        return
    dictionary = load()
    for learnt, tried in (HALVES, HALVES[::-1]):
        print(f"learnt from {learnt}, tried on {tried}")
        report(Czech(rules_of(trees(learnt)), dictionary), trees(tried))
    print(f"the shipped rules, tried on {HELD_OUT}")
    report(Czech(dictionary=dictionary), trees(HELD_OUT))


def trees(name: str) -> list[Tree]:
    return parse_conllu(read_text(DATA / f"{name}.conllu"), where=name)


def kind(word: Word) -> str | None:
    """The row of the table in which a word counts; None where there is nothing to inflect."""
    if not word.form.isalpha() or not word.feats or {"Abbr", "Foreign"} & word.feats.keys():
        return None
    match word.upos, word.feats.get("VerbForm"), word.feats.get("Variant"):
        case "ADJ", _, "Short":
            return "adjectives, short"
        case "ADJ", _, _:
            return "adjectives, " + ("compared" if word.feats.get("Degree") in ("Cmp", "Sup") else "long")
        case ("VERB" | "AUX") as upos, form, _:
            name = {"Part": "l-participles", "Fin": "finite", "Inf": "infinitives"}.get(form or "", "transgressives")
            return name if upos == "VERB" else f"být, {name}"
        case upos, _, _:
            return KINDS.get(upos)


def report(czech: Czech, tried: Iterable[Tree]) -> None:
    """Print the table; accuracy is of forms that were given, coverage their share."""
    asked, given, right = Counter[str](), Counter[str](), Counter[str]()
    seen: dict[tuple[str, str, str, str], bool] = {}
    begun = time.process_time()
    for word in (word for tree in tried for word in tree.words):
        name = kind(word)
        if name is None:
            continue
        form = czech.inflect(word.lemma, word.upos, word.feats)
        is_right = form is not None and form.lower() == word.form.lower()
        for row in (name, name.split(",")[0]) if name.startswith("adj") else (name,):
            asked[row] += 1
            given[row] += form is not None
            right[row] += is_right
            if form is not None:
                seen[row, word.lemma, word.form.lower(), str(word.feats)] = is_right
    spent = time.process_time() - begun
    print(ROW.format("", "words", "coverage", "accuracy", "different", "accuracy"))
    for row in sorted(asked):
        different = [value for (name, *_), value in seen.items() if name == row]
        print(
            ROW.format(
                row,
                asked[row],
                f"{given[row] / asked[row]:.1%}",
                f"{right[row] / max(given[row], 1):.1%}",
                len(different),
                f"{sum(different) / max(len(different), 1):.1%}",
            )
        )
    print(f"refused: {dict(czech.refusals)}; {sum(asked.values()) / spent:,.0f} words per second of CPU\n")


if __name__ == "__main__":
    main()
