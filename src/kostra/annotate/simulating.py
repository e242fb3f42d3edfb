"""Simulated annotators at a running site: they come in by their invitation links and answer over HTTP, as people do.

They keep the promise on which the site relies: an answer has one key, made once, and is sent again under that key
until the site says what became of it, however often the connection breaks. So what they report as acknowledged is what
the store must hold, once.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kostra.annotate.visiting import PATIENCE, WAITS, Acknowledged, LostError, Refused, Someone
from kostra.annotate.visiting import Answering as Answering
from kostra.annotate.visiting import Client as Client
from kostra.campaign.items import Item
from kostra.campaign.pools import personal_rng
from kostra.campaign.protocol import Campaign
from kostra.campaign.simulated import SimulatedAnnotator, Truth, answers_for, as_given


@dataclass
class Report:
    """What became of a simulation."""

    acknowledged: list[Acknowledged] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    ends: dict[str, str] = field(default_factory=dict)
    """Annotator → how it ended: ``finished``, ``stopped``, ``pause``, ``waiting``, ``enough``, ``refused``, ``lost``
    (the site could not be reached), ``interrupted``, or ``failed``."""
    wrong: dict[str, str] = field(default_factory=dict)
    """Annotator → what went wrong, where something did."""

    @property
    def latencies(self) -> list[float]:
        """Seconds of every acknowledged answer."""
        return [one.seconds for one in self.acknowledged]

    def summary(self) -> str:
        """In one line, for people.

        Examples
        --------
        >>> answer = Acknowledged("k", "ann", "main", "p1", 1, "answered", 0.012)
        >>> Report([answer], ends={"ann": "finished"}).summary()
        '1 answer acknowledged (answered 1), 0 refused; annotators: finished 1; half of the answers within 12 ms'
        """
        statuses = ", ".join(f"{name} {count:,}" for name, count in _counted(one.status for one in self.acknowledged))
        ends = ", ".join(f"{name} {count:,}" for name, count in _counted(self.ends.values()))
        number = len(self.acknowledged)
        said = f"{number:,} answer{'' if number == 1 else 's'} acknowledged" + (f" ({statuses})" if statuses else "")
        said += f", {len(self.refused):,} refused; annotators: {ends or 'none'}"
        if number:
            said += f"; half of the answers within {np.median(self.latencies) * 1000:.0f} ms"
        return said


def _counted(names: Any) -> list[tuple[str, int]]:
    return sorted(Counter(names).items())


def answers_from(
    campaign: Campaign, annotators: Sequence[SimulatedAnnotator], *, seed: int, truth: Truth | None = None
) -> Answering:
    """How simulated annotators answer the screens of a campaign, whose phases have their questions."""
    people = {annotator.name: annotator for annotator in annotators}
    phases = {phase.name: phase for phase in campaign.phases}
    rngs = {name: personal_rng(seed, name, "simulated answers") for name in people}
    truth = truth or Truth(seed=seed)

    def answers(annotator: str, item: Item, phase: str) -> Mapping[str, Any]:
        found = answers_for(people[annotator], item, phases[phase], rngs[annotator], truth=truth)
        return as_given(found, phases[phase])

    return answers


def simulate(
    url: str,
    tokens: Mapping[str, str],
    *,
    answers: Answering,
    most: int | None = None,
    think: Callable[[str], float] = lambda _: 0.0,
    patience: float = PATIENCE,
    waits: int = WAITS,
    wait_seconds: float = 0.5,
    stop: threading.Event | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> Report:
    """Let simulated annotators answer at a running site, all at once, each in a thread of their own.

    Parameters
    ----------
    url
        The site's address, such as ``http://127.0.0.1:8000``.
    tokens
        Annotator → token of their (personal) invitation.
    answers
        What they answer, see `answers_from`.
    most
        Answers after which an annotator goes home.
    think
        Annotator → seconds before an answer is sent; none unless said.
    patience
        Seconds for which a request is sent again while the site does not answer.
    waits, wait_seconds
        How often, and after how long, somebody who must wait for others looks again.
    stop
        Set by whoever wants it to end early.
    told
        Called with the number of answers acknowledged so far.
    """
    ended = stop or threading.Event()
    report, lock = Report(), threading.Lock()

    def acknowledge(one: Acknowledged) -> None:
        with lock:
            report.acknowledged.append(one)
            told(len(report.acknowledged))

    def work(name: str) -> None:
        client = Client(url, patience=patience, stop=ended)
        someone = Someone(name, tokens[name], client, answers, acknowledge, think, waits, wait_seconds, ended)
        wrong = None
        try:
            someone.come()
            end = someone.sit(most)
        except LostError as error:
            end, wrong = "interrupted" if ended.is_set() else "lost", str(error)
        except Exception as error:  # noqa: BLE001 - one annotator fails alone, and the report says how
            end, wrong = "failed", f"{type(error).__name__}: {error}"
        finally:
            client.close()
        with lock:
            report.ends[name] = end
            report.refused += someone.refused
            if wrong is not None:
                report.wrong[name] = wrong

    threads = [threading.Thread(target=work, args=(name,), name=name, daemon=True) for name in tokens]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        ended.set()
        raise
    return report
