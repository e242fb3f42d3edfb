"""Results on disk: MTEB's schema and folders, so that its tools read them, and a sidecar for what it has no place for.

    FOLDER/MODEL/REVISION/TASK.json          as MTEB writes it: main score and metrics of the whole set
    FOLDER/MODEL/REVISION/model_meta.json    who the model is
    FOLDER/MODEL/REVISION/kostra/TASK.json   ours: intervals, parts, folds, counts, and the encoder's exact name

With a FOLDER called ``results``, ``mteb.ResultCache(FOLDER's parent).load_results()`` finds everything. MTEB's name of
a task is used only where data, split and metric are the same (`results_mteb`); else the name is the dataset's and the
task's. Parts stay out of MTEB's file: MTEB would average them with the whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from kostra import __version__, files
from kostra.errors import KostraError
from kostra.evaluate import results_mteb
from kostra.evaluate.comparison import Comparison
from kostra.evaluate.outcome import WHOLE, Evaluation, Measure

MAIN_METRICS = (results_mteb.MAIN, "spearman", "accuracy", "macro_f1")
"""The first of these that an evaluation has is its main score; else its first metric."""
NO_REVISION = "no_revision_available"
"""As MTEB calls it."""
SIDECAR = "kostra"
_DIGITS = 6  # as MTEB rounds


def main_measure(evaluation: Evaluation) -> Measure | None:
    """The measure an evaluation is judged by.

    Examples
    --------
    >>> measures = (Measure("all", "cosine_pearson", 0.6), Measure("all", "cosine_spearman", 0.5))
    >>> main_measure(Evaluation("dice", "mine", "relatedness", measures)).metric
    'cosine_spearman'
    """
    whole = [measure for measure in evaluation.measures if measure.part == WHOLE]
    by_name = {measure.metric: measure for measure in reversed(whole)}
    return next((by_name[name] for name in MAIN_METRICS if name in by_name), whole[0] if whole else None)


def task_name(evaluation: Evaluation) -> str:
    """MTEB's name for the very same data, split and metric; else the dataset, the task and how it was done.

    Examples
    --------
    >>> task_name(Evaluation("dice", "my pairs", "relatedness", (), protocol="5 folds"))
    'my_pairs-relatedness-5_folds'
    """
    if _is_mteb(evaluation):
        return str(evaluation.details["mteb_task"])
    parts = [evaluation.dataset, evaluation.task]
    parts += [evaluation.protocol] if evaluation.protocol != "whole" else []
    parts += [evaluation.similarity] if evaluation.similarity not in ("", "cosine", "own") else []
    return "-".join(_slug(part) for part in parts)


def _is_mteb(evaluation: Evaluation) -> bool:
    return (
        "mteb_task" in evaluation.details
        and evaluation.protocol == "whole"
        and evaluation.split == results_mteb.SPLIT
        and evaluation.similarity == "cosine"
        and evaluation.measure(results_mteb.MAIN) is not None
    )


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name).strip("_") or "unnamed"


def model_name(spec: str) -> str:
    """An encoder's name in MTEB's form, organisation/model.

    Examples
    --------
    >>> model_name("sbert:intfloat/e5-small"), model_name("dice"), model_name("vectors:models/w2v.bin?pooling=mean")
    ('intfloat/e5-small', 'kostra/dice', 'kostra/vectors_models_w2v.bin_pooling_mean')
    """
    kind, _, rest = spec.partition(":")
    if kind in ("sbert", "mteb") and re.fullmatch(r"[\w.-]+/[\w.-]+", rest):
        return rest
    return f"kostra/{_slug(spec)}"


def with_letters(evaluations: Iterable[Evaluation], comparison: Comparison) -> list[Evaluation]:
    """Note in each evaluation which encoders it was compared with, and the letters it shares with its equals."""
    letters = {standing.encoder: standing.letters for standing in comparison.standings}
    return [
        replace(one, details={**one.details, "letters": letters[one.encoder], "compared_with": sorted(letters)})
        if one.encoder in letters
        else one
        for one in evaluations
    ]


# Writing -----------------------------------------------------------------------------------------------


def write(evaluations: Iterable[Evaluation], folder: str | Path, *, now: datetime | None = None) -> list[Path]:
    """Write evaluations and return the files in MTEB's form, in order.

    A file that is there keeps its other splits and subsets, as MTEB does; the same one is replaced.

    Raises
    ------
    KostraError
        If two of the evaluations would be one result, or a file that is there is no result.
    """
    written: list[Path] = []
    seen: set[tuple[Path, str, str]] = set()
    for evaluation in evaluations:
        place = _place(evaluation, Path(folder))
        split, subset = evaluation.split, _subset(evaluation)
        if (place, split, subset) in seen:
            raise KostraError(
                f'two evaluations of "{evaluation.encoder}" are both called "{place.stem}"',
                where=str(place),
                remedy="give their datasets different names",
            )
        seen.add((place, split, subset))
        place.parent.mkdir(parents=True, exist_ok=True)
        files.write_text(_json(_task_result(evaluation, before=_before(place), now=now)), place)
        files.write_text(_json(_model_meta(evaluation)), place.parent / "model_meta.json")
        sidecar = _sidecar(place)
        sidecar.parent.mkdir(exist_ok=True)
        kept = _loaded(sidecar)["evaluations"] if sidecar.exists() else {}
        kept[f"{split}/{subset}"] = asdict(evaluation)
        files.write_text(_json({"kostra": __version__, "evaluations": kept}), sidecar)
        if place not in written:
            written.append(place)
    return written


def _place(evaluation: Evaluation, folder: Path) -> Path:
    model = model_name(evaluation.encoder).replace("/", "__").replace(" ", "_")
    revision = _slug(evaluation.revision) if evaluation.revision else NO_REVISION
    return folder / model / revision / f"{task_name(evaluation)}.json"


def _sidecar(place: Path) -> Path:
    # One folder deeper than MTEB looks for results.
    return place.parent / SIDECAR / place.name


def _subset(evaluation: Evaluation) -> str:
    return str(evaluation.details["mteb_subset"]) if _is_mteb(evaluation) else "default"


def _before(place: Path) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    scores: Mapping[str, Sequence[Mapping[str, Any]]] = _loaded(place)["scores"] if place.exists() else {}
    return scores


def _task_result(
    evaluation: Evaluation, *, before: Mapping[str, Sequence[Mapping[str, Any]]], now: datetime | None
) -> dict[str, Any]:
    main = main_measure(evaluation)
    subset = _subset(evaluation)
    whole = {m.metric: _rounded(m.value) for m in evaluation.measures if m.part == WHOLE}
    entry = {
        **whole,
        "main_score": _rounded(main.value) if main else None,
        "hf_subset": subset,
        "languages": list(evaluation.languages),
    }
    scores = {split: list(entries) for split, entries in before.items()}
    others = [old for old in scores.get(evaluation.split, []) if old.get("hf_subset") != subset]
    scores[evaluation.split] = sorted([*others, entry], key=lambda one: str(one["hf_subset"]))
    revision = evaluation.details["mteb_revision"] if _is_mteb(evaluation) else evaluation.dataset_revision
    return {
        "dataset_revision": revision,
        "task_name": task_name(evaluation),
        "mteb_version": None,  # it was not MTEB that computed it
        "scores": scores,
        "evaluation_time": evaluation.seconds,
        "kg_co2_emissions": None,
        "date": now.timestamp() if now else None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def _model_meta(evaluation: Evaluation) -> dict[str, Any]:
    """What MTEB requires of a model's card; what we do not know is null."""
    unknown = (
        "loader", "release_date", "languages", "n_parameters", "memory_usage_mb", "max_tokens", "embed_dim", "license",
        "open_weights", "public_training_code", "public_training_data", "use_instructions", "training_datasets",
    )  # fmt: skip
    likeness = evaluation.similarity if evaluation.similarity in ("cosine", "dot", "euclidean") else None
    return {
        **dict.fromkeys(unknown),
        "name": model_name(evaluation.encoder),
        "revision": _slug(evaluation.revision) if evaluation.revision else NO_REVISION,
        "framework": [],
        "similarity_fn_name": likeness,
    }


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


