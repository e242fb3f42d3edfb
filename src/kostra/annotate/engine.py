"""One thread writes for all: commands that wait together are committed together.

`Engine` holds a campaign's state in memory and the log in the store in step. A command looks at the state and decides
events; the engine stores them, applies them, and answers the caller only when the disk has them. While one commit is
under way, others wait and share the next, so that the cost of a durable commit is shared among all who answer at once.

Any number of processes may have an engine on the same campaign: each takes the campaign's lock for a commit and first
applies what the others have stored since.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from datetime import datetime
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, Self, TypeVar

import sqlalchemy as sa

from kostra.annotate.store import Store, draft_text
from kostra.annotate.store_log import Entry
from kostra.annotate.store_open import UnavailableError, failure
from kostra.campaign.events import Event


class State(Protocol):
    """What an engine keeps: anything that learns from events, such as `kostra.campaign.running.Running`."""

    def apply(self, event: Event, /) -> None:
        """Learn what has happened."""


S = TypeVar("S", bound=State)
T = TypeVar("T")
Command = Callable[[S], tuple[T, Sequence[Event]]]
"""What somebody wants: it looks at the state, changes nothing, and gives a result and the events to happen."""
Observed = Callable[[str, int, float, bool], None]
"""Learns of every transaction: the campaign, commands that shared it, seconds that it took, whether it was stored."""


def _unobserved(campaign: str, commands: int, seconds: float, stored: bool) -> None:
    """Nobody counts."""


class _Job:
    """Something to do, and whoever waits for it."""

    __slots__ = ("command", "draft", "error", "future", "result", "writes")

    def __init__(
        self,
        command: Callable[[Any], tuple[Any, Sequence[Event]]],
        *,
        writes: bool = True,
        draft: tuple[tuple[str, str, str], tuple[datetime, str]] | None = None,
    ) -> None:
        self.command, self.writes, self.draft = command, writes, draft
        self.future: Future[Any] = Future()
        self.result: Any = None
        self.error: BaseException | None = None

    def answer(self) -> None:
        """Tell whoever waits."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class _WrongStateError(Exception):
    """The state may be wrong: an event could not be applied to it."""


