"""A sample of the rules' outputs to be judged by a person who reads the language.

    python -m bench.precision --lang pl --per-rule 50 --seed 1 --out sample.tsv --unseen earlier.tsv

Sentences are drawn with the seed and transformed as ``kostra transform`` does by default (no composition, no --verify);
of each rule's outputs so many are drawn. ``judgment`` (good, awkward or wrong; wrong also where the intended relation
does not hold) and ``why`` are left empty for the judge; ``--count sample.tsv`` tells the shares of a judged file.
A judged file holds sentences of the corpus and so stays outside the project.
"""

import argparse
import csv
import math
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import kostra
from kostra.trees import parse_conllu

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
DATA = Path(os.environ.get("KOSTRA_DATA", SHARED / "data"))
MODELS = Path(os.environ.get("KOSTRA_MODELS", SHARED / "models"))
SAMPLES = ROOT / "src" / "kostra" / "sources" / "samples"
PARSERS = {
    "cs": "spacy:cs_core_news_sm",
    "en": f"udpipe:{MODELS / 'en.udpipe'}",
    "pl": f"udpipe:{MODELS / 'pl.udpipe'}",
}
SENTENCES = {
    "cs": [
        DATA / "ud" / "cs_pud-first600.conllu",
        DATA / "ud" / "cs_cac-ud-dev.conllu",
        DATA / "ud" / "cs_cac-ud-test.conllu",
        DATA / "cna_free_test.tsv",
        SAMPLES / "cs" / "news.csv",
        SAMPLES / "cs" / "seeds.csv",
    ],
    "en": [DATA / "str2022.csv", SAMPLES / "en" / "captions.csv"],
    "pl": [DATA / "cdsc_train.tsv", DATA / "cdsc_trial.tsv", SAMPLES / "pl" / "captions.csv"],
}
TEXTS = ("text", "Text", "sentence_A", "sentence_B")
"""Columns of tables that hold sentences, one a line."""
HEADERLESS = {"cna_free_test.tsv": (0, 1), "costra11.tsv": (3,)}
"""Released tables without a header, and the places of their sentences."""
COLUMNS = ("source", "rule", "variant", "text", "relation", "confidence", "judgment", "why")
JUDGMENTS = ("good", "awkward", "wrong")


def sentences_of(path: Path) -> Iterator[str]:
    """The sentences of a CoNLL-U file, a table or a text."""
    if path.suffix == ".conllu":
        yield from (tree.comment("text") or tree.text for tree in parse_conllu(path.read_text(encoding="utf-8")))
    elif path.name in HEADERLESS:
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from (line.split("\t")[place] for place in HEADERLESS[path.name])
    elif path.suffix in (".csv", ".tsv"):
        with path.open(encoding="utf-8", newline="") as file:
            for row in _rows(file, path):
                yield from (line for name in TEXTS if name in row for line in row[name].splitlines())
    else:
        yield from path.read_text(encoding="utf-8").splitlines()


def _rows(file: Iterator[str], path: Path) -> Iterator[dict[str, str]]:
    if path.suffix == ".csv":
        return csv.DictReader(file)
    return csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def sources(paths: Sequence[Path], unseen: Sequence[Path], many: int, rng: Random) -> list[str]:
    """So many distinct sentences, none of which is a source in an earlier sample."""
    found = sorted({" ".join(one.split()) for path in paths for one in sentences_of(path)} - {""})
    seen = {row["source"] for path in unseen for row in read(path)}
    left = [one for one in found if one not in seen]
    return rng.sample(left, min(many, len(left)))


def draw(texts: Sequence[str], *, lang: str, parser: str, per_rule: int, rng: Random) -> list[dict[str, str]]:
    """Transform sentences and draw outputs of each rule."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sentences.txt"
        path.write_text("\n".join(texts), encoding="utf-8")
        frame = kostra.transform(path, language=lang, parser=parser).frame
    by_rule: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in frame.iter_rows(named=True):
        by_rule[row["rule"]].append({**row, "judgment": "", "why": ""})
    return [row for made in by_rule.values() for row in rng.sample(made, min(per_rule, len(made)))]


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a sample."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def count(path: Path) -> None:
    """Print each rule's shares of good, awkward and wrong outputs."""
    rows = [row for row in read(path) if row["judgment"]]
    for rule in dict.fromkeys(row["rule"] for row in rows):
        told = Counter(row["judgment"] for row in rows if row["rule"] == rule)
        shares = "  ".join(f"{name} {told[name] / told.total():4.0%}" for name in JUDGMENTS)
        low, high = interval(told["good"], told.total())
        print(f"{rule:<24}{told.total():4}  {shares}  (good, 95%: {low:.0%} to {high:.0%})")


def interval(hits: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share: thirty rows say less than they seem to."""
    share, spread = hits / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def command() -> None:
    """Draw a sample, or count a judged one."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lang", help="ISO 639 code; others than cs, en and pl with --parser and --sentences")
    options.add_argument("--per-rule", type=int, default=50)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--out", type=Path)
    options.add_argument("--from", dest="many", type=int, default=2000, help="how many sentences are transformed")
    options.add_argument("--sentences", type=Path, nargs="+", help="text, table or CoNLL-U; else the language's own")
    options.add_argument("--unseen", type=Path, nargs="+", default=[], help="samples whose sources are left out")
    options.add_argument("--parser", help="else the language's own")
    options.add_argument("--count", type=Path, help="a judged sample, to be counted")
    asked = options.parse_args()
    if asked.count:
        count(asked.count)
        return
    if not (asked.lang and asked.out):
        options.error("--lang and --out say what to draw and where to")
    if asked.lang not in PARSERS and not (asked.parser and asked.sentences):
        options.error(f"for {asked.lang}, --parser and --sentences say what to read")
    rng = Random(asked.seed)
    texts = sources(asked.sentences or SENTENCES[asked.lang], asked.unseen, asked.many, rng)
    parser = asked.parser or PARSERS[asked.lang]
    rows = draw(texts, lang=asked.lang, parser=parser, per_rule=asked.per_rule, rng=rng)
    with asked.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    told = Counter(row["rule"] for row in rows)
    print(f"{len(texts):,} sentences; drawn: " + ", ".join(f"{rule} {many}" for rule, many in told.items()))


if __name__ == "__main__":
    command()
