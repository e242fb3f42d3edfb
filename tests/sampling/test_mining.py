"""Mining: the search finds what a loop over all pairs finds, draws are fair, and blocks do not show in the result."""

from __future__ import annotations

import importlib.util
import math
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from kostra.errors import KostraError
from kostra.sampling import mining_search, schedulers
from kostra.sampling.mining import (
    Corpus,
    Measure,
    PairArray,
    Work,
    all_pairs,
    bucketed_pairs,
    gather,
    percentile_edges,
    random_pairs,
    sample_scores,
)
from kostra.sampling.mining_corpus import IDF_UNIT, Scorer
from kostra.sampling.mining_draws import Examination
from kostra.sampling.mining_search import Search
from kostra.sampling.overlap import draw_pairs, overlap_candidates
from kostra.sampling.schedulers import Job, run_blocks, run_job
from kostra.text import dice, shared_share

Sentences = list[list[str]]
Pair = tuple[int, int, float]

# Few words, the first ones more frequent, so that lists are long and split often.
word = st.sampled_from("aaaabbbccdefghijklmnop")
corpora = st.lists(st.lists(word, max_size=12), max_size=14)
measures: st.SearchStrategy[Measure] = st.sampled_from(["dice", "shared_share", "idf_dice"])
thresholds = st.sampled_from([5e-324, 0.1, 0.25, 1 / 3, 0.4, 0.5, 2 / 3, 0.75, 0.9, 1.0])


def idf_dice(sentences: Sentences, first: int, second: int) -> float:
    """IDF-weighted Dice from its definition, with weights rounded as declared."""
    frequency = Counter(word for sentence in sentences for word in set(sentence))

    def mass(words: set[str]) -> int:
        return sum(round((math.log(len(sentences)) - math.log(frequency[word])) / IDF_UNIT) for word in words)

    left, right = set(sentences[first]), set(sentences[second])
    total = mass(left) + mass(right)
    return 2 * mass(left & right) / total if total else 0.0


def brute_force(sentences: Sentences, measure: Measure, *, ordered: bool = False) -> list[Pair]:
    found = []
    for i, j in permutations(range(len(sentences)), 2):
        if measure == "shared_share":
            found.append((i, j, shared_share(sentences[i], sentences[j])))
        elif ordered or i < j:
            symmetric = dice(sentences[i], sentences[j]) if measure == "dice" else idf_dice(sentences, i, j)
            found.append((i, j, symmetric))
    return found


def listed(sections: Iterator[PairArray]) -> list[Pair]:
    return [pair for section in sections for pair in section.tolist()]


