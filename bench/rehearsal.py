"""A rehearsal of a whole campaign over HTTP: hundreds of simulated annotators, weeks on a clock that is put forward."""

import argparse
import heapq
import math
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import psutil

from bench.rehearsal_checks import Check, checks
from bench.rehearsal_people import Guest, cast, make_guest
from bench.rehearsal_project import CALIBRATION, CAMPAIGN, CONTEXT, FREE, Size, truth, write_project
from bench.site import _postgres, _serving
from kostra import site
from kostra.annotate.simulating import answers_from
from kostra.annotate.store import Store, open_store
from kostra.annotate.visiting import Acknowledged, Client
from kostra.campaign.pools import personal_rng
from kostra.campaign.simulated import SimulatedAnnotator
from kostra.errors import KostraError

AT_ONCE = 24
"""People who sit at their screens at the same moment."""
TOGETHER = timedelta(hours=3)
"""Those who come within so long come at the same moment: the clock jumps from one such moment to the next."""
FIRST_WAVE = 1.15
"""People who are asked to come at first, per sequence; the others are asked when sequences come back."""
ARRIVALS = timedelta(days=6)
FIRST_LOOK, LOOKS, OVERDUE = timedelta(days=21), timedelta(days=7), timedelta(days=15)
"""When the researcher looks for people who do not come back, how often, and after how long they are excluded."""
LONGEST = timedelta(days=160)


class Clock:
    """The site's clock: it runs as the real one does, and jumps."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ahead = 0.0
        self._write()

    def now(self) -> datetime:
        """What the site's processes take for now."""
        return datetime.now(UTC) + timedelta(seconds=self._ahead)

    def move_to(self, when: datetime) -> None:
        """Put it forward; never back."""
        self._ahead += max((when - self.now()).total_seconds(), 0.0)
        self._write()

    def _write(self) -> None:
        part = self.path.with_suffix(".part")
        part.write_text(repr(self._ahead), encoding="ascii")
        part.replace(self.path)  # so that nobody reads half a number


@dataclass
class Rehearsed:
    """What happened."""

    size: Size
    guests: list[Guest]
    acknowledged: list[Acknowledged] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    readmitted: list[str] = field(default_factory=list)
    visits: int = 0
    days: float = 0.0
    seconds: float = 0.0
    workers: list[float] = field(default_factory=list)
    """CPU seconds of each process of the site."""
    checks: list[Check] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """What went wrong for anybody."""
        refused = [f"{guest.name}: {one.reason}" for guest in self.guests for one in guest.someone.refused]
        return refused + [f"{guest.name}: {text}" for guest in self.guests for text in guest.wrong]


class Researcher:
    """Whoever runs the campaign: by a script, over HTTP."""

    def __init__(self, url: str, token: str) -> None:
        self._client = Client(url, patience=240, bearer=token)
        self.kept: set[str] = set()
        """Those who have asked to stay."""

    def lacking(self) -> dict[str, int]:
        """Phase → answers that it lacks."""
        return {phase["name"]: phase["wanted"] - phase["accepted"] for phase in self._ask("GET", "")["phases"]}

    def overdue(self, now: datetime) -> list[str]:
        """Those who have begun, are not through, and have not been seen for long; not those who wait for a sequence."""
        found = []
        for one in self._ask("GET", "/annotators")["annotators"]:
            at_work = one["role"] == "annotator" and not one["stopped"] and CONTEXT not in one["finished"]
            if at_work and one["answered"].get(FREE, 0) > CALIBRATION and one["annotator"] not in self.kept:
                seen = datetime.fromisoformat(one["last_at"])
                found += [one["annotator"]] if now - seen > OVERDUE else []
        return found

    def exclude(self, name: str) -> None:
        """Their answers are discarded, and others get the items."""
        self._ask("POST", f"/annotators/{name}/exclude", {"reason": "not seen for more than two weeks"})

    def readmit(self, name: str) -> None:
        """They came back after all."""
        self.kept.add(name)
        self._ask("POST", f"/annotators/{name}/readmit", {"reason": "came back, and wants to go on"})

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        reply = self._client.ask(method, f"/api/v1/campaigns/{CAMPAIGN}{path}", body)
        self._client.close()
        if reply.status != 200:
            raise KostraError(f"the site said {reply.status}: {reply.data}")
        return reply.data


