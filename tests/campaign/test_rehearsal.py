"""Whole campaigns acted out by simulated annotators, through the code that people use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kostra import tables
from kostra.annotate.tasks import check_answers
from kostra.campaign import annotate, rehearsal
from kostra.campaign.corrected import corrected_pairs
from kostra.campaign.judged import judgments_of
from kostra.campaign.material import ByStep, Material, material
from kostra.campaign.places import Answer, Given
from kostra.campaign.protocol import Block, Campaign, Gold, Phase, Question
from kostra.campaign.questions import completed
from kostra.campaign.rehearsal import Rehearsal, cast, rehearse
from kostra.campaign.running import Running
from kostra.campaign.simulated import Truth, answers_for, as_given
from kostra.errors import KostraError
from kostra.projects import shipped_recipe
from kostra.recipe import Recipe, Simulation, parse, read_recipe
from kostra.steps import Context, Inputs
from kostra.tables import DOCUMENTS, JUDGMENTS, PAIRS, SENTENCES, TUPLES, Frame, check

PAPERS = ("costra", "czech_news_sts", "cdsc", "str2021")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = (
    "old", "new", "red", "quiet", "boat", "house", "river", "child", "dog", "waits", "runs", "sleeps", "sings", "again",
)  # fmt: skip


# Small tables ---------------------------------------------------------------------------------------------


def text(number: int) -> str:
    """A sentence of our own making, another for each number."""
    chosen = np.random.default_rng(number).permutation(len(WORDS))[:6]
    return f"The {' '.join(WORDS[place] for place in chosen)} {number}."


def sentences(*names: str, **more: str) -> Frame:
    rows = [{"sentence": name, "text": text(hash_of(name)), "source": "x", "language": "en", **more} for name in names]
    return check(pl.DataFrame(rows), SENTENCES)


def hash_of(name: str) -> int:
    return int.from_bytes(name.encode(), "big") % 99_991


def pairs(prefix: str, count: int, *, reverses: bool = False) -> Frame:
    """Three pairs to each first sentence, with contexts, and the reverse of each if asked."""
    rows = []
    for number in range(count):
        first, second = f"{prefix}s{number // 3}", f"{prefix}r{number}"
        one, other = text(hash_of(first)), text(hash_of(second))
        row = {"pair": f"{prefix}{number}", "sentence_a": first, "sentence_b": second, "text_a": one, "text_b": other}
        row |= {"context_a": f"Before. <sent>{one}</sent>", "context_b": f"<sent>{other}</sent> After."}
        rows.append(row | ({"reverse": f"{prefix}{number}v"} if reverses else {}))
        if reverses:
            back = {"pair": f"{prefix}{number}v", "sentence_a": second, "sentence_b": first}
            rows.append(back | {"text_a": other, "text_b": one, "reverse": f"{prefix}{number}"})
    return check(pl.DataFrame(rows), PAIRS)


def tuples(prefix: str, count: int, items: Frame, *, seed: int = 1) -> Frame:
    rng = np.random.default_rng(seed)
    names = items["pair"].to_list()
    chosen = [[names[place] for place in rng.permutation(len(names))[:4]] for _ in range(count)]
    rows = [(f"{prefix}{n}", place, item) for n, four in enumerate(chosen) for place, item in enumerate(four, 1)]
    return check(pl.DataFrame(rows, schema=TUPLES.dtypes, orient="row"), TUPLES)


def incidents(count: int) -> dict[str, Frame]:
    """Incidents of two summary sentences and two reports of three sentences each."""
    found, documents, candidates = [], [], []
    for number in range(count):
        group = f"incident{number}"
        reports = [f"{group}d{report}s{place}" for report in range(2) for place in range(3)]
        for report in range(2):
            documents.append({"document": f"{group}d{report}", "source": "x", "language": "cs", "kind": "report"})
            found.append(sentences(*reports[3 * report : 3 * report + 3], group=group, document=f"{group}d{report}"))
        for place in range(2):
            found.append(sentences(f"{group}S{place}", group=group, document=group))
            candidates += [(f"{group}S{place}", position, item) for position, item in enumerate(reports, 1)]
    return {
        "tuples": check(pl.DataFrame(candidates, schema=TUPLES.dtypes, orient="row"), TUPLES),
        "sentences": pl.concat(found),
        "documents": check(pl.DataFrame(documents), DOCUMENTS),
    }


def read_by(recipe: str, step: str) -> ByStep:
    """What a paper's campaign step reads, in small."""
    pool = pairs("p", 60)
    match recipe, step:
        case "czech_news_sts", "pick":
            return {"candidates": incidents(13)}
        case "czech_news_sts", _:
            read = {"preliminary_pairs": pairs("pre", 6), "calibration_pairs": pairs("cal", 6)}
            return {name: {"pairs": frame} for name, frame in (read | {"test_pairs": pairs("test", 36)}).items()}
        case "cdsc", _:
            return {"pairs": {"pairs": pairs("p", 24, reverses=True)}}
        case "str2021", _:
            made = tuples("t", 120, pool)
            return {"tuples": {"tuples": made}, "gold_tuples": {"tuples": made.head(120)}, "pool": {"pairs": pool}}
        case _, ("ideas" | "triage" | "rewrite"):
            name = {"ideas": "headlines", "triage": "candidates", "rewrite": "seeds"}[step]
            return {name: {"sentences": sentences(*(f"s{number}" for number in range(8)))}}
        case _:
            name = {"spelling_pass": "spelling", "between_and_beyond": "gaps", "compare": "rivals"}[step]
            return {name: {"pairs": pairs("p", 12)}}


