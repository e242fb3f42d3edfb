"""Datasets for evaluation from where they lie: a dataset folder, a table of the user's, or a known dataset's file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import polars as pl

from kostra import files, registry, tables
from kostra.errors import KostraError, unknown
from kostra.evaluate.dataset import Dataset
from kostra.ratings import number_of
from kostra.recipe import RECIPE_FILE
from kostra.sources.cells import Cells, read_cells
from kostra.sources.files import ALIASES
from kostra.sources.released import Released
from kostra.sources.scored_pairs import SCORE
from kostra.tables import JUDGMENTS, PAIRS, SCORES, SENTENCES, Frame

_LABEL = ("label", "gold_label", "entailment_judgment", "entailment_label", "entailment", "judgment")
COLUMNS: dict[str, tuple[str, ...]] = {
    "text_a": ("text_a", *ALIASES["pairs"]["text_a"], "first", "a"),
    "text_b": ("text_b", *ALIASES["pairs"]["text_b"], "second", "b"),
    "score": (*(name for name in SCORE if name != "label"), "gold", "mean", "rating", "sim"),
    "label": _LABEL,
    "pair": ("pair", *ALIASES["pairs"]["pair"]),
    "source": ("source", "SourceID", "corpus", "genre", "dataset"),
    "subset": ("subset", "SubsetID"),
    "group": ("group", "seed", "image", "incident"),
    "context_a": ("context_a",),
    "context_b": ("context_b",),
    "anchor": ("anchor", "query"),
    "near": ("near", "positive", "pos", "paraphrase"),
    "far": ("far", "negative", "neg", "negation"),
}
"""Our name of a column to the names that are recognised; any can be named by hand."""
_TEXTS = ("text_a", "text_b")
_TRIPLET = ("anchor", "near", "far")


def read_dataset(
    said: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    low: float | None = None,
    high: float | None = None,
    language: str | None = None,
    question: str | None = None,
) -> Dataset:
    """Read what a user names: ``FOLDER``, ``FILE`` or ``NAME=FILE``.

    Parameters
    ----------
    said
        A folder that ``release/dataset`` wrote; a table with two sentences and a score or label (or anchor, near and
        far); or the file of a known dataset, with its name before ``=`` where the file alone does not tell.
    columns
        Our column (`COLUMNS`) to the file's, where it is not recognised by its name.
    low, high
        The range of the score, where the dataset does not declare it.
    """
    name, path = _name_and_path(said)
    if columns:
        for ours in columns:
            if ours not in COLUMNS:
                raise unknown("column of evaluation", ours, COLUMNS)
    if name is not None:
        return _released(path, name, question)
    if path.is_dir():
        return _folder(path, question)
    if not path.exists() and str(path) != "-":
        raise KostraError(
            "there is no such file or folder",
            where=files.shown(path),
            accepted="a dataset folder, a table with two sentences and a score, or NAME=FILE with a known dataset: "
            f"{', '.join(registry.names('sources/released'))}",
        )
    form = None if columns else _sniffed(path)
    if form is not None:
        return _released(path, form, question)
    return _table(path, columns or {}, low=low, high=high, language=language, question=question)


def _name_and_path(said: str | Path) -> tuple[str | None, Path]:
    """A dataset's name before ``=``, unless a file of that whole name exists."""
    text = str(said)
    name, mark, rest = text.partition("=")
    if not mark or Path(text).exists():
        return None, Path(text)
    known = registry.names("sources/released")
    if name not in known:
        raise unknown("dataset", name, known)
    if not rest:
        raise KostraError(f'"{text}" names no file', accepted=f"{name}=FILE")
    return name, Path(rest)


# Known datasets ----------------------------------------------------------------------------------------


def _sniffed(path: Path) -> str | None:
    """The form of a released dataset, where the first line leaves no doubt."""
    if str(path) == "-" or files.uncompressed(path).suffix.lower() not in (".csv", ".tsv", ".txt"):
        return None
    first = files.read_text(path).partition("\n")[0].rstrip("\r")
    header = set(re.split(r"[,\t]", first))
    cells = first.split("\t")
    forms: list[tuple[str, Callable[[], bool]]] = [
        ("str2021", lambda: {"SourceID", "SubsetID", "PairID", "Text", "Score"} <= header),
        ("semrel2024", lambda: {"PairID", "Text", "Score"} <= header and "SourceID" not in header),
        ("sick", lambda: {"sentence_A", "entailment_label", "relatedness_score"} <= header),
        ("cdsc", lambda: {"pair_ID", "sentence_A", "entailment_judgment", "relatedness_score"} <= header),
        ("costra", lambda: len(cells) == 9 and cells[0].isdigit() and cells[1].isdigit()),
        ("czech_news_sts", lambda: len(cells) == 5 and re.fullmatch(r"-?\d+(,-?\d+)+", cells[3]) is not None),
    ]
    return next((name for name, fits in forms if fits()), None)