def rehearse(
    url: str, folder: Path, size: Size, *, workers: int = 2, seed: int = 1, told: Callable[[str], None] = lambda _: None
) -> Rehearsed:
    """Write a project, open its campaign in a PostgreSQL database, serve it, let everybody work, and check the answers.

    Parameters
    ----------
    url
        The address of an empty database.
    folder
        An empty folder for the project.
    """
    project = folder / "project"
    write_project(project, size, seed=seed)
    site.prepare(project, db=url)
    rng = np.random.default_rng(seed)
    annotators, leaders = cast(size.annotators, rng=rng)
    with open_store(url) as store:
        tokens = {one.name: _invited(store, one, "annotator") for one in annotators}
        tokens |= {one.name: _invited(store, one, "leader") for one in leaders}
        script = store.make_api_token(
            "rehearsal", role="write", campaign=CAMPAIGN, actor="shell", expires_at=None, now=datetime.now(UTC)
        )
        protocol = store.load_material(CAMPAIGN).protocol
    answers = answers_from(protocol, [*annotators, *leaders], seed=seed, truth=truth(seed))
    clock = Clock(folder / "clock")
    with _serving().Serving(url, CAMPAIGN, folder=folder, workers=workers, clock=clock.path) as serving:
        done = Rehearsed(size, [])
        for one in (*leaders, *annotators):
            own = personal_rng(seed, one.name, "habits")
            steady = one in leaders
            done.guests.append(
                make_guest(one.name, tokens[one.name], serving.url, answers, done.acknowledged.append,
                           length=size.length, rng=own, steady=steady)
            )  # fmt: skip
        began = time.perf_counter()
        _Weeks(done, clock, Researcher(serving.url, script), leaders={one.name for one in leaders}, told=told).pass_by()
        done.seconds = time.perf_counter() - began
        done.workers = _workers_cpu(serving.pid)
        log = serving.log.read_text()
    done.checks = checks(project, url, size, done.guests, done.acknowledged)
    done.checks.append(Check("the server has nothing to complain about", "Traceback" not in log, log[-2000:]))
    done.checks.append(Check(f"{workers} processes served it", len(done.workers) == workers and min(done.workers) > 0))
    done.checks.append(Check("nothing went wrong for anybody", not done.wrong, "; ".join(done.wrong[:5])))
    return done


def _invited(store: Store, one: SimulatedAnnotator, role: Any) -> str:
    now = datetime.now(UTC)
    store.add_annotator(CAMPAIGN, role=role, kind="simulated", name=one.name, now=now)
    return store.invite(CAMPAIGN, annotator=one.name, now=now)[0]


def _workers_cpu(pid: int) -> list[float]:
    workers = [one for one in psutil.Process(pid).children() if "spawn_main" in " ".join(one.cmdline())]
    times = [worker.cpu_times() for worker in workers]
    return [one.user + one.system for one in times]