def campaign_steps() -> Iterator[tuple[str, str]]:
    for name in PAPERS:
        for step in read_recipe(shipped_recipe(name)).steps:
            if step.use == "campaign/annotate":
                yield name, step.name


def context(recipe: Recipe, step: str, folder: Path = Path(), *, simulate: bool = True) -> Context:
    found = recipe.step(step)
    return Context(recipe, found, folder, folder, np.random.default_rng(recipe.recipe.seed), NOW, simulate=simulate)


def acted(recipe: Recipe, step: str, read: ByStep) -> tuple[dict[str, Frame], Context]:
    """The campaign of a recipe's step, simulated by the step itself, with enough people for tables so small."""
    people = recipe.simulation.model_copy(update={"annotators": min(recipe.simulation.annotators, 30)})
    recipe = recipe.model_copy(update={"simulation": people})
    options = parse(Campaign, recipe.step(step).options, where=step)
    inputs = Inputs.gather((name, kind, frame) for name, kinds in read.items() for kind, frame in kinds.items())
    place = context(recipe, step)
    return annotate.run(inputs, options, place), place


# The four papers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "step"), list(campaign_steps()))
def test_every_campaign_of_the_papers_is_acted_out_whole(name: str, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def strict(person: Any, item: Any, phase: Phase, rng: Any, *, truth: Truth) -> Any:
        found = answers_for(person, item, phase, rng, truth=truth)
        checked = check_answers(as_given(found, phase), item, phase)
        assert checked.errors == {}, "the site would refuse what is simulated here"
        assert dict(checked.answers) == found
        return found

    monkeypatch.setattr(rehearsal, "answers_for", strict)
    recipe = read_recipe(shipped_recipe(name))
    read = read_by(name, step)
    made, place = acted(recipe, step, read)
    assert [found.message for found in place.findings if found.kind == "owed"] == []
    campaign = completed(parse(Campaign, recipe.step(step).options, where=step), recipe.score)
    items = material(campaign, read, project=Path(), score=recipe.score)
    accepted = made["judgments"].filter(pl.col("status").is_in(["answered", "impossible", "skipped"]))
    for phase in campaign.phases:
        if phase.validates is not None:
            continue
        number = next(place for place, block in enumerate(phase.blocks) if block.purpose == "main")
        mine = accepted.filter((pl.col("phase") == phase.name) & (pl.col("block") == "main"))
        given = Counter(item for item, _, _ in mine.select("item", "annotator", "version").unique().iter_rows())
        gold = set(accepted.filter((pl.col("phase") == phase.name) & (pl.col("block") == "gold"))["item"])
        wanted = [item for item in items.blocks[phase.name, number] if item not in gold]
        # What the authors agree on is gold, whether or not anybody has come to it.
        right = (
            {phase.overlap, 0} if phase.gold else set(range(phase.overlap_at_least or phase.overlap, phase.overlap + 1))
        )
        assert {given[item] for item in wanted} <= right, f'phase "{phase.name}"'
        if phase.overlap_at_least is None:
            assert max(given.values()) == phase.overlap


def test_czech_news_keeps_pauses_orders_repeats_and_nine_answers_a_pair() -> None:
    recipe = read_recipe(shipped_recipe("czech_news_sts"))
    made, place = acted(recipe, "round2", read_by("czech_news_sts", "round2"))
    said = [found.message for found in place.findings if found.kind == "smaller"]
    assert said == ['phase "free": 36 items cannot be dealt in sequences of 50: the rehearsal deals 12 at once']
    judgments = made["judgments"]
    main = judgments.filter(pl.col("block") == "main")
    for phase in ("free", "context"):
        assert set(main.filter(pl.col("phase") == phase).group_by("item").len()["len"]) == {9}
    for (annotator,), mine in main.group_by("annotator"):
        free, later = (mine.filter(pl.col("phase") == phase).sort("answered_at") for phase in ("free", "context"))
        assert free["item"].to_list() == later["item"].to_list(), annotator
        if free.height:
            ended = judgments.filter((pl.col("annotator") == annotator) & (pl.col("phase") == "free"))[
                "answered_at"
            ].max()
            began = later["shown_at"].min()
            assert isinstance(ended, datetime)
            assert isinstance(began, datetime)
            assert began - ended >= timedelta(hours=72)
    repeats = judgments.filter(pl.col("block") == "repeat").select("annotator", "item", "phase")
    earlier = main.filter(pl.col("phase") == "preliminary_free").select("annotator", "item")
    assert repeats.height > 0
    assert repeats.join(earlier, on=["annotator", "item"], how="anti").is_empty()


def test_cdsc_tells_every_wording_so_that_the_pairs_can_be_brought_up_to_date() -> None:
    recipe = read_recipe(shipped_recipe("cdsc"))
    read = {"pairs": {"pairs": pairs("p", 90, reverses=True)}}
    made, place = acted(recipe, "judge", read)
    corrected, history = corrected_pairs(read["pairs"]["pairs"], made["judgments"])
    (said,) = [found.message for found in place.findings if found.kind == "corrected"]
    assert said == f"sentences were corrected {len(history)} times"
    assert len(history) > 5
    judged = made["judgments"].filter(pl.col("phase") == "judge")
    assert "suggestions" in set(judged["block"]), "some judge has suggested something"
    assert not corrected.equals(read["pairs"]["pairs"])


def test_the_same_seed_acts_out_the_same_judgments() -> None:
    recipe = read_recipe(shipped_recipe("cdsc"))
    first, second = (acted(recipe, "judge", read_by("cdsc", "judge"))[0] for _ in range(2))
    assert first["judgments"].equals(second["judgments"])
    assert first["annotators"].equals(second["annotators"])


# Roles, gold and what people are told ----------------------------------------------------------------------

QUESTION = Question(name="similarity", low=0, high=5)


def small(*phases: Phase, count: int = 12) -> tuple[Campaign, Material]:
    campaign = Campaign(phases=phases)
    recipe = read_recipe(shipped_recipe("rating"))
    return campaign, material(campaign, {"p": {"pairs": pairs("p", count)}}, project=Path(), score=recipe.score)


def played(campaign: Campaign, made: Material, simulation: Simulation, seed: int = 1) -> Rehearsal:
    rng = np.random.default_rng(seed)
    players = cast(campaign, simulation, rng=rng)
    return rehearse(campaign, made, players, truth=Truth(seed), seed=seed, rng=rng)


def test_every_role_has_as_many_people_as_an_item_needs() -> None:
    phases = (
        Phase(name="authors", task="rating", role="admin", overlap=3, questions=(QUESTION,)),
        Phase(name="main", task="rating", overlap=2, questions=(QUESTION,)),
    )
    players = cast(Campaign(phases=phases), Simulation(annotators=4), rng=np.random.default_rng(1))
    assert Counter(player.role for player in players) == {"annotator": 4, "admin": 3}
    assert not any(player.person.careless for player in players if player.role == "admin")


def test_people_who_fail_gold_are_stopped_and_others_answer_in_their_place() -> None:
    authors = Phase(
        name="authors", task="rating", role="admin", overlap=2, questions=(QUESTION,),
        blocks=(Block(purpose="main", items=None),),
    )  # fmt: skip
    gold = Gold(every=2, from_phase="authors", agreement=1.0, tolerance=2.0, minimum=3, threshold=0.7)
    main = Phase(name="main", task="rating", overlap=2, questions=(QUESTION,), gold=gold)
    campaign, made = small(authors, main, count=90)
    found = played(campaign, made, Simulation(annotators=10, careless=0.3, noise=0.1, spread=0.0))
    people = found.running.people
    stopped = {name for name, person in people.items() if person.stopped}
    assert stopped
    assert found.running.phases["main"].all_complete
    statuses = {seq: record.status for seq, record in found.running.records.items()}
    judgments = judgments_of(found.events, statuses, found.running.items)
    theirs = judgments.filter(pl.col("annotator").is_in(list(stopped)))
    assert set(theirs["status"]) == {"discarded"}
    counted = judgments.filter(
        (pl.col("phase") == "main") & (pl.col("block") == "main") & (pl.col("status") == "answered")
    )
    assert set(counted.group_by("item").len()["len"]) == {2}


def test_an_answer_given_again_supersedes_the_first() -> None:
    campaign, made = small(Phase(name="main", task="rating", questions=(QUESTION,)), count=2)
    found = Rehearsal(Running(campaign, made, seed=1))
    running = found.running
    found.record(running.join("ann", NOW))
    for value in ("1", "4"):
        place, events = running.next("ann", NOW) if value == "1" else running.undo("ann", NOW)
        found.record(events)
        assert place.item is not None
        given = Given("main", place.item.item, 1, {"similarity": [Answer(value)]}, key=value)
        found.record(running.answer("ann", given, NOW + timedelta(seconds=9))[1])
    statuses = {seq: record.status for seq, record in running.records.items()}
    judgments = judgments_of(found.events, statuses, running.items)
    assert judgments["status"].to_list() == ["superseded", "answered"]
    assert judgments["supersedes"].to_list() == [None, judgments["judgment"][0]]
    assert judgments["seconds"][0] == 9.0


# The step -------------------------------------------------------------------------------------------------

TWO_PHASES = Campaign(
    answers="answers.csv",
    phases=(
        Phase(name="free", task="rating", questions=(QUESTION,), blocks=(Block(purpose="main", items_from="all"),)),
        Phase(name="again", task="rating", questions=(Question(name="again", low=0, high=5),), after="free"),
    ),
)


def collected(folder: Path, judgments: Frame, inputs: Inputs) -> tuple[dict[str, Frame], Context]:
    tables.write(judgments, folder / "answers.csv")
    place = context(read_recipe(shipped_recipe("rating")), "annotate", folder, simulate=False)
    return annotate.run(inputs, TWO_PHASES, place), place


def answers(*rows: tuple[str, str, str, str]) -> Frame:
    frame = pl.DataFrame(rows, schema=["item", "question", "annotator", "phase"], orient="row").with_columns(
        judgment=pl.format("j{}", pl.int_range(pl.len())), version=1, value=pl.lit("3"), status=pl.lit("answered"),
        block=pl.lit("main"),
    )  # fmt: skip
    return check(frame, JUDGMENTS)


def test_collected_answers_of_all_phases_are_taken_in(tmp_path: Path) -> None:
    inputs = Inputs.gather([("all", "pairs", pairs("p", 3))])
    given = answers(("p0", "similarity", "ann", "free"), ("p1", "again", "ann", "again"))
    made, _ = collected(tmp_path, given, inputs)
    assert made["judgments"].height == 2
    with pytest.raises(KostraError, match="items that this step does not ask about"):
        collected(tmp_path, answers(("x", "similarity", "ann", "free")), inputs)


def test_the_answers_of_language_models_are_kept_apart(tmp_path: Path) -> None:
    inputs = Inputs.gather([("all", "pairs", pairs("p", 3))])
    given = answers(("p0", "similarity", "ann", "free"), ("p0", "similarity", "model-tiny", "free"))
    made, place = collected(tmp_path, given, inputs)
    assert dict(made["judgments"].select("annotator", "status").iter_rows()) == {
        "ann": "answered",
        "model-tiny": "surplus",
    }
    assert dict(made["annotators"].select("annotator", "kind").iter_rows()) == {"ann": "person", "model-tiny": "model"}
    assert any("language models" in finding.message for finding in place.findings)


def test_items_of_a_step_need_the_recipe_around_them() -> None:
    place = context(read_recipe(shipped_recipe("rating")), "annotate")
    with pytest.raises(KostraError, match='which items come from the step "all" is not known here'):
        annotate.run(Inputs({"pairs": pairs("p", 3)}), TWO_PHASES, place)


def test_the_plan_does_the_arithmetic_of_a_deal() -> None:
    recipe = read_recipe(shipped_recipe("czech_news_sts"))
    options = parse(Campaign, recipe.step("round2").options, where="round2")
    place = context(recipe, "round2", simulate=False)
    place.rows = {"test_pairs": {"pairs": 1200}, "preliminary_pairs": {"pairs": 60}, "calibration_pairs": {"pairs": 6}}
    says = annotate.plan({"pairs": 1266}, options, place).says
    assert "1,200 items × 9 = 216 sequences × 50" in says
    assert 'phase "preliminary_free" (rating): 60 pairs × 18 = 1,080 answers' in says
    place.rows = {**place.rows, "test_pairs": {"pairs": 1210}}
    says = annotate.plan({"pairs": 1276}, options, place).says
    assert "1,210 items cannot be cut in sequences of 50: 24 × 50 = 1,200 leaves 10 over" in says
    place.simulate = True
    assert "1,210 items × 9 = 198 sequences × 55" in annotate.plan({"pairs": 1276}, options, place).says