# Reading -----------------------------------------------------------------------------------------------


def read(folder: str | Path) -> list[Evaluation]:
    """Read every result below a folder: ours with their sidecars, and whatever MTEB itself wrote.

    Raises
    ------
    KostraError
        If there is none, if a file is no result, or if a sidecar says something else than the file beside it.
    """
    top = Path(folder)
    found = sorted(
        path
        for path in top.rglob("*.json")
        if path.name != "model_meta.json" and path.parent.name != SIDECAR and "scores" in _loaded(path)
    )
    if not found:
        raise KostraError(
            "there is no result here",
            where=str(folder),
            accepted="a folder with MODEL/REVISION/TASK.json, as MTEB and kostra evaluate write it",
        )
    return [evaluation for path in found for evaluation in _read_file(path)]


def _read_file(path: Path) -> list[Evaluation]:
    content = _loaded(path)
    sidecar = _sidecar(path)
    ours = _loaded(sidecar)["evaluations"] if sidecar.exists() else {}
    made = []
    try:
        for split, entries in content["scores"].items():
            for entry in entries:
                own = ours.get(f"{split}/{entry['hf_subset']}")
                plain = _from_mteb(path, content, split, entry)
                made.append(_agreeing(_rebuilt(own), entry, path) if own else plain)
    except (KeyError, TypeError, AttributeError) as error:
        raise KostraError(f"this is no result: {error!r}", where=str(path), accepted="MTEB's schema") from None
    return made


