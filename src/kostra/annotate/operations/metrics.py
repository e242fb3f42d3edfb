"""What the site counts, as Prometheus reads it.

Several processes may serve one site, and a scraper reaches any of them. So each process counts in a file of its own,
which is mapped into its memory, and whoever is asked adds all files up; what a process has counted stays when it ends.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock

Key = tuple[str, tuple[tuple[str, str], ...]]
"""The name of a series, and its labels."""

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
BUCKETS: Mapping[str, Sequence[float]] = {
    "kostra_request_seconds": _SECONDS,
    "kostra_commit_seconds": _SECONDS,
    "kostra_commit_commands": (1, 2, 5, 20, 100, 500),
}
"""Histogram → the upper ends of its buckets."""
HELP = {
    "kostra_requests_total": ("counter", "Requests by route, method and status."),
    "kostra_request_seconds": ("histogram", "Time until a reply began, by route."),
    "kostra_commit_commands": ("histogram", "Commands that shared one commit, by campaign."),
    "kostra_commit_seconds": ("histogram", "Time that a commit took, by campaign."),
    "kostra_errors_total": ("counter", "Defects and failures of the store, by kind."),
    "kostra_refused_total": ("counter", "Requests refused at the door, by reason."),
    "kostra_answers": ("gauge", "Answers by campaign and what has become of them."),
    "kostra_annotators": ("gauge", "Annotators by campaign, and whether they were stopped."),
    "kostra_leases": ("gauge", "Items that are on somebody's screen, by campaign."),
    "kostra_waiting_commands": ("gauge", "Commands that wait in this process, by campaign."),
    "kostra_log_entries": ("gauge", "Entries in a campaign's log."),
    "kostra_up_seconds": ("gauge", "How long this process has served."),
}
"""Name → kind and what it says."""

_SLOT, _SLOTS = 256, 4096
_HEAD = struct.Struct("<dQ")  # value, length of the name; the name follows


class Counters:
    """Numbers that only grow, in a file that other processes may read; without a folder, in memory alone.

    Examples
    --------
    >>> counters = Counters()
    >>> counters.add("kostra_errors_total", kind="store")
    >>> counters.add("kostra_errors_total", 2, kind="store")
    >>> counters.all()
    {('kostra_errors_total', (('kind', 'store'),)): 3.0}
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lock = Lock()
        self._places: dict[Key, int] = {}
        if folder is None:
            self._memory = mmap.mmap(-1, _SLOT * _SLOTS)
            return
        file = os.open(folder / f"{os.getpid()}.counts", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.ftruncate(file, _SLOT * _SLOTS)
            self._memory = mmap.mmap(file, _SLOT * _SLOTS)
        finally:
            os.close(file)

    def add(self, name: str, amount: float = 1, /, **labels: str) -> None:
        """Count something; labels must take few values, since each combination has a place of its own."""
        key = (name, tuple(labels.items()))
        with self._lock:
            place = self._places.get(key)
            if place is None:
                place = self._take(key)
            if place is not None:
                (before,) = struct.unpack_from("<d", self._memory, place)
                struct.pack_into("<d", self._memory, place, before + amount)

    def _take(self, key: Key) -> int | None:
        """A place for a new series; None where there is none left, or its name is too long."""
        text = json.dumps(key).encode()
        place = len(self._places) * _SLOT
        if place >= _SLOT * _SLOTS or len(text) > _SLOT - _HEAD.size:
            return None
        self._memory[place + _HEAD.size : place + _HEAD.size + len(text)] = text
        _HEAD.pack_into(self._memory, place, 0.0, len(text))  # the length last: a reader sees all of a name or nothing
        self._places[key] = place
        return place

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        """Count a value in its bucket of a histogram."""
        end = next((f"{end:g}" for end in BUCKETS[name] if value <= end), "+Inf")
        self.add(f"{name}_bucket", 1, **labels, le=end)
        self.add(f"{name}_sum", value, **labels)

    def all(self) -> dict[Key, float]:
        """What all processes have counted together."""
        found: dict[Key, float] = {}
        for memory in self._files():
            for key, value in _read(memory):
                found[key] = found.get(key, 0.0) + value
        return found

    def _files(self) -> Iterator[bytes]:
        if self._folder is None:
            yield bytes(self._memory)
            return
        for file in sorted(self._folder.glob("*.counts")):
            yield file.read_bytes()


def _read(memory: bytes) -> Iterator[tuple[Key, float]]:
    for place in range(0, len(memory) - _HEAD.size, _SLOT):
        value, length = _HEAD.unpack_from(memory, place)
        if not length:
            return
        name, labels = json.loads(memory[place + _HEAD.size : place + _HEAD.size + length])
        yield (name, tuple((label, text) for label, text in labels)), value


def exposition(counted: Mapping[Key, float], gauges: Iterable[tuple[str, Mapping[str, str], float]]) -> str:
    """Everything in Prometheus's text format.

    Examples
    --------
    >>> counters = Counters()
    >>> counters.observe("kostra_commit_commands", 3, campaign="news")
    >>> counters.observe("kostra_commit_commands", 1, campaign="news")
    >>> print(exposition(counters.all(), []), end="")
    # HELP kostra_commit_commands Commands that shared one commit, by campaign.
    # TYPE kostra_commit_commands histogram
    kostra_commit_commands_bucket{campaign="news",le="1"} 1
    kostra_commit_commands_bucket{campaign="news",le="2"} 1
    kostra_commit_commands_bucket{campaign="news",le="5"} 2
    kostra_commit_commands_bucket{campaign="news",le="20"} 2
    ...
    kostra_commit_commands_bucket{campaign="news",le="+Inf"} 2
    kostra_commit_commands_sum{campaign="news"} 4
    kostra_commit_commands_count{campaign="news"} 2
    """
    lines: dict[str, list[str]] = {}
    histograms: dict[str, dict[tuple[tuple[str, str], ...], dict[str, float]]] = {}
    for (name, labels), value in counted.items():
        if name.endswith("_bucket"):
            rest, end = labels[:-1], labels[-1][1]
            histograms.setdefault(name.removesuffix("_bucket"), {}).setdefault(rest, {})[end] = value
        elif not name.endswith("_sum"):
            lines.setdefault(name, []).append(_line(name, labels, value))
    for name, series in histograms.items():
        for labels, buckets in series.items():
            lines.setdefault(name, []).extend(_histogram(name, labels, buckets, counted))
    for name, found, value in gauges:
        lines.setdefault(name, []).append(_line(name, tuple(found.items()), value))
    text = []
    for name in (known for known in HELP if known in lines):
        kind, said = HELP[name]
        text += [f"# HELP {name} {said}", f"# TYPE {name} {kind}", *lines[name]]
    return "\n".join(text) + "\n"


def _histogram(
    name: str, labels: tuple[tuple[str, str], ...], buckets: Mapping[str, float], counted: Mapping[Key, float]
) -> Iterator[str]:
    """Buckets as Prometheus wants them, each with all that is below its end."""
    total = 0.0
    for end in (*(f"{end:g}" for end in BUCKETS[name]), "+Inf"):
        total += buckets.get(end, 0.0)
        yield _line(f"{name}_bucket", (*labels, ("le", end)), total)
    yield _line(f"{name}_sum", labels, counted.get((f"{name}_sum", labels), 0.0))
    yield _line(f"{name}_count", labels, total)


def _line(name: str, labels: Sequence[tuple[str, str]], value: float) -> str:
    said = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{said}}} {value:.10g}" if said else f"{name} {value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