def _released(path: Path, form: str, question: str | None) -> Dataset:
    found = cast(Released, registry.load("sources/released", form).read(path))
    made = found.tables
    return Dataset(
        name=found.name,
        where=files.shown(path),
        language=found.language,
        low=found.low,
        high=found.high,
        question=question,
        pairs=made.get("pairs", PAIRS.empty()),
        scores=made.get("scores", SCORES.empty()),
        sentences=made.get("sentences"),
        judgments=made.get("judgments"),
        tuples=made.get("tuples"),
        findings=tuple(str(finding) for finding in found.findings),
    )


# A dataset folder --------------------------------------------------------------------------------------


def _refuse_project(path: Path, where: str) -> None:
    """Refuse the folder in which a dataset is made; its ``data/pairs.csv`` are the pairs that nobody has judged yet."""
    if not (path / RECIPE_FILE).is_file() or (path / "checksums.txt").is_file():
        return
    made = path / "dataset"
    remedy = f"name the dataset: {files.shown(made)}" if made.is_dir() else f"kostra build {where}"
    raise KostraError("this is a project, not the dataset that it makes", where=where, remedy=remedy)


def _folder(path: Path, question: str | None) -> Dataset:
    """A folder as ``release/dataset`` writes it."""
    where = files.shown(path)
    _refuse_project(path, where)
    data = _either(path / "data", "pairs")
    if data is None:
        raise KostraError(
            "this folder holds no dataset",
            where=where,
            accepted="a folder with data/pairs.parquet or data/pairs.csv, as the step release/dataset writes it",
        )
    about = _recipe(path / RECIPE_FILE)
    score = about.get("score", {})
    main = str(score.get("question", "score"))
    columns, lines = tables.read_cells(data)
    if not lines:
        raise KostraError("the file has no rows", where=files.shown(data), accepted="at least one pair")
    known = {column.name for column in PAIRS.columns}
    pairs = tables.from_cells(
        {name: cells for name, cells in columns.items() if name in known}, PAIRS, where=files.shown(data), lines=lines
    )
    judgments, sentences = _either(path / "judgments", "judgments"), _either(path / "sentences", "sentences")
    tuples = path / "tuples" / "tuples.csv"
    return Dataset(
        name=str(about.get("recipe", {}).get("name", path.resolve().name)),
        where=where,
        language=str(about.get("recipe", {}).get("language", "und")),
        low=_number(score.get("low")),
        high=_number(score.get("high")),
        question=question or main,
        pairs=pairs,
        scores=_folder_scores(columns, lines, pairs["pair"].to_list(), main, where=files.shown(data)),
        sentences=tables.read(sentences, SENTENCES) if sentences else None,
        judgments=tables.read(judgments, JUDGMENTS) if judgments else None,
        tuples=_long_tuples(tuples) if tuples.is_file() else None,
        splits=_splits(columns, pairs["pair"].to_list()),
    )


def _splits(columns: Mapping[str, Sequence[Any]], ids: Sequence[str]) -> dict[str, str]:
    """Pair to its split, in a folder that ``kostra release`` wrote."""
    said = zip(ids, columns.get("split", [None] * len(ids)), strict=True)
    return {name: str(split) for name, split in said if split not in (None, "")}


def _either(folder: Path, name: str) -> Path | None:
    """The table of that name, in Parquet where it is there, else in CSV."""
    return next((path for path in (folder / f"{name}.parquet", folder / f"{name}.csv") if path.is_file()), None)