class _Weeks:
    """The time of a campaign: who comes when."""

    def __init__(
        self, done: Rehearsed, clock: Clock, researcher: Researcher, *, leaders: set[str], told: Callable[[str], None]
    ) -> None:
        self.done, self.clock, self.researcher, self.told = done, clock, researcher, told
        self.guests = {guest.name: guest for guest in done.guests}
        self.began = clock.now()
        self.diary: list[tuple[datetime, str]] = []
        self.petitions: list[str] = []
        self.complete = False
        first = len(leaders) + round(FIRST_WAVE * done.size.sequences * done.size.overlap)
        self.later = done.guests[first:]
        """Those who have not been asked to come yet."""
        for guest in done.guests[:first]:
            spread = ARRIVALS * float(guest.rng.beta(1, 2))
            arrives = self.began if guest.name in leaders else self.began + timedelta(hours=12) + spread
            self.diary.append((arrives, guest.name))
        heapq.heapify(self.diary)

    def pass_by(self) -> None:
        """Let the weeks pass, until all is answered and nobody will come any more."""
        look = self.began + FIRST_LOOK
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while (self.diary or not self.complete) and look < self.began + LONGEST:
                until = self.diary[0][0] + TOGETHER if self.diary else look
                if not self.complete and until >= look:
                    self.clock.move_to(look)
                    self._look()
                    look += LOOKS
                    continue
                names = []
                while self.diary and self.diary[0][0] < until:
                    names.append(heapq.heappop(self.diary)[1])
                self.clock.move_to(until)
                for name, end in zip(names, pool.map(self._visit, names), strict=True):
                    self._plan(self.guests[name], end)
        self.done.days = (self.clock.now() - self.began) / timedelta(days=1)

    def _visit(self, name: str) -> str:
        return self.guests[name].visit(self.clock.now())

    def _plan(self, guest: Guest, end: str) -> None:
        """When somebody comes next, if ever."""
        self.done.visits += 1
        now, draw = self.clock.now(), guest.rng.uniform
        place = guest.someone.place or {}
        guest.end = end
        if end == "left":
            if guest.away is None:
                guest.gone = True
            else:
                guest.returns += 1
                self._comes(guest, now + guest.away)
        elif end == "pause":
            until = datetime.fromisoformat(place["until"])
            if guest.habit == "not for the second phase":
                guest.gone = True
            elif guest.habit == "too early" and not guest.early:
                guest.early += 1
                self._comes(guest, now + (until - now) * float(draw(0.3, 0.9)))
            else:
                self._comes(guest, until + timedelta(hours=float(draw(0, 60))))
        elif end == "waiting":
            guest.waits += 1
            self._comes(guest, now + timedelta(days=float(draw(2, 5))))
        elif end == "stopped" and place.get("reason") == "excluded" and not guest.petitions:
            guest.petitions += 1
            self.petitions.append(guest.name)

    def _comes(self, guest: Guest, when: datetime) -> None:
        heapq.heappush(self.diary, (when, guest.name))

    def _look(self) -> None:
        """Once a week: let back in who came back, exclude who does not, and ask others to come."""
        now = self.clock.now()
        for name in self.petitions:
            self.researcher.readmit(name)
            self.done.readmitted.append(name)
            self._comes(self.guests[name], now + timedelta(days=1))
        self.petitions.clear()
        overdue = self.researcher.overdue(now)
        for name in overdue:
            self.researcher.exclude(name)
            self.done.excluded.append(name)
        lacking = self.researcher.lacking()
        self.complete = not any(lacking.values())
        wanted = math.ceil(lacking[FREE] / self.done.size.length)
        asked = self.later if self.complete else self.later[: wanted + (wanted > 0)]  # in the end, some come in vain
        self.later = self.later[len(asked) :]
        for guest in asked:
            self._comes(guest, now + timedelta(hours=float(guest.rng.uniform(0, 48))))
        self.told(
            f"day {(now - self.began).days}: {len(self.done.acknowledged):,} answers, {lacking[FREE]:,} and "
            f"{lacking[CONTEXT]:,} lacking, {len(overdue)} people excluded, {len(asked)} asked to come"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--annotators", type=int, default=Size.annotators)
    parser.add_argument("--sequences", type=int, default=Size.sequences, help="main blocks per replicate")
    parser.add_argument("--length", type=int, default=Size.length, help="pairs per main block")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, _ended)
    size = Size(given.annotators, given.sequences, given.length)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(_postgres())
        done = rehearse(url, folder, size, seed=given.seed, told=lambda text: print(f"  {text}", flush=True))
    print("\n".join(figures(done)))
    if not all(check.holds for check in done.checks):
        raise SystemExit(1)


def _ended(number: int, frame: FrameType | None) -> None:
    """Leave by the usual way, so that the server is ended as well."""
    del number, frame
    raise SystemExit(1)


def figures(done: Rehearsed) -> list[str]:
    """What happened, line by line."""
    size, guests = done.size, done.guests
    p50, p99 = np.percentile([one.seconds for one in done.acknowledged], [50, 99]) * 1000
    ends = Counter(guest.end if not guest.gone else "never came back" for guest in guests)
    reasons = Counter(str((g.someone.place or {}).get("reason")) for g in guests if g.end == "stopped")
    mishaps: Counter[str] = sum((guest.mishaps for guest in guests), Counter())
    return [
        f"annotators {size.annotators}, pairs {size.pairs:,} × {size.overlap} × 2 phases; {done.days:.0f} days on the "
        f"site's clock, {done.visits:,} visits",
        f"answers acknowledged {len(done.acknowledged):,} in {done.seconds:.0f} s: "
        f"{len(done.acknowledged) / done.seconds:.0f}/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms, up to {AT_ONCE} people at "
        f"once; CPU seconds of the site's processes: {', '.join(f'{one:.0f}' for one in done.workers)}",
        f"how it ended: {_said(ends)}; stopped: {_said(reasons)}",
        f"habits: {_said(Counter(guest.habit or 'steady' for guest in guests))}",
        f"returns {sum(guest.returns for guest in guests)}, too early {sum(guest.early for guest in guests)}, waits "
        f"{sum(guest.waits for guest in guests)}, excluded {len(done.excluded)}, readmitted {len(done.readmitted)}; "
        f"{_said(mishaps)}",
        *(str(check) for check in done.checks),
    ]


def _said(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items())) or "none"


if __name__ == "__main__":
    main()
