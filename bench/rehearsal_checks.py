"""What must hold after a rehearsal: by the log, by the state that its replay makes, by the table that is collected."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl

from bench.rehearsal_people import Guest
from bench.rehearsal_project import CAMPAIGN, CONTEXT, FREE, PAUSE_HOURS, Size
from kostra import pipeline, site
from kostra.annotate.campaigns import first_state
from kostra.annotate.store import open_store
from kostra.annotate.visiting import Acknowledged
from kostra.campaign.events import Event
from kostra.campaign.running import Running
from kostra.tables import Frame

PHASES = (FREE, CONTEXT)


@dataclass(frozen=True)
class Check:
    """Something that must hold, and what was found."""

    what: str
    holds: bool
    found: str = ""

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}  {self.what}" + (f": {self.found}" if self.found else "")


def checks(
    project: Path, url: str, size: Size, guests: Sequence[Guest], acknowledged: Sequence[Acknowledged]
) -> list[Check]:
    """Everything that must hold."""
    with open_store(url) as store:
        with store.reading() as connection:
            events = list(store.log(CAMPAIGN).all(connection))
        state = first_state(store, CAMPAIGN)
        for event in events:
            state.apply(event)
    collected = site.collect(project, db=url)[0]
    table = pl.read_csv(collected.path, try_parse_dates=True, schema_overrides={"value": pl.String})
    return [
        *_by_log(events, acknowledged),
        *_by_replay(state, size, table),
        *_by_table(table, state, size, guests),
        *_by_build(project, size),
    ]


def _by_log(events: Sequence[Event], acknowledged: Sequence[Acknowledged]) -> list[Check]:
    answered = [event for event in events if event.kind == "answered"]
    stored = Counter(f"{event.annotator} {event.data['key']} {event.data['item']}" for event in answered)
    known = Counter(f"{one.annotator} {one.key} {one.item}" for one in acknowledged)
    became = {event.data["key"]: event.data["status"] for event in answered}
    twice = sum(count > 1 for count in stored.values())
    return [
        Check("the log has no gap", [event.seq for event in events] == list(range(1, len(events) + 1)),
              f"{len(events):,} events"),
        Check("nothing acknowledged is missing", not known - stored, f"{(known - stored).total()} of {len(known):,}"),
        Check("nothing is stored that nobody was told of", not stored - known, f"{(stored - known).total()}"),
        Check("no answer is stored twice", not twice, f"{twice}"),
        Check("what people were told of an answer is what was stored",
              all(became.get(one.key) == one.status for one in acknowledged)),
    ]  # fmt: skip


def _by_replay(state: Running, size: Size, table: Frame) -> list[Check]:
    counts = {name: Counter(run.pools[1].counts.tolist()) for name, run in state.phases.items() if name in PHASES}
    replayed = Counter(record.status for record in state.records.values())
    return [
        Check("replayed, each pair has its answers in both phases",
              all(count == {size.overlap: size.pairs} for count in counts.values()), str(_plain(counts))),
        Check("the table has the statuses of the replay", replayed == Counter(table["status"].to_list()),
              ", ".join(f"{name} {count:,}" for name, count in sorted(replayed.items()))),
    ]  # fmt: skip


def _by_table(table: Frame, state: Running, size: Size, guests: Sequence[Guest]) -> list[Check]:
    accepted = table.filter(pl.col("status") == "answered")
    main = accepted.filter(pl.col("phase").is_in(PHASES) & (pl.col("block") == "main"))
    overlap = main.group_by("phase", "item").agg(pl.col("annotator").n_unique(), pl.len())
    histogram = Counter(overlap.select("phase", "len").iter_rows())
    stopped = [name for name, person in state.people.items() if person.stopped]
    of = {phase: main.filter(pl.col("phase") == phase) for phase in PHASES}
    pairs = {phase: set(frame.select("item", "annotator").iter_rows()) for phase, frame in of.items()}
    pauses = _pauses(table)
    orders = [_order(of[FREE]), _order(of[CONTEXT])]
    shuffled = sum(orders[0].get(name) != order for name, order in orders[1].items())
    everybody = {guest.name for guest in guests if sum(guest.answered.values())}
    return [
        Check("each pair has exactly the promised overlap in the table, from as many people",
              histogram == dict.fromkeys([(phase, size.overlap) for phase in PHASES], size.pairs)
              and bool((overlap["annotator"] == size.overlap).all()),
              ", ".join(f"{phase} {count}× {number:,}" for (phase, count), number in sorted(histogram.items()))),
        Check("nobody's answer is accepted twice",
              accepted.select("phase", "block", "item", "annotator").is_duplicated().sum() == 0),
        Check("whoever was stopped has no accepted answer", not set(stopped) & set(accepted["annotator"]),
              f"{len(stopped)} people"),
        Check("only those who were stopped have discarded answers",
              set(table.filter(pl.col("status") == "discarded")["annotator"]) <= set(stopped)),
        Check("everybody who answered is in the table", everybody == set(table["annotator"]), f"{len(everybody)}"),
        Check("who judged a pair without context judged it in context", pairs[FREE] == pairs[CONTEXT],
              f"{len(pairs[FREE] ^ pairs[CONTEXT])} differ"),
        Check("and in the same order", not shuffled, f"{shuffled} people differ"),
        Check(f"nobody was let in before {PAUSE_HOURS} hours had passed",
              min(pauses, default=timedelta()) >= timedelta(hours=PAUSE_HOURS),
              f"shortest pause {min(pauses, default=timedelta()) / timedelta(hours=1):.2f} h of {len(pauses)}"),
    ]  # fmt: skip


def _by_build(project: Path, size: Size) -> list[Check]:
    """The steps after the campaign, as the researcher runs them on the collected answers."""
    pipeline.build(project, now=datetime.now(UTC))
    found = []
    for name in ("free_scores", "context_scores"):
        scores = pl.read_parquet(project / "build" / name / "scores.parquet")
        right = scores.height == size.pairs and bool((scores["appearances"] == size.overlap).all())
        found.append(
            Check(f"kostra build scores each pair by {size.overlap} answers ({name})", right, f"{scores.height}")
        )
    return found


def _pauses(table: Frame) -> list[timedelta]:
    """From the last answer without context to the first pair in context, of everybody who came so far."""
    last = table.filter(pl.col("phase") == FREE).group_by("annotator").agg(pl.col("answered_at").max())
    main = (pl.col("phase") == CONTEXT) & (pl.col("block") == "main")
    first = table.filter(main).group_by("annotator").agg(pl.col("shown_at").min())
    both = first.join(last, on="annotator")
    return (both["shown_at"] - both["answered_at"]).to_list()


def _order(main: Frame) -> dict[str, list[str]]:
    return dict(main.sort("answered_at").group_by("annotator", maintain_order=True).agg("item").iter_rows())


def _plain(counts: dict[str, Counter[int]]) -> dict[str, dict[int, int]]:
    return {name: dict(count) for name, count in counts.items()}
