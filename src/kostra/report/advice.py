"""What to improve next, read off the data: nothing is said here that a number does not stand behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import polars as pl

from kostra.campaign.planning import Assumptions, noise_of_best_worst, noise_of_ratings, plan_campaign, with_noise
from kostra.correlate import correlation
from kostra.errors import KostraError
from kostra.ratings import ratings_of
from kostra.release.splits import split_pairs
from kostra.report.bias import overlaps
from kostra.report.blocks import Advice, AdviceList, Section, Text, section
from kostra.report.material import Material
from kostra.report.people import People
from kostra.report.words import counted, listed, number
from kostra.scoring.counting import best_worst_table
from kostra.tables import Frame

TARGET = 0.9
"""Spearman correlation of scores with the truth that a dataset should reach."""
SIMULATIONS = 4
PER_ITEM = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)
THIN = 0.05
"""A fifth of the scale with a smaller share of the pairs is thinly covered."""
RARE = 0.1
"""A label with a smaller share is rare."""
GIVEN_AWAY = 0.5
"""Spearman of word overlap with the scores from which on overlap alone says much."""
NAMED = 5


def advice(material: Material, people: People | None, results: Frame, rng: np.random.Generator) -> Section:
    """Everything that the data give reason to improve."""
    found = [
        *_people_missing(material),
        *_unscored(material),
        *_more_answers(material, rng),
        *_careless(people),
        *_disputed(material),
        *_thin(material),
        *_rare_labels(material),
        *_given_away(material),
        *_leaks(material, rng),
        *_ceiling(results),
        *_waiting(material),
    ]
    if not found:
        said = "Nothing in these data asks for a change: see the sections above for what was looked at."
        return section("next", "What to improve next", Text(said))
    return section("next", "What to improve next", AdviceList(tuple(found)))


def _people_missing(material: Material) -> Iterator[Advice]:
    if material.simulated == "all":
        yield Advice(
            "Ask people",
            f"All {counted(material.answers, 'answer')} come from simulated annotators.",
            "Invite annotators: kostra serve and kostra invite open the same campaign to people.",
        )
    elif not material.answers:
        yield Advice(
            "Ask people",
            f"There are {counted(material.pairs.height, 'pair')} and no answers.",
            "Rehearse with kostra build --simulate, then open the campaign: kostra serve and kostra invite.",
        )


def _unscored(material: Material) -> Iterator[Advice]:
    if material.scored.height and material.main and material.unscored:
        shown = (
            f"{material.unscored:,} of {counted(material.pairs.height, 'pair')} have no score for {material.question}."
        )
        yield Advice("Score the rest, or say why not", shown, "Leave the campaign open, or leave these pairs out.")


def _more_answers(material: Material, rng: np.random.Generator) -> Iterator[Advice]:
    """Plan with the noise that these answers show."""
    items = material.scored.height
    if not material.main or items < 2 * Assumptions.size or not material.answers:
        return
    try:
        noise = _noise(material)
        points = round(material.recipe.score.high - material.recipe.score.low) + 1
        assumed = with_noise(Assumptions(items, points=max(points, 3), annotators=max(material.people, 2)), noise)
        design = "bws_repeated" if material.best_worst else "rating"
        plan = plan_campaign(
            replace(assumed, careless=0.0), designs=(design,), per_item=PER_ITEM, target=TARGET,
            simulations=SIMULATIONS, seed=int(rng.integers(2**31)),
        )  # fmt: skip
    except KostraError as error:
        yield Advice(
            "Find out how many answers are enough",
            f"The noise of these answers cannot be told from the differences between pairs: {error.what}.",
            "Collect a second answer for some pairs, or more varied pairs; then kostra plan says what is needed.",
        )
        return
    each = material.answers / items
    need = plan.needs[0]
    reached = plan.curve.drop_nulls("truth")
    now = float(np.interp(np.log(each), np.log(reached["answers_per_item"].to_numpy()), reached["truth"].to_numpy()))
    shown = (
        f"With {each:.1f} answers per pair and the noise of these answers, simulated campaigns reach a correlation of "
        f"about {number(now)} with the truth; {TARGET:g} is a usual aim."
    )
    if need.answers_per_item is None:
        yield Advice(
            f"Lower the noise before asking for {TARGET:g}",
            f"{shown} Not even {PER_ITEM[-1]:g} answers per pair reach it.",
            "Clearer instructions, calibration and gold questions do more here than further answers.",
        )
    elif need.answers_per_item > 1.1 * each:
        more = max(1, round(need.answers_per_item * items - material.answers))
        yield Advice(
            "Collect more answers",
            shown,
            f"About {need.answers_per_item:.1f} answers per pair reach it: {more:,} more. Designs: kostra plan.",
        )


def _noise(material: Material) -> float:
    if material.best_worst:
        if material.tuples is None:
            raise KostraError("the tuples are not known")
        table = best_worst_table(material.tuples, material.basis)
        return noise_of_best_worst(table.tuples, table.best, table.worst, items=len(table.items))
    ratings = ratings_of(material.basis, material.main)
    if ratings.labels is not None:
        raise KostraError("the answers are labels")
    return noise_of_ratings(ratings)


def _careless(people: People | None) -> Iterator[Advice]:
    if people is None or not people.flagged.height:
        return
    flagged = people.flagged
    theirs, all_answers = (sum(frame["answers"].to_list()) for frame in (flagged, people.known))
    share = theirs / max(all_answers, 1)
    names = _some([f"{name} ({why})" for name, why in flagged.select("annotator", "reasons").iter_rows()])
    yield Advice(
        f"Look at {counted(flagged.height, 'annotator')}",
        f"{names}. They gave {share:.0%} of the answers.",
        "Read some of their answers; exclude them in the office if need be, and build again.",
    )


def _disputed(material: Material) -> Iterator[Advice]:
    """Pairs whose standard error is a fifth of the scale or more."""
    score = material.recipe.score
    wide = (score.high - score.low) / 5
    disputed = material.scored.filter(pl.col("standard_error") >= wide).sort("standard_error", descending=True)
    if disputed.height:
        share = disputed.height / material.scored.height
        yield Advice(
            "Look again at pairs in dispute",
            f"{counted(disputed.height, 'pair')} ({share:.0%}) have a standard error of {number(wide)} or more: "
            f"{_some(disputed['pair'].to_list())}.",
            "Read them above: reword, judge once more, or state in the datasheet what they show.",
        )


def _thin(material: Material) -> Iterator[Advice]:
    """Fifths of the scale that hold few pairs."""
    scored, score = material.scored, material.recipe.score
    if scored.height < 20:
        return
    edges = np.linspace(score.low, score.high, 6)
    counts = np.histogram(np.clip(scored["score"].to_numpy(), score.low, score.high), bins=edges)[0]
    thin = [
        f"{number(low)} to {number(high)} ({count:,})"
        for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
        if count < THIN * scored.height
    ]
    if thin:
        yield Advice(
            "Fill the gaps of the scale",
            f"Fewer than {THIN:.0%} of {counted(scored.height, 'pair')} score from {listed(thin)}.",
            "Sample pairs that are likely to fall there: by overlap, by an encoder, or as paraphrases.",
        )


def _rare_labels(material: Material) -> Iterator[Advice]:
    for (question,), own in material.labelled.group_by("question", maintain_order=True):
        counts = own.group_by("label").len().sort("len", "label")
        rare = [f"{label} ({count:,})" for label, count in counts.iter_rows() if count < RARE * own.height]
        if rare and counts.height <= 6:
            named = str(question).replace("_", " ")
            yield Advice(
                f"Balance the labels of {named}",
                f"Of {counted(own.height, 'item')}, fewer than {RARE:.0%} are {listed(rare)}.",
                "Add material that gives these labels, or weigh them when models are compared.",
            )


def _given_away(material: Material) -> Iterator[Advice]:
    """Whether counting shared words is already half of the answer."""
    scored = material.scored
    if scored.height < 20 or not material.main:
        return
    r = correlation(np.array(overlaps(scored)), scored["score"].to_numpy(), ranks=True)
    if r >= GIVEN_AWAY:
        yield Advice(
            "Make overlap say less",
            f"Word overlap alone follows the scores at {number(r)} (Spearman).",
            "Add pairs that share words and not meaning, and pairs that mean the same in other words.",
        )


def _leaks(material: Material, rng: np.random.Generator) -> Iterator[Advice]:
    """Whether the pairs can be split without a sentence on both sides."""
    if material.scored.height < 20:
        return
    dealt = split_pairs(material.scored, rng=rng)
    if dealt.clean:
        return
    shared = [f"{count:,} in {first} and {second}" for (first, second), count in dealt.shared.items() if count]
    yield Advice(
        "Mind leaks between training and test",
        f"No split keeps every sentence on one side; the best one shares sentences: {listed(shared)}.",
        "Limit how often a sentence is used (per_sentence), or hold out whole sources or seeds.",
    )


def _ceiling(results: Frame) -> Iterator[Advice]:
    """Encoders above the human ceiling: then the data no longer tell encoders apart."""
    whole = results.filter((pl.col("part") == "all") & (pl.col("metric") == "cosine_spearman")).drop_nulls("value")
    human = whole.filter(pl.col("encoder").str.starts_with("people"))
    others = whole.filter(~pl.col("encoder").str.starts_with("people"))
    if not human.height or not others.height:
        return
    line = human["value"].to_list()[0]
    above = others.filter(pl.col("value") >= line)["encoder"].to_list()
    if above:
        yield Advice(
            "Raise the ceiling",
            f"{_some(above)} follow the scores at least as well as people follow each other ({number(line)}).",
            "More answers per pair, or harder pairs, are needed before encoders can be told apart at the top.",
        )


def _waiting(material: Material) -> Iterator[Advice]:
    if material.missing:
        yield Advice(
            "Finish what waits",
            f"{counted(len(material.missing), 'step')} that this page reads {_have(material)} nothing to show yet: "
            f"{listed(material.missing)}.",
            "kostra status says what each step waits for; kostra build goes on from there.",
        )


def _have(material: Material) -> str:
    return "has" if len(material.missing) == 1 else "have"


def _some(names: list[str]) -> str:
    rest = len(names) - NAMED
    return listed(names) if rest <= 0 else f"{', '.join(names[:NAMED])} and {rest:,} more"
