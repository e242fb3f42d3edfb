"""Fine-tuning: a tiny random BERT learns, is kept once trained, and is tested on what it has not seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra.correlate import correlation
from kostra.errors import KostraError
from kostra.evaluate import fine_tune, fine_tune_jobs
from kostra.evaluate.dataset import Scored
from kostra.evaluate.fine_tune_filter import as_many_at_random, diagonal_filter
from kostra.evaluate.fine_tune_jobs import Settings, predictions, scaled
from kostra.evaluate.fine_tune_protocols import Plan, fine_tuned_on, fine_tuned_over_folds
from kostra.evaluate.folds import grouped_folds, random_folds, source_folds
from kostra.evaluate.heads import Base, PairModel
from kostra.recipe import About, Recipe, Score, Step, parse
from kostra.steps import Context, Inputs
from kostra.tables import PAIRS, SCORES, Frame, check

WORDS = ("cat", "dog", "owl", "fox", "hen", "runs", "sleeps", "sings", "eats", "hides")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of one layer and eight dimensions a head, with random weights and a vocabulary of ours."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("bert")
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    vocabulary = {word: place for place, word in enumerate((*special, *WORDS))}
    transformers.BertTokenizer(vocab=vocabulary).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        transformers.BertModel(config).save_pretrained(folder)
    return str(folder)


def material(count: int, *, seed: int = 1) -> Scored:
    """Pairs of three words each; the score says whether the same animal does it."""
    rng = np.random.default_rng(seed)
    pairs = [(_sentence(rng), _sentence(rng)) for _ in range(count)]
    gold = np.array([float(a.split()[0] == b.split()[0]) for a, b in pairs])
    sources = tuple("xy"[number % 2] for number in range(count))
    ids = tuple(f"p{number}" for number in range(count))
    return Scored("score", ids, tuple(pairs), gold, sources, sources, None)


def _sentence(rng: np.random.Generator) -> str:
    return f"{WORDS[rng.integers(2)]} {WORDS[5 + rng.integers(5)]} {WORDS[5 + rng.integers(5)]}"


def settings(bert: str, **changes: Any) -> Settings:
    small = Settings(f"hf:{bert}?pooling=mean", batch=8, learning_rate=1e-3, longest=16, device="cpu")
    return replace(small, **changes)


# One training ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("architecture", ["two_tower", "cross_attention"])
def test_a_model_learns_what_it_is_trained_on(bert: str, architecture: str) -> None:
    scored = material(96)
    if architecture == "cross_attention":  # one layer cannot compare two words through a pooler: it is asked for one
        scored = replace(scored, gold=np.array([float(a.startswith("cat")) for a, _ in scored.pairs]))
    chosen = settings(bert, architecture=architecture, epochs=12, learning_rate=5e-3, projection=20)
    said = predictions(chosen, (scored.pairs, scored.gold), scored.pairs, seed=1)
    assert correlation(said, scored.gold, ranks=False) > 0.8


def test_the_same_seed_gives_the_same_numbers_and_leaves_the_global_generator_alone(bert: str) -> None:
    torch = pytest.importorskip("torch")
    scored = material(24)
    before = torch.random.get_rng_state()
    first, again, other = (
        predictions(settings(bert), (scored.pairs, scored.gold), scored.pairs, seed=seed) for seed in (1, 1, 2)
    )
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_finished_training_is_not_done_again(bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scored = material(24)
    first = predictions(settings(bert), (scored.pairs, scored.gold), scored.pairs, seed=1, folder=tmp_path)
    monkeypatch.setattr(fine_tune_jobs, "_asked", _refuse)
    again = predictions(settings(bert), (scored.pairs, scored.gold), scored.pairs, seed=1, folder=tmp_path)
    assert first.tolist() == again.tolist()
    # Whatever the numbers depend on makes it another training.
    for chosen, gold, seed in (
        (settings(bert), scored.gold, 2),
        (settings(bert, epochs=2), scored.gold, 1),
        (settings(bert), 1 - scored.gold, 1),
    ):
        with pytest.raises(AssertionError, match="trained again"):
            predictions(chosen, (scored.pairs, gold), scored.pairs, seed=seed, folder=tmp_path)


def _refuse(*args: object, **named: object) -> None:
    raise AssertionError("trained again")


def test_an_interrupted_evaluation_goes_on_where_it_was(
    bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = material(40)
    folds = random_folds(scored.ends(), 4, rng=np.random.default_rng(1))
    plan = Plan(folder=tmp_path, samples=0)
    trained: list[int] = []
    real = fine_tune_jobs._asked

    def stops(*args: Any, **named: Any) -> Any:
        if len(trained) == 2:
            raise KeyboardInterrupt
        trained.append(1)
        return real(*args, **named)

    monkeypatch.setattr(fine_tune_jobs, "_asked", stops)
    with pytest.raises(KeyboardInterrupt):
        fine_tuned_over_folds(scored, settings(bert), folds, low=0, high=1, plan=plan)
    assert len(list(tmp_path.glob("*.json"))) == 2
    counted: list[int] = []

    def counting(*args: Any, **named: Any) -> Any:
        counted.append(1)
        return real(*args, **named)

    monkeypatch.setattr(fine_tune_jobs, "_asked", counting)
    resumed = fine_tuned_over_folds(scored, settings(bert), folds, low=0, high=1, plan=plan)
    monkeypatch.undo()
    assert len(counted) == 2
    fresh = fine_tuned_over_folds(scored, settings(bert), folds, low=0, high=1, plan=replace(plan, folder=None))
    assert resumed.measures == fresh.measures


def test_batches_hold_every_pair_once_and_pairs_of_like_length_together() -> None:
    pairs = [("x" * length, "") for length in (1, 50, 2, 51, 3, 52)]
    batches = fine_tune_jobs._batches(pairs, 3, np.random.default_rng(1))
    assert sorted(row for batch in batches for row in batch.tolist()) == list(range(6))
    assert {frozenset(batch.tolist()) for batch in batches} == {frozenset({0, 2, 4}), frozenset({1, 3, 5})}


def test_the_head_of_a_cross_attention_model_is_a_projection_an_activation_and_one_neuron(bert: str) -> None:
    model = PairModel(Base.named(f"hf:{bert}"), "cross_attention", longest=16)
    shapes = [tuple(weight.shape) for weight in model.head.parameters()]
    assert shapes == [(200, 16), (200,), (1, 200), (1,)]
    assert [type(part).__name__ for part in model.head] == ["Linear", "ReLU", "Linear"]


@pytest.mark.parametrize("pooling", ["mean", "max", "cls", "pooler"])
def test_a_sentence_is_nearest_to_itself_whatever_the_pooling_and_the_padding(bert: str, pooling: str) -> None:
    model = PairModel(Base.named(f"hf:{bert}?pooling={pooling}"), "two_tower", longest=16)
    model.parts.eval()
    pairs = [("cat runs", "cat runs"), ("cat runs", "dog sleeps hides eats")]
    same, other = model.scores(pairs).tolist()
    alone = model.scores(pairs[:1]).tolist()
    assert same == pytest.approx(1.0, abs=1e-5)
    assert alone == pytest.approx([same], abs=1e-5)
    assert other < same


def test_word_vectors_are_mapped_by_the_line_that_fits_the_training_scores() -> None:
    train = [("a b", "a b"), ("a b", "c d")]  # Dice 1 and 0
    said = predictions(
        Settings("dice", architecture="word_vectors"), (train, np.array([0.9, 0.1])), [("a b", "a c")], seed=0
    )
    assert said.tolist() == pytest.approx([0.5])  # Dice ½, halfway between .1 and .9


def test_word_vectors_that_never_vary_are_left_as_they_are() -> None:
    train = [("a b", "a b"), ("c d", "c d")]
    said = predictions(
        Settings("dice", architecture="word_vectors"), (train, np.array([0.9, 0.1])), [("a b", "a c")], seed=0
    )
    assert said.tolist() == [0.5]


# Protocols ---------------------------------------------------------------------------------------------


def test_correlations_are_means_over_folds_and_runs() -> None:
    scored = material(60)
    folds = random_folds(scored.ends(), 3, rng=np.random.default_rng(1))
    chosen = Settings("dice", architecture="word_vectors")
    found = fine_tuned_over_folds(scored, chosen, folds, low=0, high=1, plan=Plan(samples=50), dataset="mine")
    by_hand = []
    for train, test in folds:
        learnt = [scored.pairs[row] for row in train], scored.gold[train]
        said = predictions(chosen, learnt, [scored.pairs[row] for row in test], seed=0)
        by_hand.append(correlation(said, scored.gold[test], ranks=True))
    measure = found.measure("cosine_spearman")
    assert measure is not None
    assert measure.value == pytest.approx(np.mean(by_hand))
    assert measure.low is not None
    assert measure.high is not None
    assert measure.low < np.mean(by_hand) < measure.high
    assert found.protocol == "3-fold random"
    assert {one.part for one in found.measures} == {"all", "x", "y"}


def test_the_error_is_on_the_scores_own_scale() -> None:
    scored = replace(material(40), gold=np.repeat([0.0, 6.0], 20))
    test = replace(scored, gold=np.full(40, 3.0))
    found = fine_tuned_on(scored, test, Settings("hashed", architecture="word_vectors"), low=0, high=6)
    said = predictions(
        Settings("hashed", architecture="word_vectors"), (scored.pairs, scored.gold / 6), test.pairs, seed=0
    )
    assert found.value("cosine_mse") == pytest.approx(np.mean((said * 6 - 3) ** 2))


def test_runs_are_averaged_and_their_spread_is_kept(bert: str) -> None:
    scored = material(40)
    folds = random_folds(scored.ends(), 2, rng=np.random.default_rng(1))
    runs = [
        fine_tuned_over_folds(scored, settings(bert), folds, low=0, high=1, plan=Plan(seed=seed, samples=0))
        for seed in (3, 4)
    ]
    both = fine_tuned_over_folds(scored, settings(bert), folds, low=0, high=1, plan=Plan(runs=2, seed=3, samples=0))
    values = [one.value("cosine_pearson") for one in runs]
    assert both.value("cosine_pearson") == pytest.approx(np.mean([value for value in values if value is not None]))
    assert both.details["spread"]["cosine_pearson"]["sd_runs"] == pytest.approx(np.std(values, ddof=1))  # type: ignore[arg-type]


def test_what_training_and_test_share_is_counted() -> None:
    scored = material(60)
    chosen = Settings("dice", architecture="word_vectors")
    rng, quick = np.random.default_rng(1), Plan(samples=0)
    mixed = random_folds(scored.ends(), 3, rng=rng)
    leaky = fine_tuned_over_folds(scored, chosen, mixed, low=0, high=1, plan=quick)
    assert leaky.counts["shared_pairs"] > 0
    apart = replace(scored, pairs=tuple((f"{a} {n}", f"{b} {n}") for n, (a, b) in enumerate(scored.pairs)))
    clean = fine_tuned_over_folds(apart, chosen, grouped_folds(apart.ends(), 3, rng=rng), low=0, high=1, plan=quick)
    assert clean.counts["shared_pairs"] == 0
    assert clean.protocol == "3-fold grouped"


def test_progress_goes_through_every_training_and_ends_at_all(bert: str) -> None:
    scored = material(40)
    seen: list[tuple[int, int]] = []
    folds = source_folds(scored.ends(), scored.sources)
    found = fine_tuned_over_folds(
        scored, settings(bert), folds, low=0, high=1, plan=Plan(samples=0), progress=lambda *p: seen.append(p)
    )
    assert seen[-1] == (2000, 2000)  # two sources, a thousand parts each
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert len(seen) > 4
    assert found.protocol == "leave_one_source_out"


# The step ----------------------------------------------------------------------------------------------


def context(folder: Path, *, low: float = 0.0, high: float = 1.0) -> Context:
    about = About(name="t", title="t", protocol="t", language="en", seed=1, citation="t")
    step = Step(name="models", use="evaluate/fine_tune")
    recipe = Recipe(recipe=about, score=Score(question="similarity", low=low, high=high), steps=(step,))
    return Context(recipe, step, folder, folder, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))


def tables_of(scored: Scored, question: str, *, start: int = 0) -> tuple[Frame, Frame]:
    names = [f"p{start + number}" for number in range(len(scored.pairs))]
    pairs = pl.DataFrame(
        {
            "pair": names,
            "text_a": [a for a, _ in scored.pairs],
            "text_b": [b for _, b in scored.pairs],
            "source": list(scored.sources),
            "subset": ["abc"[number % 3] for number in range(len(names))],
        }
    )
    scores = pl.DataFrame({"item": names, "question": question, "score": scored.gold, "appearances": 1})
    return check(pairs, PAIRS), check(scores, SCORES)


def test_the_step_trains_grouped_folds_with_random_ones_beside_and_one_source_left_out(tmp_path: Path) -> None:
    pairs, scores = tables_of(material(60), "similarity")
    options = parse(
        fine_tune.Options,
        {"models": ["dice"], "architecture": "word_vectors", "folds": 3, "leave_one_source_out": True, "samples": 20},
        where="t",
    )
    made = fine_tune.run(Inputs({"pairs": pairs, "scores": scores}), options, context(tmp_path))["results"]
    names = made["encoder"].unique(maintain_order=True).to_list()
    assert names == ["dice, calibrated", "dice, calibrated, leave one source out"]  # word vectors need no random folds


def test_a_trained_model_gets_random_folds_beside_the_grouped_ones(bert: str, tmp_path: Path) -> None:
    pairs, scores = tables_of(material(60), "similarity")
    options = parse(
        fine_tune.Options,
        {"models": [f"hf:{bert}"], "folds": 2, "samples": 0, "longest": 16, "device": "cpu"},
        where="t",
    )
    where = context(tmp_path)
    made = fine_tune.run(Inputs({"pairs": pairs, "scores": scores}), options, where)["results"]
    main, beside = made["encoder"].unique(maintain_order=True).to_list()
    assert beside == f"{main}, 2-fold random"
    assert any("share a sentence with the training pairs" in finding.message for finding in where.findings)


def test_a_build_keeps_finished_trainings_beside_its_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs, scores = tables_of(material(60), "similarity")
    options = parse(
        fine_tune.Options, {"models": ["dice"], "architecture": "word_vectors", "folds": 3, "samples": 0}, where="t"
    )
    made = []
    for _ in range(2):
        staging = tmp_path / "build" / ".models.partial"
        staging.mkdir(parents=True, exist_ok=True)
        where = replace(context(tmp_path), folder=staging)
        made.append(fine_tune.run(Inputs({"pairs": pairs, "scores": scores}), options, where)["results"])
        assert len(list((tmp_path / "build" / fine_tune.TRAINED).glob("*.json"))) == 3
        monkeypatch.setattr(fine_tune_jobs, "_asked", _refuse)
    assert made[0].equals(made[1])


def test_the_step_trains_on_another_question_whole_and_near_the_diagonal(tmp_path: Path) -> None:
    train, rated = tables_of(replace(material(60), gold=np.tile([6.0, 3.0, 4.0], 20)), "round1")
    test, judged = tables_of(replace(material(30, seed=2), gold=np.arange(30) / 5), "similarity", start=60)
    both = pl.concat([rated, judged, judged.head(3).with_columns(question=pl.lit("round1"))])  # tested pairs have both
    inputs = Inputs({"pairs": pl.concat([train, test]), "scores": both})
    options = parse(
        fine_tune.Options,
        {
            "models": ["dice"],
            "architecture": "word_vectors",
            "train_question": "round1",
            "within": [1.0],
            "expected": {"a": 6.0, "b": 3.0, "c": 0.0},
            "runs": 5,
            "samples": 0,
        },
        where="t",
    )
    where = context(tmp_path, high=6.0)
    made = fine_tune.run(inputs, options, where)["results"]
    # Of 60 training pairs the 20 of class c are 4 away from what is expected.
    assert made["encoder"].unique(maintain_order=True).to_list() == [
        "dice, calibrated", "dice, calibrated, N1", "dice, calibrated, 40 at random",
    ]  # fmt: skip
    said = [finding.message for finding in where.findings]
    assert any("trained on 60 pairs, tested on 30" in message for message in said)
    assert any("the same in every run" in message for message in said)
    assert set(made.filter(pl.col("part") == "all")["n"]) == {30}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"models": ["dice"]}, '"dice" cannot be fine-tuned'),
        ({"models": ["hf:x?pooling=sum"]}, 'unknown pooling "sum"'),
        ({"models": ["hf:x?layer=2"]}, 'unknown option of a model "layer"'),
        ({"models": ["hf:x"], "loss": "squared_error"}, "does not fit the architecture"),
        ({"models": ["hf:x"], "within": [1.0]}, "within needs train_question"),
        ({"models": ["nonsense"], "architecture": "word_vectors"}, 'unknown encoder "nonsense"'),
    ],
)
def test_what_cannot_work_is_refused_before_anything_runs(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(KostraError) as caught:
        fine_tune.plan({"pairs": 9}, parse(fine_tune.Options, changed, where="t"), context(tmp_path))
    assert said in str(caught.value)


def test_a_model_that_is_not_there_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(KostraError) as caught:
        PairModel(Base.named(f"hf:{tmp_path / 'empty'}"), "two_tower")
    assert "holds no model" in caught.value.what
    assert caught.value.accepted is not None


def test_the_plan_counts_trainings_and_waits_for_models(
    bert: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    options = parse(fine_tune.Options, {"models": [f"hf:{bert}", "hf:./models/lacking"], "runs": 3}, where="t")
    made = fine_tune.plan({"pairs": 9}, options, context(tmp_path))
    assert made.says == "trains 2 models, 60 trainings"  # 2 models × (5 grouped + 5 random folds) × 3 runs
    assert made.waits is not None
    assert made.waits.startswith("for models: hf:./models/lacking (")


def test_a_model_in_the_project_is_found_there_and_called_as_in_the_recipe(bert: str, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "own").symlink_to(bert)
    pairs, scores = tables_of(material(40), "similarity")
    chosen = {"models": ["hf:models/own"], "folds": 2, "samples": 0, "grouped": False, "longest": 16, "device": "cpu"}
    options = parse(fine_tune.Options, chosen, where="t")
    made = fine_tune.run(Inputs({"pairs": pairs, "scores": scores}), options, context(tmp_path))["results"]
    assert set(made["encoder"]) == {"hf:models/own, fine-tuned as two tower"}


# Filters -----------------------------------------------------------------------------------------------


def test_a_control_is_as_large_as_what_the_filter_kept() -> None:
    kept = diagonal_filter(np.array([6.0, 0.0, 3.0]), ["a", "a", "b"], expected={"a": 6.0, "b": 3.0}, within=1)
    assert kept.tolist() == [True, False, True]
    assert as_many_at_random(kept, rng=np.random.default_rng(1)).sum() == 2


def test_scores_are_learnt_from_0_to_1() -> None:
    assert scaled([1.0, 5.0], low=1, high=5).tolist() == [0.0, 1.0]