def _recipe(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(files.read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise KostraError(f"not TOML: {error}", where=files.shown(path)) from None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _folder_scores(
    columns: Mapping[str, Sequence[Any]], lines: Sequence[int], ids: list[str], main: str, *, where: str
) -> Frame:
    """``score`` and ``label`` columns of all questions, one below the other."""
    parts = []
    for name in columns:
        found = re.fullmatch(r"(score|label)(?:_(.+))?", name)
        if not found:
            continue
        kind, question = found[1], found[2] or main
        parts.append(_scores(columns[name], lines, ids, name, kind, question, where=where))
    if not parts:
        return SCORES.empty()
    both = pl.concat(parts).group_by("item", "question", maintain_order=True)
    return tables.check(both.agg(pl.all().drop_nulls().first()), SCORES, where=where)


def _scores(
    cells: Sequence[Any], lines: Sequence[int], ids: list[str], column: str, kind: str, question: str, *, where: str
) -> Frame:
    form = tables.Schema(
        "scores", "", (tables.Column(column, kind, "number" if kind == "score" else "text", empty=True),), ()
    )
    values = tables.from_cells({column: cells}, form, where=where, lines=lines)[column]
    frame = pl.DataFrame({"item": ids, kind: values}).with_columns(
        question=pl.lit(question), appearances=pl.lit(0, dtype=pl.Int64)
    )
    return tables.check(frame.drop_nulls(kind), SCORES, where=where)


def _long_tuples(path: Path) -> Frame:
    wide, lines = tables.read_cells(path)
    names = [name for name in wide if name != "tuple"]
    rows = [
        {"tuple": wide["tuple"][row], "position": place, "item": str(wide[name][row])}
        for row in range(len(lines))
        for place, name in enumerate(names, 1)
        if wide[name][row] not in (None, "")
    ]
    return tables.check(pl.DataFrame(rows, schema=tables.TUPLES.dtypes), tables.TUPLES, where=files.shown(path))


# A table of the user's ---------------------------------------------------------------------------------


def _table(
    path: Path,
    said: Mapping[str, str],
    *,
    low: float | None,
    high: float | None,
    language: str | None,
    question: str | None,
) -> Dataset:
    cells = read_cells(path)
    found = {ours: cells.maybe(said.get(ours), known) for ours, known in COLUMNS.items()}
    base = Dataset(name=files.stem(path), where=cells.where, language=language or "und", low=low, high=high)
    if all(found[name] for name in _TRIPLET) and not (found["text_a"] and found["text_b"]):
        return _triplets(cells, found, base)
    for ours, what in (("text_a", "first sentence"), ("text_b", "second sentence")):
        if found[ours] is None:
            raise _no_column(cells, ours, what)
    taken = _taken(found)
    if found["score"] is None and _all_numbers(cells, found["label"]):
        found["score"], found["label"] = found["label"], None
    if found["score"] is None and found["label"] is None:
        raise _no_column(cells, "score", "score")
    for ours, theirs in taken.items():
        if theirs not in said.values() and theirs != ours:
            cells.note("column", f'the column "{theirs}" is read as {ours}')
    cells.note_left_out(taken.values())
    return _pairs(cells, found, base, question)


def _taken(found: Mapping[str, str | None]) -> dict[str, str]:
    return {ours: theirs for ours, theirs in found.items() if theirs is not None and ours not in _TRIPLET}


def _no_column(cells: Cells, ours: str, what: str) -> KostraError:
    return KostraError(
        f"no column for the {what}; found {', '.join(name or chr(34) * 2 for name in cells.columns)}",
        where=f"{cells.where}:1",
        accepted=", ".join(COLUMNS[ours]),
        remedy=f"say which it is: --column {ours}=NAME",
    )


def _all_numbers(cells: Cells, column: str | None) -> bool:
    if column is None:
        return False
    given = [cell for cell in cells.columns[column] if cell not in (None, "")]
    return bool(given) and all(number_of(cell) is not None for cell in given)


def _pairs(cells: Cells, found: Mapping[str, str | None], base: Dataset, question: str | None) -> Dataset:
    ids = cells.ids(base.name, found["pair"])
    texts = {name: cells.text(found[name]) for name in _TEXTS}
    blank = [row for row in range(len(ids)) if not all(texts[name][row].strip() for name in _TEXTS)]
    if blank:
        cells.note("empty_sentence", f"rows with an empty sentence are left out: {len(blank):,}", blank)
    asked = question or "score"
    judged = [
        _scores(cells.columns[column], cells.lines, ids, column, kind, name, where=cells.where)
        for kind, name in (("score", asked), ("label", "entailment" if found["score"] else question or "entailment"))
        if (column := found[kind]) is not None
    ]
    if (column := found["score"]) is not None:
        cells.note_range(column, base.low, base.high)
    scores = pl.concat(judged)
    unjudged = [row for row, name in enumerate(ids) if name not in set(scores["item"])]
    if unjudged:
        cells.note("no_score", f"rows without a score are left out: {len(unjudged):,}", unjudged)
    kept = sorted(set(range(len(ids))) - set(blank) - set(unjudged))
    if not kept:
        raise KostraError("no row has two sentences and a score", where=cells.where, accepted="at least one such row")
    optional = {name: cells.text(found[name]) for name in ("source", "subset", "context_a", "context_b") if found[name]}
    frame = pl.DataFrame({"pair": ids, **texts, **optional})[kept]
    groups = cells.text(found["group"]) if found["group"] else []
    return Dataset(
        name=base.name,
        where=base.where,
        language=base.language,
        low=base.low,
        high=base.high,
        question=asked,
        pairs=tables.check(frame, PAIRS, where=cells.where),
        scores=scores.filter(pl.col("item").is_in(frame["pair"].implode())),
        groups={ids[row]: groups[row] for row in kept if groups and groups[row]},
        counts={
            "rows_without_sentence": len(blank),
            "rows_without_score": len(unjudged),
            "dropped_rows": len(ids) - len(kept),
        },
        findings=tuple(str(finding) for finding in cells.findings),
    )


def _triplets(cells: Cells, found: Mapping[str, str | None], base: Dataset) -> Dataset:
    rows = {name: cells.needed(cast(str, found[name])) for name in _TRIPLET}
    return Dataset(name=base.name, where=base.where, language=base.language, triplets=pl.DataFrame(rows))
