"""One cache for every costly encoder: concurrent, resumable, bounded."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kostra.caching import PARSES, cache
from kostra.encoders import Identity, as_encoder, embed, similarities
from kostra.encoders.store import FILE, Store, cache_folder, size_of, text_key
from kostra.errors import KostraError
from kostra.sources.parse_cache import ParseCache

TEXTS = [f"sentence {number}" for number in range(20)]
ME = Identity("me", revision="1", pooling="mean")


class Counted:
    """Vectors from the text; remembers what it was asked for."""

    def __init__(self, **identity: str | None) -> None:
        self.identity = Identity(**{"name": "counted", "revision": "1", **identity}, costly=True)  # type: ignore[arg-type]
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        self.asked += sentences
        return np.array([[len(text), hash(text) % 97, 1 / 3] for text in sentences], dtype=np.float64)


def test_what_was_embedded_once_is_looked_up(tmp_path: Path) -> None:
    first, second = Counted(), Counted()
    cold = embed(first, TEXTS, cache=tmp_path)
    warm = embed(second, [*TEXTS[:5], "new", *TEXTS], cache=tmp_path)
    assert sorted(first.asked) == sorted(TEXTS)
    assert second.asked == ["new"]
    assert (warm[6:] == cold).all()
    assert warm.dtype == cold.dtype == np.float32


@pytest.mark.parametrize(
    "other", [{"name": "b"}, {"revision": "2"}, {"pooling": "max"}, {"normalisation": "l2"}], ids=str
)
def test_the_key_is_encoder_revision_pooling_normalisation_and_text(tmp_path: Path, other: dict[str, str]) -> None:
    embed(Counted(), ["a"], cache=tmp_path)
    another = Counted(**other)
    embed(another, ["a"], cache=tmp_path)
    assert another.asked == ["a"]
    assert len(Store(tmp_path).kept()) == 2


@given(st.tuples(st.text(), st.text()), st.tuples(st.text(), st.text()))
def test_different_pairs_have_different_keys(one: tuple[str, str], two: tuple[str, str]) -> None:
    assert (text_key(one) == text_key(two)) == (one == two)


def test_an_encoder_without_a_revision_is_never_kept(tmp_path: Path) -> None:
    embed(Counted(revision=None), ["a"], cache=tmp_path)
    assert not list(tmp_path.iterdir())


def test_cheap_encoders_are_kept_only_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path / "here"))
    embed("static", ["a"])
    similarities("dice", [("a", "b")])
    assert not (tmp_path / "here").exists()
    embed("static", ["a"], cache=True)
    assert [kept.name for kept in Store().kept()] == ["static"]


def test_the_cache_can_be_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path / "here"))
    embed(Counted(), ["a"], cache=False)
    assert not (tmp_path / "here").exists()


def test_the_folder_is_that_of_the_environment_or_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("KOSTRA_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "kostra"


def test_a_run_that_broke_goes_on_where_it_was(tmp_path: Path) -> None:
    class Breaks(Counted):
        def encode(self, sentences: Sequence[str]) -> NDArray[np.float64]:
            if len(self.asked) >= 12:
                raise KeyboardInterrupt
            return super().encode(sentences)

    with pytest.raises(KeyboardInterrupt):
        embed(Breaks(), TEXTS, cache=tmp_path, batch_size=4)
    again = Counted()
    embed(again, TEXTS, cache=tmp_path, batch_size=4)
    assert len(again.asked) == 8


WRITER = """
import sys
import numpy as np
from kostra.encoders import Identity, embed

class Slow:
    identity = Identity("slow", revision="1", costly=True)
    def encode(self, sentences):
        print(len(sentences), flush=True)
        return np.array([[len(text), int(text.split()[-1])] for text in sentences], dtype=np.float64)

