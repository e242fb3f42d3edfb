"""Scoring given embeddings against sentence-transformers' evaluator, MTEB's and the costra package, in one run.

No model runs: every side gets the same vectors, through an object that only looks them up. What is timed is what an
evaluation adds to encoding.
"""

import importlib
import os
import subprocess
import sys
import time
import tracemalloc
import types
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kostra.correlate import correlation
from kostra.encoders import similarities
from kostra.evaluate.categories import categories, costra_score, inequalities
from kostra.evaluate.dataset import Dataset, Scored
from kostra.evaluate.reading import read_dataset
from kostra.evaluate.relatedness import relatedness
from kostra.evaluate.rewrites import rewrites_of

PAIRS, WIDTH, ROUNDS = 5_500, 256, 5
MODULES = (
    ("kostra", "import kostra"),
    ("kostra, ready to evaluate", "from kostra.evaluation import evaluate"),
    ("sentence-transformers", "import sentence_transformers"),
    ("MTEB", "import mteb"),
    ("costra", "import sys; sys.modules['pkg_resources'] = sys; from costra.costra import CostraEvaluator"),
)
DATA = Path(os.environ.get("KOSTRA_DATA", Path(__file__).parents[2] / "shared" / "data"))

ROW = "{:<54}{:>10}{:>10}{:>14}"
Run = Callable[[], dict[str, float]]


class Given:
    """Vectors that were computed before, as an encoder."""

    def __init__(self, vectors: dict[str, Any]) -> None:
        self.vectors = vectors

    def encode(self, sentences: Sequence[str]) -> Any:
        """Look them up."""
        return np.stack([self.vectors[text] for text in sentences])


def main() -> None:
    print(f"CPU seconds of this process (median of {ROUNDS} after one run to warm up, of 1 where a run takes over a")
    print(
        f"second); peak memory by tracemalloc, in a pass of its own. {PAIRS:,} pairs, vectors of {WIDTH} dimensions.\n"
    )
    _imports()
    scored, data = _pairs()
    vectors = _vectors([text for pair in scored.pairs for text in pair])
    _score_pairs(scored, vectors)
    _everything(data, vectors)
    _costra_package()


def _pairs() -> tuple[Scored, Dataset]:
    """STR-2022 where it is there; else made-up pairs, in which every fifth sentence stands twice."""
    import polars as pl

    from kostra.tables import PAIRS as FORM
    from kostra.tables import SCORES, check

    if (DATA / "str2022.csv").exists():
        data = read_dataset(DATA / "str2022.csv")
        return data.scored(), data
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, PAIRS * 8 // 5, size=(PAIRS, 2))
    made = {"pair": [str(n) for n in range(PAIRS)], "text_a": [f"sentence {a}" for a in numbers[:, 0]]}
    pairs = pl.DataFrame({**made, "text_b": [f"sentence {b}" for b in numbers[:, 1]]})
    scores = pl.DataFrame({"item": made["pair"], "question": "score", "score": rng.random(PAIRS), "appearances": 1})
    data = Dataset("made up", low=0, high=1, pairs=check(pairs, FORM), scores=check(scores, SCORES))
    return data.scored(), data


def _vectors(texts: Sequence[str]) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    return {text: rng.normal(size=WIDTH).astype(np.float32) for text in dict.fromkeys(texts)}


# Importing ---------------------------------------------------------------------------------------------


def _imports() -> None:
    print(f"{'Importing, in a process of its own (less an empty one)':<54}{'s':>10}{'MB':>10}{'kostra : it':>14}")
    empty = _child("pass")
    first = 0.0
    for name, code in MODULES:
        seconds, memory = _child(code)
        if not seconds:
            print(f"    {name:<50}{'not installed':>20}")
            continue
        own = max(seconds - empty[0], 1e-3)
        first = own if name.startswith("kostra,") else first
        ratio = f"1 : {own / first:.1f}" if first and not name.startswith("kostra") else ""
        print(f"    {name:<50}{own:>10.2f}{memory - empty[1]:>10.0f}{ratio:>14}")
    print()