class Engine(Generic[S]):
    """The writer of one campaign in one process.

    Parameters
    ----------
    store
        Where the log lies.
    campaign
        Its name.
    make
        Makes the state as it is before the first event: at the start, and after a failed commit.
    most_waiting
        Commands that may wait; one more is refused.
    most_together
        Commands in one commit.
    observed
        Counts transactions; it must be quick, and never fail.

    Examples
    --------
    >>> import tempfile
    >>> from datetime import UTC
    >>> from kostra.annotate.store import open_store
    >>> class Names(list):
    ...     def apply(self, event):
    ...         self.append(event.annotator)
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> def join(state):
    ...     return f"after {len(state)}", [Event("joined", now, "ann")]
    >>> with tempfile.TemporaryDirectory() as folder, open_store(folder) as store:
    ...     with Engine(store, "news", Names) as engine:
    ...         engine.do(join), engine.do(join), engine.read(len).result()
    ('after 0', 'after 1', 2)
    """

    def __init__(
        self,
        store: Store,
        campaign: str,
        make: Callable[[], S],
        *,
        most_waiting: int = 10_000,
        most_together: int = 500,
        observed: Observed = _unobserved,
    ) -> None:
        self.campaign, self._observed = campaign, observed
        self._store, self._make, self._log = store, make, store.log(campaign)
        self._most_waiting, self._most_together = most_waiting, most_together
        self._waiting: SimpleQueue[_Job | None] = SimpleQueue()
        self._door = threading.Lock()  # so that nothing is put into the queue behind the end
        self._closed = self._ended = False
        self._connection: sa.Connection | None = None
        self._state: S | None = None
        self._seq = 0
        with store.reading() as connection:  # here, so that a store that cannot be read is refused at once
            self._catch_up(connection)
        self._thread = threading.Thread(target=self._run, name=f"engine of {campaign}", daemon=True)
        self._thread.start()

    # For everybody ----------------------------------------------------------------------------------------

    def submit(self, command: Command[S, T]) -> Future[T]:
        """Have a command run; the future has its result once all that it decided is on disk.

        Whatever the command raises, the future raises, and nothing has changed. `UnavailableError` means that the store
        failed, too many wait, or the engine is closed: the same command may be sent again, later.
        """
        return self._put(_Job(command))

    def do(self, command: Command[S, T], *, timeout: float | None = None) -> T:
        """Have a command run and wait for it."""
        return self.submit(command).result(timeout)

    def read(self, function: Callable[[S], T]) -> Future[T]:
        """Have a function look at the state, after all that any process has stored before."""
        return self._put(_Job(lambda state: (function(state), ()), writes=False))

    def put_draft(self, annotator: str, phase: str, item: str, data: Any, *, now: datetime) -> Future[None]:
        """Keep what an annotator has typed so far, in the same commit as other people's answers."""
        draft = ((annotator, phase, item), (now, draft_text(data)))
        return self._put(_Job(lambda _: (None, ()), draft=draft))

    @property
    def waiting(self) -> int:
        """How many commands wait."""
        return self._waiting.qsize()

    def close(self) -> None:
        """Finish what waits, then stop; what is submitted later is refused."""
        with self._door:
            if not self._closed:
                self._closed = True
                self._waiting.put(None)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _put(self, job: _Job) -> Future[Any]:
        if self._waiting.qsize() >= self._most_waiting:
            raise UnavailableError(
                "too many answers wait to be stored", where=self._store.where, remedy="try again soon"
            )
        with self._door:
            if self._closed:
                raise UnavailableError("the site is closing", where=self._store.where, remedy="try again soon")
            self._waiting.put(job)
        return job.future

    # The thread that writes -------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._ended:
            jobs = [job for job in self._take() if job.future.set_running_or_notify_cancel()]
            while jobs:
                jobs = self._serve(jobs)
        self._disconnect()

    def _take(self) -> list[_Job]:
        """Wait for a job and take all that wait with it."""
        jobs: list[_Job] = []
        job = self._waiting.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) >= self._most_together:
                return jobs
            try:
                job = self._waiting.get_nowait()
            except Empty:
                return jobs
        self._ended = True
        return jobs

    def _serve(self, jobs: list[_Job], *, again: bool = False) -> list[_Job]:
        """Run jobs in one transaction and answer them; give back those that must run anew, for no fault of theirs."""
        entries: list[Entry] = []
        left: list[_Job] = []
        began, stored = time.perf_counter(), False
        try:
            self._transact(jobs, entries)
            stored = True
        except _WrongStateError:
            left = [job for job in jobs if job.error is None]
        except Exception as error:  # noqa: BLE001 - whatever it was, those who wait must learn it
            self._disconnect(broken=True)
            if entries:
                self._state = None  # it has learnt what was not stored
            if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated and not again:
                return self._serve(jobs, again=True)  # the server was restarted, say: once more, on a new connection
            if isinstance(error, sa.exc.IntegrityError | sa.exc.DataError) and len(jobs) > 1:
                for job in jobs:  # one of them did it; in a transaction of its own, it fails alone
                    self._serve([job])
                return []
            told = failure(error, self._store.url) if isinstance(error, sa.exc.SQLAlchemyError) else error
            for job in jobs:
                job.error = told
        self._observed(self.campaign, len(jobs), time.perf_counter() - began, stored)
        for job in jobs:
            if job not in left:
                job.answer()
        return left

    def _transact(self, jobs: list[_Job], entries: list[Entry]) -> None:
        """One transaction: learn what others did, decide, store. `entries` tells how far it came if it fails."""
        if self._connection is None:
            self._connection = self._store.connection()
        writes = any(job.writes for job in jobs)
        connection = self._connection.execution_options(writes=writes)
        with connection.begin() as transaction:
            if writes:
                self._log.lock(connection)
            self._catch_up(connection)
            for job in jobs:
                self._decide(job, entries)
            if entries:
                self._log.append(connection, entries)
            self._store_drafts(connection, jobs, entries)
            self._commit(transaction)

    def _catch_up(self, connection: sa.Connection) -> None:
        """Apply what other processes have stored; the whole log if the state was lost."""
        state, self._state = self._state, None  # if an event cannot be applied, what is left of it is not used
        if state is None:
            state, self._seq = self._make(), 0
            with contextlib.closing(self._log.all(connection)) as events:
                self._learn(state, events)
        else:
            self._learn(state, self._log.newer(connection, self._seq))
        self._state = state

    def _learn(self, state: S, events: Iterable[Event]) -> None:
        for event in events:
            state.apply(event)
            self._seq = event.seq

    def _decide(self, job: _Job, entries: list[Entry]) -> None:
        """Run a command and apply what it decided; one that fails does so alone, as long as nothing was applied."""
        state = self._state
        assert state is not None
        job.error = job.result = None
        try:
            result, events = job.command(state)
            made = [self._log.entry(event, seq=self._seq + place) for place, event in enumerate(events, 1)]
        except Exception as error:  # noqa: BLE001 - it is the caller's, who gets it
            job.error = error
            return
        for entry in made:
            entries.append(entry)
            try:
                state.apply(entry.event)
            except Exception as error:
                job.error, self._state = error, None
                raise _WrongStateError from error
            self._seq = entry.event.seq
        job.result = result

    def _store_drafts(self, connection: sa.Connection, jobs: list[_Job], entries: list[Entry]) -> None:
        drafts = dict(job.draft for job in jobs if job.draft is not None)
        for entry in entries if drafts else ():
            if entry.event.kind == "answered":  # a draft that was overtaken by its answer
                data = entry.event.data
                drafts.pop((entry.event.annotator or "", data["phase"], data["item"]), None)
        if drafts:
            self._log.put_drafts(connection, drafts)

    def _commit(self, transaction: sa.Transaction) -> None:
        try:
            transaction.commit()
        except sa.exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise
            raise UnavailableError(
                "the connection broke while this was stored: it may be there, or not",
                where=self._store.where,
                remedy="send it again; what is there already is not stored twice",
            ) from error

    def _disconnect(self, *, broken: bool = False) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sa.exc.SQLAlchemyError):
                if broken:  # it may be inside a transaction that could not be ended: nobody shall have it again
                    connection.invalidate()
                connection.close()