folder, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
made = embed(Slow(), [f"text {number}" for number in range(first, last)], cache=folder, batch_size=2)
assert made[:, 1].tolist() == list(range(first, last))
print("done", flush=True)
"""


def writer(folder: Path, first: int, last: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), str(first), str(last)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_a_kill_loses_at_most_a_batch_and_damages_nothing(tmp_path: Path) -> None:
    with writer(tmp_path, 0, 100_000) as process:
        assert process.stdout is not None
        for _ in range(20):  # the twentieth batch is being made, so that nineteen are kept
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        begun = 20 + len(process.stdout.readlines())
    (kept,) = Store(tmp_path).kept()
    assert 2 * (begun - 1) <= kept.entries <= 2 * begun
    with sqlite3.connect(tmp_path / FILE) as base:
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        (alone,) = base.execute("SELECT count(*) FROM entries WHERE id NOT IN (SELECT id FROM vectors)").fetchone()
        assert alone == 0
    base.close()
    with writer(tmp_path, 99_900, 100_000) as process:
        assert process.wait() == 0
    assert Store(tmp_path).kept()[0].entries >= 100


def test_many_processes_fill_it_at_the_same_time(tmp_path: Path) -> None:
    processes = [writer(tmp_path, first, first + 120) for first in (0, 40, 80)]  # they overlap
    said = [process.communicate()[0] for process in processes]
    assert all(words.endswith("done\n") for words in said)
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert Store(tmp_path).kept()[0].entries == 200


def fill(store: Store, many: int, *, start: int = 0) -> list[bytes]:
    keys = [text_key(f"text {number}") for number in range(start, start + many)]
    with store.filling(ME) as put:
        for place in range(0, many, 50):
            some = keys[place : place + 50]
            put(some, np.ones((len(some), 256), dtype=np.float32))
    return keys


def test_it_stays_within_its_limit_and_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    time = [0.0]
    store = Store(tmp_path, limit=4_000_000, clock=lambda: time[0])
    old = fill(store, 1000)  # about 1.4 MB on disk: three vectors of 1 KB go into a page of 4 KB
    time[0] = 10_000
    middle = fill(store, 1000, start=10_000)
    time[0] = 20_000
    assert len(store.get(ME, old)) == 1000, "the old are used again, and so the middle is the oldest"
    time[0] = 30_000
    new = fill(store, 1000, start=20_000)
    assert store.size() <= 4_100_000
    assert [len(store.get(ME, keys)) for keys in (old, new)] == [1000, 1000]
    assert 0 < len(store.get(ME, middle)) < 1000


def test_the_limit_can_be_set_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOSTRA_CACHE_LIMIT", "3MB")
    assert Store(tmp_path).limit == 3_000_000
    for wrong in ("much", "-1", "1.2.3", "3XB"):
        with pytest.raises(KostraError, match="is no size"):
            size_of(wrong)


def test_a_vector_of_another_length_under_one_identity_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(ME, [b"a"], np.ones((1, 3), dtype=np.float32))
    with pytest.raises(KostraError, match="with 3 dimensions, not 4"):
        store.put(ME, [b"b"], np.ones((1, 4), dtype=np.float32))
    assert store.kept()[0].entries == 1


def test_a_damaged_file_is_said_and_can_be_cleared(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"this was never a database, though it is long enough to be one" * 100)
    with pytest.raises(KostraError, match="the cache is damaged") as caught:
        embed(Counted(), ["a"], cache=tmp_path)
    assert caught.value.remedy == "kostra cache clear"
    cache("clear", folder=tmp_path)
    assert embed(Counted(), ["a"], cache=tmp_path).shape == (1, 3)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(KostraError, match="the cache cannot be made") as caught:
        embed(Counted(), ["a"], cache=tmp_path / "file" / "below")
    assert "KOSTRA_CACHE" in (caught.value.remedy or "")


def test_the_texts_themselves_are_not_kept(tmp_path: Path) -> None:
    embed(Counted(), ["a very private sentence"], cache=tmp_path)
    assert all(b"private" not in path.read_bytes() for path in tmp_path.iterdir())


# The command ------------------------------------------------------------------------------------------


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    (tmp_path / "words.txt").write_text("a 1 2\nb 3 4\n")
    folder = tmp_path / "cache"
    embed(Counted(), TEXTS, cache=folder)
    embed(Counted(name="other"), TEXTS[:3], cache=folder)
    from kostra.encoders.word_files import open_word_file

    open_word_file(tmp_path / "words.txt", folder=folder)
    return folder


def test_the_command_lists_encoders_entries_and_bytes(filled: Path) -> None:
    state = cache(folder=filled)
    assert [(one.kind, one.encoder, one.entries, one.dimensions) for one in state.kept] == [
        ("sentences", "counted", 20, 3),
        ("sentences", "other", 3, 3),
        ("word vectors", "vectors:words.txt", 2, 2),
    ]
    assert [one.bytes for one in state.kept[:2]] == [20 * 3 * 4, 3 * 3 * 4]
    assert state.bytes > sum(one.bytes for one in state.kept)
    assert state.removed == 0


def test_parses_are_listed_and_cleared_too(tmp_path: Path) -> None:
    trees = ParseCache(tmp_path / PARSES)
    trees.put({b"one": "tree", b"two": "tree"})
    trees.close()
    assert [(one.kind, one.entries) for one in cache(folder=tmp_path).kept] == [("parses", 2)]
    assert cache("clear", folder=tmp_path).removed == 2
    again = ParseCache(tmp_path / PARSES)
    assert again.get([b"one"]) == {}
    again.close()


def test_the_file_of_parses_is_where_the_parsers_lay_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path))
    assert ParseCache().path == cache_folder() / PARSES


def test_an_absent_cache_is_empty(tmp_path: Path) -> None:
    for action in ("list", "clear", "prune"):
        state = cache(action, folder=tmp_path / "absent")
        assert (state.kept, state.bytes, state.removed) == ((), 0, 0)
    assert not (tmp_path / "absent").exists()


def test_one_encoder_can_be_cleared_or_everything(filled: Path) -> None:
    assert cache("clear", encoder="other", folder=filled).removed == 3
    with pytest.raises(KostraError, match='did you mean "counted"'):
        cache("clear", encoder="kounted", folder=filled)
    state = cache("clear", folder=filled)
    assert (state.removed, state.kept) == (21, ())


def test_clearing_gives_the_room_back(tmp_path: Path) -> None:
    fill(Store(tmp_path), 3000)
    assert cache(folder=tmp_path).bytes > 3_000_000
    assert cache("clear", folder=tmp_path).bytes < 100_000


def test_pruning_removes_what_was_not_used_for_long(tmp_path: Path) -> None:
    day = 86_400.0
    fill(Store(tmp_path, clock=lambda: 0.0), 100)
    fill(Store(tmp_path, clock=lambda: 40 * day), 50, start=1000)
    now = datetime.fromtimestamp(45 * day, UTC)
    assert cache("prune", days=60, folder=tmp_path, now=now).removed == 0
    state = cache("prune", days=30, folder=tmp_path, now=now)
    assert (state.removed, state.kept[0].entries) == (100, 50)


def test_pruning_to_a_limit_keeps_the_most_recently_used(tmp_path: Path) -> None:
    fill(Store(tmp_path, clock=lambda: 0.0), 3000)
    recent = fill(Store(tmp_path, clock=lambda: 9999.0), 500, start=5000)
    state = cache("prune", limit="2MB", folder=tmp_path)
    assert state.bytes < 2_000_000
    assert len(Store(tmp_path).get(ME, recent)) == 500


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"action": "lsit"}, 'did you mean "list"'),
        ({"action": "list", "encoder": "x"}, "list takes no encoder"),
        ({"action": "clear", "days": 3}, "clear takes neither limit nor days"),
        ({"action": "prune", "days": -1}, "0 or more"),
        ({"action": "prune", "limit": "much"}, "is no size"),
    ],
)
def test_options_that_cannot_apply_are_refused(tmp_path: Path, options: dict[str, object], said: str) -> None:
    with pytest.raises(KostraError) as caught:
        cache(**options, folder=tmp_path)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_an_object_with_a_revision_of_ones_own_is_kept(tmp_path: Path) -> None:
    asked: list[int] = []

    def mine(sentences: list[str]) -> NDArray[np.float64]:
        asked.append(len(sentences))
        return np.ones((len(sentences), 2))

    for _ in range(2):
        embed(as_encoder(mine, name="mine", revision="2024-05"), ["a", "b"], cache=tmp_path)
    assert asked == [2]