def a_corpus(count: int = 300, *, seed: int = 1) -> Corpus:
    """Sentences of a small world, some of them repeated with a change."""
    rng = np.random.default_rng(seed)
    made: Sentences = []
    for number in range(count):
        words = [f"w{int(40 * value**2)}" for value in rng.random(int(rng.integers(2, 12)))]
        made.append([*made[number // 2][1:], *words[:1]] if number % 5 == 4 else words)
    return gather(made)


@settings(max_examples=150, deadline=None)
@given(corpora, measures, thresholds, st.booleans(), st.sampled_from([1, 7, 1_000]), st.sampled_from([0, 2, 24]))
def test_the_search_finds_what_a_loop_over_all_pairs_finds(
    sentences: Sentences, measure: Measure, threshold: float, ordered: bool, block: int, patience: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mining_search, "_PATIENCE", patience)  # split lists early, late and never
        patch.setattr(mining_search, "_SAVING", 1e9 if patience == 0 else 0.5)
        found = listed(
            all_pairs(gather(sentences), measure=measure, threshold=threshold, ordered=ordered, block_size=block)
        )
    wanted = [pair for pair in brute_force(sentences, measure, ordered=ordered) if pair[2] >= threshold]
    assert found == wanted


@settings(max_examples=60, deadline=None)
@given(corpora, st.sampled_from([0.1, 0.25, 0.5]), st.sampled_from([0.5, 0.75, 1.0]), st.sampled_from([0, 0.25, 0.5]))
def test_bounds_on_overlap_and_length_are_those_of_the_small_sampler(
    sentences: Sentences, low: float, high: float, difference: float
) -> None:
    texts = [" ".join(sentence) for sentence in sentences]
    wanted = overlap_candidates(texts, low=low, high=high, length_difference=difference)
    corpus = gather(texts)
    found = listed(
        all_pairs(corpus, measure="shared_share", threshold=low, below=high, length_difference=difference, section=3)
    )
    assert found == list(zip(wanted.first.tolist(), wanted.second.tolist(), wanted.share.tolist(), strict=True))


def test_a_threshold_that_is_a_ratio_of_whole_numbers_is_met_exactly() -> None:
    # 2·3 / (5 + 5) = 0.6, and 0.6 is no binary fraction; 2·1 / (3 + 3) = 1/3 neither.
    corpus = gather(["a b c d e", "a b c x y", "p q r", "r s t"])
    assert listed(all_pairs(corpus, threshold=0.6)) == [(0, 1, 0.6)]
    assert listed(all_pairs(corpus, threshold=1 / 3)) == [(0, 1, 0.6), (2, 3, 1 / 3)]
    assert listed(all_pairs(corpus, threshold=float(np.nextafter(0.6, 1)))) == []


@pytest.mark.parametrize("sentences", [[], [["a"]], [[], []], [[], ["a"], []]], ids=["none", "one", "empty", "mixed"])
@pytest.mark.parametrize("measure", ["dice", "shared_share", "idf_dice"])
def test_where_there_is_nothing_to_pair_nothing_is_found(sentences: Sentences, measure: Measure) -> None:
    corpus = gather(sentences)
    rng = np.random.default_rng(1)
    assert listed(all_pairs(corpus, measure=measure, threshold=0.1)) == []
    assert len(random_pairs(corpus, count=3, rng=rng)) == 0
    scores = sample_scores(corpus, measure=measure, pairs=5, rng=rng)
    assert not scores.any()
    if len(scores) == 0:
        with pytest.raises(KostraError, match="no two sentences"):
            bucketed_pairs(corpus, measure=measure, counts=[1], rng=rng)


@pytest.mark.parametrize("measure", ["dice", "shared_share"])
def test_one_enormous_sentence_does_no_harm(measure: Measure) -> None:
    enormous = [f"w{n}" for n in range(50_000)]
    sentences = [enormous, *([f"w{n}", f"w{n + 1}", "x"] for n in range(300)), enormous[:-100]]
    found = listed(all_pairs(gather(sentences), measure=measure, threshold=0.6))
    long = [pair for pair in found if pair[0] in (0, 301) and pair[1] in (0, 301)]
    # The shorter holds 49,900 of the 50,000 words.
    if measure == "dice":
        assert long == [(0, 301, 2 * 49_900 / 99_900)]
        assert len(found) == 1 + 299  # two of three words with the neighbour: 2·2 / 6
    else:
        assert long == [(0, 301, 0.998), (301, 0, 1.0)]
        assert len(found) == 2 + 2 * 299 + 2 * 300  # each short one has two of its three words in both long ones


def test_sentences_that_are_all_equal_all_pair_up() -> None:
    found = listed(all_pairs(gather(["b a c a"] * 40), threshold=1.0))
    assert found == [(i, j, 1.0) for i in range(40) for j in range(i + 1, 40)]
    # A word of every sentence has no weight.
    assert listed(all_pairs(gather(["b a"] * 40), measure="idf_dice", threshold=0.1)) == []


def test_copies_are_counted_one_by_one() -> None:
    corpus = gather(["a b", "c d", "b a", "a b x", "x b a a"])
    near = {(0, 2): 1.0, (3, 4): 1.0}  # 2 and 3 words differ by a third, 3 and 4 by a quarter, 2 and 4 by a half
    assert listed(all_pairs(corpus, threshold=0.8, length_difference=0.3)) == [(*pair, s) for pair, s in near.items()]


def test_more_pairs_than_fit_are_refused_with_a_remedy() -> None:
    search = Search(gather(["a b"] * 100), "dice", 0.5, most=1_000)
    with pytest.raises(KostraError, match="more than 1,000 pairs"):
        search(0)


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.01, math.nan])
def test_a_threshold_that_asks_for_all_or_none_is_refused(threshold: float) -> None:
    with pytest.raises(KostraError, match="threshold"):
        all_pairs(gather(["a"]), threshold=threshold)


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(KostraError, match="unknown measure"):
        all_pairs(gather(["a"]), measure="jaccard", threshold=0.5)  # type: ignore[arg-type]


def test_a_corpus_is_read_once_and_comes_back_from_disk(tmp_path: Path) -> None:
    corpus = gather(iter(["B a b.", ["c"], ""]))
    assert corpus.lengths.tolist() == [3, 1, 0]
    corpus.save(tmp_path)
    again = Corpus.load(tmp_path)
    assert again.digest == corpus.digest
    with pytest.raises(KostraError, match="no saved corpus"):
        Corpus.load(tmp_path / "elsewhere")


# Draws --------------------------------------------------------------------------------------------------


BOUNDS: dict[str, Any] = {"low": 0.25, "high": 0.75, "length_difference": 0.5}
TINY = ["a b c d", "a b x y", "c d e", "a q r s", "s d t u", "t u v"]


@pytest.mark.parametrize("by_drawing", [True, False])
def test_random_pairs_are_as_likely_as_the_small_sampler_draws_them(
    by_drawing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_drawing:
        monkeypatch.setattr("kostra.sampling.mining._FEW", 0)
    candidates = overlap_candidates(TINY, **BOUNDS)
    eligible = list(zip(candidates.first.tolist(), candidates.second.tolist(), strict=True))
    corpus, rounds = gather(TINY), 1_500
    ours: Counter[tuple[int, int]] = Counter()
    theirs: Counter[tuple[int, int]] = Counter()
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        drawn = random_pairs(corpus, count=2, rng=rng, **BOUNDS)
        ours.update(zip(drawn["first"].tolist(), drawn["second"].tolist(), strict=True))
        theirs.update(eligible[place] for place in draw_pairs(candidates, 2, rng=rng))
    assert set(ours) == set(eligible)
    table = [[ours[pair] for pair in eligible], [theirs[pair] for pair in eligible]]
    assert stats.chi2_contingency(table).pvalue > 0.001


@settings(max_examples=40, deadline=None)
@given(corpora, st.integers(1, 20), st.integers(0, 3), st.integers(0, 99), st.sampled_from([0, 10**6]))
def test_random_pairs_keep_the_bounds_and_miss_none(
    sentences: Sentences, count: int, per_sentence: int, seed: int, few: int
) -> None:
    corpus = gather(sentences)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kostra.sampling.mining._FEW", few)
        drawn = random_pairs(
            corpus, count=count, per_sentence=per_sentence, rng=np.random.default_rng(seed), examine=50, **BOUNDS
        ).tolist()
    candidates = overlap_candidates([" ".join(sentence) for sentence in sentences], **BOUNDS)
    eligible = set(
        zip(*(part.tolist() for part in (candidates.first, candidates.second, candidates.share)), strict=True)
    )
    unordered = {frozenset(pair[:2]) for pair in drawn}
    assert set(drawn) <= eligible
    assert len(unordered) == len(drawn)
    if per_sentence:
        assert max(Counter(sentence for pair in unordered for sentence in pair).values(), default=0) <= per_sentence
    else:
        assert len(drawn) == min(count, len({frozenset(pair[:2]) for pair in eligible}))


def test_pairs_that_are_not_allowed_are_never_drawn() -> None:
    corpus = a_corpus()

    def even_with_odd(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray((first + second) % 2 == 1)

    drawn = random_pairs(corpus, count=50, allowed=even_with_odd, rng=np.random.default_rng(1))
    assert len(drawn) == 50
    assert ((drawn["first"] + drawn["second"]) % 2 == 1).all()


def test_rare_pairs_are_found_though_no_random_pair_meets_them() -> None:
    lonely = [[f"u{number}", f"v{number}", f"x{number}", f"y{number}"] for number in range(1_000)]
    corpus = gather([*lonely, ["u5", "v5", "p", "q"]])
    drawn = random_pairs(corpus, count=5, examine=1_000, rng=np.random.default_rng(1))
    assert {frozenset(pair[:2]) for pair in drawn.tolist()} == {frozenset({5, 1_000})}


def test_all_pairs_of_a_small_corpus_are_examined_so_that_percentiles_are_exact() -> None:
    sentences = [text.split() for text in TINY]
    wanted = [score for *_, score in brute_force(sentences, "dice", ordered=True)]
    found = sample_scores(gather(TINY), pairs=30, rng=np.random.default_rng(1))
    assert sorted(found.tolist()) == sorted(wanted)


def test_random_pairs_of_a_large_corpus_have_their_true_scores_on_average() -> None:
    corpus = a_corpus(400)
    every = sample_scores(corpus, pairs=10**6, rng=np.random.default_rng(1))
    some = sample_scores(corpus, pairs=40_000, rng=np.random.default_rng(2))
    assert len(every) == 400 * 399
    assert len(some) == 40_000
    assert stats.ks_2samp(every, some).statistic < 1.63 * math.sqrt(1 / 40_000)  # p = 0.01, taking `every` as the law


def test_buckets_hold_pairs_of_their_percentile_and_no_pair_twice() -> None:
    corpus = a_corpus(400)
    counts = [2, 4, 8, 16]
    buckets = bucketed_pairs(corpus, measure="dice", counts=counts, examine=50_000, rng=np.random.default_rng(1))
    assert [len(bucket.pairs) for bucket in buckets] == counts
    pairs = np.concatenate([bucket.pairs for bucket in buckets])
    assert len({frozenset(pair[:2]) for pair in pairs.tolist()}) == sum(counts)
    assert Scorer(corpus, "dice")(pairs["first"], pairs["second"]).tolist() == pairs["score"].tolist()
    for bucket in buckets:
        last = bucket is buckets[-1]
        scores = bucket.pairs["score"]
        assert ((scores >= bucket.low) & ((scores < bucket.high) | (last | (bucket.low == bucket.high)))).all()


def test_high_buckets_that_random_pairs_do_not_reach_are_searched() -> None:
    lonely = [[f"u{number}", f"v{number}", f"x{number}", f"y{number}"] for number in range(1_000)]
    corpus = gather([*lonely, ["u5", "v5", "x5", "q"], ["u6", "v6", "x6", "y6"], ["u6", "v6", "x6", "y6", "u6"]])
    edges = np.array([0.0, 0.2, 0.5, 0.9, 1.0])
    buckets = bucketed_pairs(
        corpus, measure="dice", counts=[1, 1, 1, 9], edges=edges, examine=2_000, rng=np.random.default_rng(1)
    )
    assert [len(bucket.pairs) for bucket in buckets] == [1, 0, 1, 3]
    assert [bucket.source for bucket in buckets] == ["examined", "examined", "searched", "searched"]
    assert [bucket.offered for bucket in buckets[2:]] == [1, 3]


def test_edges_that_do_not_fit_the_buckets_are_refused() -> None:
    with pytest.raises(KostraError, match="3 edges for 1 buckets"):
        bucketed_pairs(a_corpus(20), counts=[1], edges=np.array([0.0, 0.5, 1.0]), rng=np.random.default_rng(1))


def test_buckets_of_equal_scores_share_their_pairs() -> None:
    assert percentile_edges(np.array([0.0] * 8 + [0.5, 1.0]), 5).tolist() == [0, 0, 0, 0, 0, 1]
    corpus = gather([f"w{number}" for number in range(50)])  # no two share a word
    buckets = bucketed_pairs(corpus, measure="dice", counts=[2, 3, 4], rng=np.random.default_rng(1))
    assert [len(bucket.pairs) for bucket in buckets] == [2, 3, 4]


# Blocks -------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_size_of_blocks_does_not_show_in_the_result() -> None:
    corpus = a_corpus()
    results = {
        np.concatenate(list(all_pairs(corpus, threshold=0.4, block_size=size, section=section))).tobytes()
        for size in (1, 100, 10**6)
        for section in (1, 50, 10**6)
    }
    assert len(results) == 1


def jobs() -> list[Job]:
    corpus = a_corpus(500)
    return [Search(corpus, "idf_dice", 0.3, block_size=300), Examination(corpus, "dice", 200_000, seed=5)]


@pytest.mark.parametrize("job", jobs(), ids=["search", "examination"])
def test_processes_and_one_process_write_the_same_bytes(job: Job, tmp_path: Path) -> None:
    run_job(job, Work(tmp_path / "one"))
    run_job(job, Work(tmp_path / "two", workers=2))
    assert len(contents(tmp_path / "one")) == job.blocks + 1 > 2
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


class PlugPulledError(Exception):
    """Somebody pulls the plug."""


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    job = jobs()[0]
    run_job(job, Work(tmp_path / "whole"))

    def pull_the_plug(done: int, total: int) -> None:
        if done == total // 2:
            raise PlugPulledError

    with pytest.raises(PlugPulledError):
        run_job(job, Work(tmp_path / "broken", progress=pull_the_plug))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "broken").iterdir()}
    assert 1 < len(before) < job.blocks
    told: list[tuple[int, int]] = []
    run_job(job, Work(tmp_path / "broken", progress=lambda done, total: told.append((done, total))))
    assert told == [(done, job.blocks) for done in range(job.blocks // 2, job.blocks + 1)]
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")


def test_buckets_are_the_same_from_a_folder_and_from_memory(tmp_path: Path) -> None:
    corpus = a_corpus(600)

    def draw(work: Work | None) -> list[bytes]:
        rng = np.random.default_rng(3)
        edges = np.array([0.0, 0.3, 0.95, 1.0])
        found = bucketed_pairs(corpus, counts=[5, 5, 500], edges=edges, examine=10_000, rng=rng, work=work)
        assert found[-1].source == "searched"
        return [bucket.pairs.tobytes() for bucket in found]

    first = draw(Work(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["examined", "searched"]
    assert first == draw(Work(tmp_path)) == draw(None)


def test_a_folder_of_another_search_is_refused(tmp_path: Path) -> None:
    list(all_pairs(a_corpus(), threshold=0.4, work=Work(tmp_path)))
    with pytest.raises(KostraError, match="another search"):
        all_pairs(a_corpus(), threshold=0.5, work=Work(tmp_path))
    with pytest.raises(KostraError, match="another search"):
        all_pairs(a_corpus(seed=2), threshold=0.4, work=Work(tmp_path))


def test_a_damaged_block_is_named(tmp_path: Path) -> None:
    list(all_pairs(a_corpus(), threshold=0.4, work=Work(tmp_path)))
    (tmp_path / "block-000000.npy").write_bytes(b"")
    with pytest.raises(KostraError, match=r"block-000000\.npy: the block cannot be read"):
        all_pairs(a_corpus(), threshold=0.4, work=Work(tmp_path))


def test_a_scheduler_without_dask_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("kostra.sampling.schedulers.importlib.import_module", absent)
    with pytest.raises(KostraError, match=r"kostra\[cluster\]") as caught:
        list(run_blocks(abs, [1], scheduler="local"))
    assert caught.value.remedy == "pip install 'kostra[cluster]'"


def test_an_unknown_scheduler_and_no_workers_are_refused() -> None:
    with pytest.raises(KostraError, match="unknown scheduler"):
        list(run_blocks(abs, [1], scheduler="lokal"))
    with pytest.raises(KostraError, match="0 workers"):
        list(run_blocks(abs, [1], workers=0))


class FatalOnce:
    """A block function that kills its worker, once, in the middle of a block."""

    def __init__(self, job: Job, block: int, mark: Path) -> None:
        self.job, self.block, self.mark = job, block, mark
        self.blocks, self.digest = job.blocks, job.digest

    def __call__(self, block: int) -> NDArray[Any]:
        if block == self.block and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        with (self.mark.parent / "done").open("a") as log:
            log.write(f"{block}\n")
        return self.job(block)


needs_dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="dask is not installed")
# Dask's own sockets and event loops are not always closed in time.
quiet = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.long
@needs_dask
@quiet
@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_is_killed_costs_its_block_only(workers: int, tmp_path: Path) -> None:
    job = jobs()[0]
    run_job(job, Work(tmp_path / "here"))
    # Workers cannot import a test module, whatever pytest calls it: its classes travel by value.
    importlib.import_module("cloudpickle").register_pickle_by_value(sys.modules[__name__])
    fatal = FatalOnce(job, job.blocks // 2, tmp_path / "mark")
    run_job(fatal, Work(tmp_path / "dask", scheduler="local", workers=workers))
    assert fatal.mark.exists()
    assert contents(tmp_path / "here") == contents(tmp_path / "dask")
    done = (tmp_path / "done").read_text().split()
    # What the dead worker had finished and not handed over yet may be done again, but no more than was given ahead.
    assert set(done) == {str(block) for block in range(job.blocks)}
    assert len(done) < 2 * job.blocks


@pytest.mark.long
@needs_dask
@quiet
def test_a_cluster_at_an_address_writes_the_same_bytes(tmp_path: Path) -> None:
    distributed = importlib.import_module("distributed")
    job = jobs()[1]
    run_job(job, Work(tmp_path / "here"))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster:
        run_job(job, Work(tmp_path / "there", scheduler=cluster.scheduler_address))
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


@pytest.mark.long
@needs_dask
@quiet
def test_slurm_asks_for_jobs_and_runs_the_same_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no SLURM here: a local cluster stands in for `dask_jobqueue.SLURMCluster`."""
    distributed = importlib.import_module("distributed")
    asked: list[int] = []

    class SLURMCluster(distributed.LocalCluster):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0")

        def scale(self, n: int | None = None, jobs: int | None = None, **rest: Any) -> Any:
            if jobs is not None:
                asked.append(jobs)
            return super().scale(jobs if n is None else n, **rest)

    class Jobqueue:
        pass

    Jobqueue.SLURMCluster = SLURMCluster  # type: ignore[attr-defined]
    real: Callable[[str], Any] = importlib.import_module
    monkeypatch.setattr(schedulers, "_package", lambda name: Jobqueue if name == "dask_jobqueue" else real(name))
    job = jobs()[0]
    run_job(job, Work(tmp_path / "here"))
    run_job(job, Work(tmp_path / "slurm", scheduler="slurm", workers=2))
    assert asked == [2]
    assert contents(tmp_path / "here") == contents(tmp_path / "slurm")