def _child(code: str) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a process, the least of three."""
    script = f"{code}\nimport time\nheld = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
    script += "print(time.process_time(), int(held[0].split()[1]) / 1024)"
    found = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=False
        )
        if done.returncode:
            return 0.0, 0.0
        found.append(tuple(float(word) for word in done.stdout.split()[-2:]))
    return min(seconds for seconds, _ in found), min(memory for _, memory in found)


# The same work -----------------------------------------------------------------------------------------


def _score_pairs(scored: Scored, vectors: dict[str, Any]) -> None:
    print(ROW.format("Pearson and Spearman of the cosine", "s", "MB", "kostra : it"))
    ours = _our_scores(scored, vectors)
    seconds = _line("kostra", ours, None)
    for name, make in (("sentence-transformers' evaluator", _sentence_transformers), ("MTEB's evaluator", _mteb)):
        theirs = make(scored, vectors)
        if theirs is None:
            print(f"    {name:<50}{'not installed':>20}")
            continue
        _line(name, theirs, seconds)
        apart = max(abs(ours()[metric] - theirs()[metric]) for metric in ("pearson", "spearman"))
        print(f"        differs from ours by {apart:.0e}")


def _our_scores(scored: Scored, vectors: dict[str, Any]) -> Run:
    def run() -> dict[str, float]:
        said = similarities(Given(vectors), scored.pairs, cache=False, batch_size=1 << 20)
        return {
            "pearson": correlation(said, scored.gold, ranks=False),
            "spearman": correlation(said, scored.gold, ranks=True),
        }

    return run


def _sentence_transformers(scored: Scored, vectors: dict[str, Any]) -> Run | None:
    try:
        module = importlib.import_module("sentence_transformers.sentence_transformer.evaluation")
    except ImportError:
        return None

    class Model:
        similarity_fn_name = "cosine"

        def encode(self, sentences: Sequence[str], **_: Any) -> Any:
            return np.stack([vectors[text] for text in sentences])

    def run() -> dict[str, float]:
        evaluator = module.EmbeddingSimilarityEvaluator(
            [a for a, _ in scored.pairs], [b for _, b in scored.pairs], scored.gold.tolist(), write_csv=False,
            main_similarity="cosine",
        )  # fmt: skip
        evaluator.store_metrics_in_model_card_data = lambda *_, **__: None  # there is no model card
        found = evaluator(Model())
        return {"pearson": found["pearson_cosine"], "spearman": found["spearman_cosine"]}

    return run


def _mteb(scored: Scored, vectors: dict[str, Any]) -> Run | None:
    try:
        sts = importlib.import_module("mteb._evaluators.any_sts_evaluator")
        timing = importlib.import_module("mteb.timing")
        task = importlib.import_module("mteb").get_task("STSBenchmark")
        datasets = importlib.import_module("datasets")
    except ImportError:
        return None
    columns = {f"sentence{side + 1}": [pair[side] for pair in scored.pairs] for side in (0, 1)}
    table = datasets.Dataset.from_dict({**columns, "score": scored.gold.tolist()})

    class Model:
        def encode(self, inputs: Any, **_: Any) -> Any:
            return np.stack([vectors[text] for batch in inputs for text in batch["text"]])

        def similarity_pairwise(self, one: Any, two: Any) -> Any:
            return np.einsum("ij,ij->i", one, two) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)

    def run() -> dict[str, float]:
        evaluator = sts.AnySTSEvaluator(
            table, ("sentence1", "sentence2"), task_metadata=task.metadata, hf_split="test", hf_subset="default",
            input1_prompt_type=None, input2_prompt_type=None, timer=timing.TimingStack(),
        )  # fmt: skip
        found = task._calculate_scores(evaluator(Model(), encode_kwargs={"batch_size": 512}), scored.gold.tolist())
        return {"pearson": found["cosine_pearson"], "spearman": found["cosine_spearman"]}

    return run


def _everything(data: Dataset, vectors: dict[str, Any]) -> None:
    print("\nOurs alone: Pearson, Spearman, Kendall, squared error after range mapping and after isotonic calibration:")
    for name, options in (
        ("whole set", {"by": (), "samples": 0}),
        ("whole set, 1,000 bootstrap samples of sentences", {"by": (), "samples": 1000}),
        ("and of every source", {"by": ("source",), "samples": 1000}),
    ):

        def run(options: Any = options) -> dict[str, float]:
            relatedness(data, {"given": Given(vectors)}, rng=np.random.default_rng(1), **options)
            return {}

        _line(name, run, None)


# COSTRA ------------------------------------------------------------------------------------------------


def _costra_package() -> None:
    print("\n" + ROW.format("The six categories of COSTRA 1.1, given embeddings", "s", "MB", "kostra : it"))
    package = _costra()
    if package is None or not (DATA / "costra11.tsv").exists():
        print("    the package or the data are not there: left out")
        return
    data = read_dataset(DATA / "costra11.tsv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = package.CostraEvaluator()
    sentences = data.sentences
    assert sentences is not None
    made = rewrites_of(sentences, data.pairs, data.judgments, data.scores)
    by_number = np.random.default_rng(3).normal(size=(len(made.ids), WIDTH)).astype(np.float32)
    vectors = by_number[[int(name) for name in made.ids]]  # the package counts sentences by their number

    def ours() -> dict[str, float]:
        found = categories(vectors, inequalities(rewrites_of(sentences, data.pairs, data.judgments, data.scores)))
        return {**{name: round(one.value, 3) for name, one in found.items()}, "costra": costra_score(found)}

    def theirs() -> dict[str, float]:
        return {name: float(value) for name, value in reader.evaluate(by_number).items()}

    seconds = _line("kostra, from the tables in memory", ours, None)
    slow = _line("costra, from the table in memory", theirs, seconds)
    asked = inequalities(made)
    again = _line("kostra, each further encoder", lambda: categories(vectors, asked), None)
    print(
        ROW.format(
            "    costra, each further encoder (the same work again)", f"{slow:.4f}", "", f"1 : {slow / again:.0f}"
        )
    )
    print(f"        figures are {'identical' if ours() == theirs() else 'DIFFERENT'}: {ours()}")


def _costra() -> Any:
    if importlib.util.find_spec("costra") is None:
        return None
    if importlib.util.find_spec("pkg_resources") is None:
        # The package asks setuptools of before 2025 where its file is; that is all it wants of it.
        stand_in = types.ModuleType("pkg_resources")
        stand_in.resource_filename = lambda _, name: str(  # type: ignore[attr-defined]
            Path(str(importlib.util.find_spec("costra").origin)).parent / name  # type: ignore[union-attr]
        )
        sys.modules["pkg_resources"] = stand_in
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("costra.costra")


# Measuring ---------------------------------------------------------------------------------------------


def _line(name: str, run: Callable[[], object], beside: float | None) -> float:
    seconds, peak = _median(run), _peak(run)
    print(ROW.format(f"    {name}", f"{seconds:.4f}", f"{peak:.1f}", f"1 : {seconds / beside:.1f}" if beside else ""))
    return seconds


def _median(run: Callable[[], object]) -> float:
    first = _seconds(run)
    return first if first > 1 else float(np.median([_seconds(run) for _ in range(ROUNDS)]))


def _seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _peak(run: Callable[[], object]) -> float:
    """Megabytes that a run holds at most."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


if __name__ == "__main__":
    main()
