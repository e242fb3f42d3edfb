"""``kostra pairs``: any strategy on any files, without a project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import polars as pl
import pytest
from pydantic import Field, TypeAdapter

from kostra.errors import KostraError
from kostra.pipeline import build
from kostra.recipe import Strict
from kostra.sampling import overlap, strategies
from kostra.sampling.strategies import Pairs, lone_context, pairs, parse_options
from kostra.steps import Context, component
from kostra.tables import PAIRS, check

SAMPLES = Path(strategies.__file__).parent.parent / "sources" / "samples"
REWRITES = Path(__file__).parent.parent / "cases" / "rewrites.csv"
CAPTIONS, OPINIONS = SAMPLES / "en" / "captions.csv", SAMPLES / "en" / "opinions.csv"

GIVEN: dict[str, dict[str, object]] = {
    "ensemble": {"kinds": [{"first": "a", "second": "b"}]},  # its other kinds need sentences that a rule made
    "rewrite_pairs": {"of": "seed_and_rewrite"},
    "stance": {"pairs": 12, "for_for": 4, "against_against": 4, "for_against": 4},
}
"""What a strategy is told, where that is not `pairs` alone; a new strategy that needs more has its line here."""


def draw(path: Path | list[Path], strategy: str = "overlap", **said: Any) -> Pairs:
    return pairs(path, strategy=strategy, **{"options": {"pairs": 12}, "language": "en", **said})


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text(
        "".join(f"the {a} saw the {b} today\n" for a in ("cat", "dog", "hen") for b in ("sun", "sea", "fog"))
    )
    return path


# Strategies --------------------------------------------------------------------------------------------


def on_samples(name: str) -> tuple[list[Pairs], list[str]]:
    """What a strategy draws from each sample corpus, and why it refuses others."""
    drawn, reasons = [], []
    for path in (CAPTIONS, OPINIONS, REWRITES, SAMPLES / "en" / "paraphrases.csv"):
        try:
            drawn.append(draw(path, name, options=GIVEN.get(name, {"pairs": 12}), seed=3))
        except KostraError as error:
            reasons.append(str(error))
    return drawn, reasons


@pytest.mark.parametrize("name", [one.name for one in strategies.strategies()])
def test_every_strategy_draws_from_a_sample_corpus_and_says_why_it_refuses_another(name: str) -> None:
    drawn, reasons = on_samples(name)
    assert drawn, reasons
    for found in drawn:
        assert check(found.frame, PAIRS).height > 0
        ids = set(found.sentences["sentence"])
        assert {*found.frame["sentence_a"].drop_nulls(), *found.frame["sentence_b"].drop_nulls()} <= ids
        assert found.bias.sources["pairs"].sum() == found.frame.height
    for reason in reasons:
        assert reason.startswith(f'step "{name}": '), "a refusal says who refuses"
    again, _ = on_samples(name)
    assert all(first.frame.equals(second.frame) for first, second in zip(drawn, again, strict=True))


def test_the_list_of_strategies_says_what_each_takes() -> None:
    found = {one.name: one for one in strategies.strategies()}
    assert {"overlap", "paraphrases", "idf_dice", "stance"} <= set(found)
    assert not {"tuples", "bias", "draw", "pool"} & set(found)
    assert "picks" not in found, "no file of sentences holds the answers that it reads"
    assert found["overlap"].summary.startswith("Random pairs of sentences")
    options = {option.name: option for option in found["overlap"].options}
    assert (options["pairs"].default, options["pairs"].accepts) == (None, "a whole number")
    assert (options["paraphrases"].default, options["paraphrases"].accepts) == ("no", "yes or no")
    assert options["high"].doc == "The share must stay below this."


def test_every_default_that_is_listed_can_be_said() -> None:
    for one in strategies.strategies():
        model = component(f"sampling/{one.name}").Options
        said = [f"{option.name}={option.default}" for option in one.options if option.default is not None]
        defaults = {name: field for name, field in model.model_fields.items() if not field.is_required()}
        meant = {name: field.get_default(call_default_factory=True) for name, field in defaults.items()}
        plain = TypeAdapter(dict[str, Any])  # options are compared as JSON, in which a list may be a tuple
        assert plain.dump_json(parse_options(said, model)) == plain.dump_json(meant)


def test_dashes_stand_for_underscores_and_strings_for_options(corpus: Path) -> None:
    found = draw(corpus, "idf-dice", options=["pairs=5", "per-sentence=3"])
    assert (found.strategy, found.frame.height) == ("idf_dice", 5)
    assert found.options.model_dump()["per_sentence"] == 3
    assert found.options.model_dump()["buckets"] == 50
    assert found.frame["subset"].unique().to_list() == ["idf_dice"]


def test_an_unknown_strategy_suggests_the_nearest_and_another_component_is_refused(corpus: Path) -> None:
    with pytest.raises(KostraError, match=r'unknown strategy "overlapp"(.|\n)*did you mean "overlap"'):
        draw(corpus, "overlapp")
    with pytest.raises(
        KostraError, match=r'"tuples" reads pairs\|sentences and writes tuples: it is a step of recipes'
    ):
        draw(corpus, "tuples")
    with pytest.raises(KostraError, match='unknown strategy "design"'):
        draw(corpus, "design")


def test_the_pairs_are_those_of_a_recipe_with_the_same_seed(corpus: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "recipe.toml").write_text(
        '[recipe]\nname = "same"\ntitle = "Same"\nprotocol = "none"\nlanguage = "en"\nseed = 7\ncitation = "None."\n'
        '[score]\nquestion = "relatedness"\nlow = 0.0\nhigh = 1.0\n'
        '[[steps]]\nname = "sentences"\nuse = "sources/files"\nwith = { paths = ["../corpus.txt"] }\n'
        '[[steps]]\nname = "overlap"\nuse = "sampling/overlap"\nreads = ["sentences"]\nwith = { pairs = 9 }\n'
    )
    build(project)
    built = pl.read_parquet(project / "build" / "overlap" / "pairs.parquet")
    assert draw(corpus, options={"pairs": 9}, seed=7).frame.equals(built)
    assert not draw(corpus, options={"pairs": 9}, seed=8).frame.equals(built)


# Options -----------------------------------------------------------------------------------------------


class Inner(Strict):
    first: str


class Model(Strict):
    count: int
    share: float = 0.5
    sure: bool = False
    most: int | None = None
    edges: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    how: Literal["even", "odd"] = "even"
    kinds: tuple[Inner, ...] = ()
    quotas: dict[str, int] = Field(default_factory=dict)
    text: str = ""


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("count=3", 3),
        ("share=1e-2", 0.01),
        ("share=1", 1.0),
        ("sure=yes", True),
        ("sure=False", False),
        ("most=none", None),
        ("most=4", 4),
        ("edges=0, 0.5,1", [0.0, 0.5, 1.0]),
        ("edges=", []),
        ("names=a,b c", ["a", "b c"]),
        ("how=odd", "odd"),
        ('kinds=[{"first": "a"}]', [{"first": "a"}]),
        ('quotas={"for": 2}', {"for": 2}),
        ("text=a=b", "a=b"),
        ("text=[x", "[x"),
        ("text=none", "none"),
    ],
)
def test_a_string_becomes_what_the_option_holds(said: str, meant: object) -> None:
    assert parse_options([said], Model) == {said.partition("=")[0]: meant}


@pytest.mark.parametrize(
    ("said", "accepted"),
    [
        ("count=many", "a whole number"),
        ("count=2.5", "a whole number"),
        ("count=", "a whole number"),
        ("share=nan", "a number"),
        ("share=inf", "a number"),
        ("sure=perhaps", "yes or no"),
        ("most=some", "a whole number, or none"),
        ("edges=0,x", "several, by commas: a number"),
        ("how=big", "one of even, odd"),
        ("kinds=a", "a list in JSON"),
        ("quotas={for: 2}", "JSON"),
    ],
)
def test_a_string_that_does_not_fit_is_refused_with_what_does(said: str, accepted: str) -> None:
    name, _, value = said.partition("=")
    with pytest.raises(KostraError) as caught:
        parse_options([said], Model)
    assert caught.value.what == f'option "{name}": found "{value}"'
    assert caught.value.accepted == accepted


def test_names_of_options_are_checked() -> None:
    with pytest.raises(KostraError, match=r'unknown option "cuont"(.|\n)*did you mean "count"'):
        parse_options(["cuont=3"], Model)
    with pytest.raises(KostraError, match='found "count"\n  accepted: NAME=VALUE'):
        parse_options(["count"], Model)
    with pytest.raises(KostraError, match='"count" is said twice'):
        parse_options(["count=1", "count=2"], Model)


def test_options_are_validated_by_the_strategy_before_anything_is_read(tmp_path: Path) -> None:
    absent = tmp_path / "absent.txt"
    with pytest.raises(KostraError, match='strategy "overlap": the option "pairs" is missing\n  accepted: a whole'):
        draw(absent, options={})
    with pytest.raises(KostraError, match=r'unknown key "pears"(.|\n)*did you mean "pairs"'):
        draw(absent, options={"pears": 3})
    with pytest.raises(KostraError, match=r'strategy "overlap": "pairs": found 0\n.*greater than or equal to 1'):
        draw(absent, options=["pairs=0"])
    with pytest.raises(KostraError, match='strategy "overlap": "low": found'):
        draw(absent, options={"pairs": 3, "low": "much"})


# Corpora -----------------------------------------------------------------------------------------------


def test_several_files_folders_and_patterns_are_read_together(tmp_path: Path, corpus: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    (more / "second.csv").write_text("text\nthe cat saw the moon today\nthe dog saw the moon today\n")
    (more / "notes.md").write_text("not sentences")
    found = draw([corpus, more])
    assert found.sentences["source"].unique(maintain_order=True).to_list() == ["corpus", "second"]
    assert "left_out" in {finding.kind for finding in found.findings}
    assert draw([corpus, tmp_path / "*" / "*.csv"]).sentences.equals(found.sentences)


def test_what_was_noticed_in_a_file_is_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("sentence,text,mood\na,one two three four,x\nb,one two five six,y\nc,one two three four,z\n")
    kinds = [finding.kind for finding in draw(path).findings]
    assert {"column", "duplicates", "fewer"} <= set(kinds)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file has no rows"),
        (b"\n \n", "the file has no rows"),
        (b"only one sentence\n", "one sentence makes no pair"),
        ("plain\nžluťoučký kůň\n".encode() + "kůň\n".encode("cp1250"), "c.txt:3: .*UTF-8"),
    ],
)
def test_a_corpus_without_sentences_or_in_mixed_encodings_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "c.txt"
    path.write_bytes(content)
    with pytest.raises(KostraError, match=says) as caught:
        draw(path)
    assert "c.txt" in str(caught.value)


def test_ragged_rows_and_missing_files_are_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("sentence,text\na,one two\nb,three,four\n")
    with pytest.raises(KostraError, match=r"c\.csv:3"):
        draw(path)
    with pytest.raises(KostraError, match="there is no such file"):
        draw(tmp_path / "absent.csv")
    with pytest.raises(KostraError, match="no corpus was named"):
        draw([])


def test_an_enormous_line_is_a_sentence_that_is_reported(tmp_path: Path, corpus: Path) -> None:
    path = tmp_path / "enormous.txt"
    path.write_text(corpus.read_text() + "word " * 50_000 + "\n")
    found = draw(path)
    assert "enormous" in {finding.kind for finding in found.findings}
    assert found.bias.figures()


def test_an_id_in_two_files_is_refused_with_both(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("sentence,text\na,one two\nb,three\n")
    (tmp_path / "two.csv").write_text("sentence,text\nb,one two\na,three\n")
    with pytest.raises(KostraError) as caught:
        draw([tmp_path / "one.csv", tmp_path / "two.csv"])
    assert 'two.csv: the sentence id "b" stands in' in str(caught.value)
    assert "one.csv too (2 ids are in both)" in str(caught.value)
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.txt").write_text("one two\nthree\n")
    with pytest.raises(KostraError, match="ids are made of its name and the line"):
        draw([tmp_path / "x", tmp_path / "y"])


def test_an_id_twice_in_one_file_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("sentence,text\na,one two\na,three\n")
    with pytest.raises(KostraError, match=r"c\.csv:3"):
        draw(path)


def test_another_reader_brings_what_its_files_hold(tmp_path: Path, corpus: Path) -> None:
    path = tmp_path / "wordings.tsv"
    path.write_text("sentence1\tsentence2\nit rains a lot\tit rains much\nwe met a dog\twe met some dog\n")
    found = draw(path, "paraphrases", reader="paraphrases")
    assert found.frame.height == 2
    with pytest.raises(KostraError, match='"sources/filter" reads no files of sentences'):
        draw(corpus, reader="filter")
    with pytest.raises(KostraError, match="unknown component of sources"):
        draw(corpus, reader="fils")


@pytest.mark.parametrize(("said", "match"), [({"seed": -1}, "the seed is -1"), ({"language": "English"}, "language")])
def test_a_seed_or_language_that_is_none_is_refused(corpus: Path, said: dict[str, Any], match: str) -> None:
    with pytest.raises(KostraError, match=match):
        draw(corpus, **said)


# Where the work runs -----------------------------------------------------------------------------------


def test_a_scheduler_that_a_strategy_has_no_use_for_is_said(corpus: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    found = draw(corpus, scheduler="local", workers=2, work=work)
    said = {finding.kind: finding.message for finding in found.findings}
    assert said["scheduler"].startswith(
        'scheduler and workers not used: the strategy "overlap" runs in this process alone'
    )
    assert said["work"].startswith('the strategy "overlap" keeps no blocks')
    assert not work.exists(), "an empty folder that was made for blocks goes again"
    assert not {"scheduler", "work"} & {finding.kind for finding in draw(corpus).findings}


def test_a_work_folder_that_was_there_stays_and_a_file_is_refused(corpus: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    draw(corpus, work=work)
    assert work.is_dir()
    with pytest.raises(KostraError, match="cannot be a folder for blocks"):
        draw(corpus, work=corpus)


def test_a_scheduler_reaches_the_options_of_a_strategy_that_has_them(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Options(overlap.Options):
        scheduler: str | None = None

    def run(inputs: Any, options: Any, context: Any) -> Any:
        (context.folder / "block-0").write_text(str(options.scheduler))
        context.progress(1, 1)
        return overlap.run(inputs, overlap.Options(pairs=options.pairs), context)

    fake = SimpleNamespace(Options=Options, READS=("sentences",), WRITES=("pairs",), run=run, plan=overlap.plan)
    monkeypatch.setattr(strategies, "component", lambda _: fake)
    told: list[tuple[int, int]] = []
    found = draw(corpus, scheduler="local", work=tmp_path / "work", progress=lambda *done: told.append(done))
    assert (tmp_path / "work" / "block-0").read_text() == "local"
    assert found.options.model_dump()["scheduler"] == "local"
    assert not {"scheduler", "work"} & {finding.kind for finding in found.findings}
    assert (1, 1) in told


def test_a_scheduler_reaches_the_context_of_a_strategy_that_says_it_works_in_blocks(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass
    class Wider(Context):
        scheduler: str | None = None
        workers: int | None = None

    seen: list[tuple[str | None, int | None]] = []

    def run(inputs: Any, options: Any, context: Any) -> Any:
        seen.append((context.scheduler, context.workers))
        return overlap.run(inputs, options, context)

    fake = SimpleNamespace(Options=overlap.Options, READS=("sentences",), WRITES=("pairs",), run=run)
    monkeypatch.setattr(strategies, "component", lambda _: fake)
    monkeypatch.setattr(strategies, "Context", Wider)
    assert "scheduler" in {finding.kind for finding in draw(corpus, scheduler="local").findings}
    fake.WORKS_IN_BLOCKS = True
    draw(corpus, scheduler="local", workers=2)
    assert seen == [(None, None), ("local", 2)]


def test_a_lone_context_is_that_of_the_only_step(tmp_path: Path) -> None:
    context = lone_context("sampling/overlap", tmp_path, language="cs", seed=5)
    assert (context.recipe.recipe.language, context.recipe.recipe.seed, context.step.use) == (
        "cs",
        5,
        "sampling/overlap",
    )
    assert [step.name for step in context.recipe.steps] == ["overlap"]