def _from_mteb(path: Path, content: Mapping[str, Any], split: str, entry: Mapping[str, Any]) -> Evaluation:
    """A result that MTEB wrote, or one whose sidecar was lost."""
    meta = path.parent / "model_meta.json"
    name = _loaded(meta)["name"] if meta.exists() else path.parent.parent.name.replace("__", "/")
    subset = entry["hf_subset"]
    numbers = {key: value for key, value in entry.items() if isinstance(value, int | float) and key != "main_score"}
    if entry["main_score"] is not None and entry["main_score"] not in numbers.values():
        numbers = {"main_score": entry["main_score"], **numbers}
    return Evaluation(
        encoder=str(name),
        dataset=content["task_name"] if subset == "default" else f"{content['task_name']} ({subset})",
        task="relatedness" if results_mteb.MAIN in entry else "",
        measures=tuple(Measure(WHOLE, key, float(value)) for key, value in numbers.items()),
        revision=path.parent.name,
        dataset_revision=content["dataset_revision"],
        languages=tuple(entry["languages"]),
        split=split,
        similarity="cosine" if results_mteb.MAIN in entry else "",
        seconds=float(content.get("evaluation_time") or 0.0),
    )


def _rebuilt(own: Mapping[str, Any]) -> Evaluation:
    measures = tuple(Measure(**measure) for measure in own["measures"])
    return replace(Evaluation(**{**own, "measures": measures}), languages=tuple(own["languages"]))


def _agreeing(evaluation: Evaluation, entry: Mapping[str, Any], path: Path) -> Evaluation:
    for measure in evaluation.measures:
        if measure.part == WHOLE and entry.get(measure.metric) != _rounded(measure.value):
            raise KostraError(
                f"{measure.metric} is {entry.get(measure.metric)} here and {measure.value} in the sidecar",
                where=str(path),
                remedy=f"evaluate again, or remove {_sidecar(path)}",
            )
    return evaluation


def _loaded(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(files.read_text(path))
    except json.JSONDecodeError as error:
        raise KostraError(f"this is no JSON: {error.msg}", where=f"{path}:{error.lineno}") from None
    return content if isinstance(content, dict) else {}
