"""Pictures of datasets and encoders, without a project: what ``kostra picture`` calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from kostra import figures
from kostra.errors import KostraError, unknown
from kostra.evaluate import picture as drawing
from kostra.evaluate.dataset import Dataset
from kostra.evaluate.reading import read_dataset
from kostra.evaluate.relatedness import relatedness
from kostra.resample import seeded
from kostra.tables import Frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Kind = Literal["seed", "type", "types", "overlap", "predicted", "parts", "heat"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def picture(
    datasets: Sequence[str | Path] | str | Path,
    encoders: Sequence[str] | str = ("static",),
    *,
    to: str | Path,
    kind: Kind | None = None,
    seed_sentence: str | None = None,
    change: str | None = None,
    methods: Sequence[drawing.Method] = drawing.METHODS,
    per_change: int | None = 1,
    gloss: str | Path | None = None,
    question: str | None = None,
    columns: Mapping[str, str] | None = None,
    samples: int = 1000,
    seed: int = 0,
) -> Figure:
    r"""Draw one picture into a file (SVG, PDF or PNG, by its ending) and return the figure.

    Parameters
    ----------
    datasets
        As for `kostra.evaluate`: a folder, a table of pairs, the file of a known dataset. One, except for ``heat``.
    kind
        ``seed``: one seed with its rewrites, numbered, with the list below. ``type``: all seeds with their rewrites of
        one kind. ``types``: mean similarity per kind of rewrite. ``overlap``: shared words against the scores.
        ``predicted``: scores against an encoder. ``parts``: correlation per source. ``heat``: encoders × datasets.
        Unless named: ``seed`` or ``type`` for rewrites, as `seed_sentence` and `change` say; for pairs ``predicted``
        with one encoder, ``parts`` with several, ``heat`` with several datasets.
    seed_sentence
        Id, text or beginning of a seed; the first with enough rewrites unless named.
    change
        The kind of rewrite that ``type`` shows.
    methods, per_change, gloss
        Projections; rewrites of each kind that ``seed`` shows (None: all); a table with columns sentence and gloss.

    Raises
    ------
    KostraError
        If a dataset does not have what the picture shows; nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.csv"
    ...     _ = file.write_text("sentence1,sentence2,score\na b,a b,1\na b,b c,0.5\na b,c d,0\n")
    ...     figure = picture(file, "dice", to=Path(folder) / "mine.svg")
    >>> str(figure.get_label()).splitlines()[0]
    'Similarity, by dice against score, by people'
    """
    if Path(to).suffix.lower() not in figures.ENDINGS:
        raise KostraError(
            "the name of a picture ends in its format", where=str(to), accepted=", ".join(figures.ENDINGS)
        )
    named = [datasets] if isinstance(datasets, str | Path) else list(datasets)
    asked = [encoders] if isinstance(encoders, str) else list(encoders)
    if not named or not asked:
        raise KostraError("a picture needs a dataset and an encoder")
    read = [read_dataset(one, columns=columns, question=question) for one in named]
    chosen = kind or _kind(read, asked, change)
    if chosen not in KINDS:
        raise unknown("kind of picture", chosen, KINDS)
    if chosen != "heat" and len(read) > 1:
        raise KostraError(
            f'"{chosen}" shows one dataset; there are {len(read)}', accepted="one dataset, or --kind heat"
        )
    data = read[0]
    figure: Figure
    match chosen:
        case "seed":
            figure = drawing.set_figure(
                _sentences(data), _one(asked, chosen), seed_sentence=seed_sentence, methods=methods,
                per_change=per_change, gloss=drawing.read_gloss(Path(gloss)) if gloss else None, seed=seed,
            )  # fmt: skip
        case "type":
            if change is None:
                raise KostraError("which kind of rewrite?", remedy="name it: --type past")
            figure = drawing.type_figure(
                _sentences(data), _one(asked, chosen), change=change, methods=methods, seed=seed
            )
        case "types":
            figure = drawing.types_figure(_sentences(data), asked, samples=samples, seed=seed)
        case _:
            figure = _of_pairs(chosen, read, asked, question=question, samples=samples, seed=seed)
    figures.save(figure, to)
    return figure


def _of_pairs(
    kind: Kind, read: Sequence[Dataset], asked: Sequence[str], *, question: str | None, samples: int, seed: int
) -> Figure:
    """A picture of encoders against people on pairs with scores."""
    match kind:
        case "overlap":
            return drawing.overlap_figure(read[0], question=question)
        case "predicted":
            return drawing.predicted_figure(read[0], _one(asked, kind), question=question)
        case "parts":
            found = relatedness(read[0], asked, question=question, samples=samples, rng=seeded(seed))
            return drawing.parts_figure(found.evaluations)
        case _:
            every = [relatedness(one, asked, question=question, by=(), samples=0, rng=seeded(seed)) for one in read]
            return drawing.heat_figure([evaluation for one in every for evaluation in one.evaluations])


def _kind(read: Sequence[Dataset], asked: Sequence[str], change: str | None) -> Kind:
    if len(read) > 1:
        return "heat"
    if "transformations" in read[0].tasks():
        return "type" if change else "seed" if len(asked) == 1 else "types"
    return "predicted" if len(asked) == 1 else "parts"


def _one(asked: Sequence[str], kind: str) -> str:
    if len(asked) > 1:
        raise KostraError(f'"{kind}" shows one encoder; there are {len(asked)}', accepted="one encoder")
    return asked[0]


def _sentences(data: Dataset) -> Frame:
    data.needs("transformations")
    assert data.sentences is not None  # or there would be no such task
    return data.sentences
