"""What is remembered of parses: once per sentence and parser, by many processes, within bounds."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kostra.sources.parse_cache import ParseCache, cache_folder, key_of, parse
from kostra.trees import Tree, make_tree


class Counting:
    """A parser that makes one root of each sentence, and counts."""

    def __init__(self, revision: str = "counting 1") -> None:
        self.name, self.revision = "counting:x", revision
        self.parsed: list[str] = []

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        self.parsed += sentences
        return [make_tree([{"form": one.replace(" ", "_"), "deprel": "root"}]) for one in sentences]


@pytest.fixture
def cache(tmp_path: Path) -> ParseCache:
    return ParseCache(tmp_path / "inner" / "parses.sqlite")


def test_a_sentence_is_parsed_once_by_one_parser(cache: ParseCache) -> None:
    parser = Counting()
    first = parse(parser, ["a", "b", "a"], cache=cache)
    assert parse(parser, ["b", "a", "c"], cache=cache)[1] == first[0]
    assert parser.parsed == ["a", "b", "c"]
    cache.close()


def test_a_changed_model_is_another_parser(cache: ParseCache) -> None:
    old, new = Counting(), Counting("counting 2")
    parse(old, ["a"], cache=cache)
    parse(new, ["a"], cache=cache)
    assert new.parsed == ["a"]
    cache.close()


def test_an_interrupted_run_goes_on_where_it_stopped(cache: ParseCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kostra.sources.parse_cache.BATCH", 2)
    parser = Counting()
    whole = parser.parse

    def tired(sentences: Sequence[str]) -> list[Tree]:
        if len(parser.parsed) >= 4:
            raise KeyboardInterrupt
        return whole(sentences)

    monkeypatch.setattr(parser, "parse", tired)
    with pytest.raises(KeyboardInterrupt):
        parse(parser, list("abcdef"), cache=cache)
    again = Counting()
    assert len(parse(again, list("abcdef"), cache=cache)) == 6
    assert again.parsed == ["e", "f"]
    cache.close()


def test_the_oldest_trees_go_when_there_are_too_many(tmp_path: Path) -> None:
    cache = ParseCache(tmp_path / "parses.sqlite", most=10)
    keys = [bytes([number]) for number in range(12)]
    for key in keys:
        cache.put({key: "tree"})
    left = cache.get(keys)
    assert len(left) <= 10
    assert keys[0] not in left
    assert keys[-1] in left
    cache.close()


def test_a_file_that_is_no_database_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "parses.sqlite"
    path.write_bytes(b"this is no database, but it is long enough to be taken for one" * 20)
    cache = ParseCache(path)
    parser = Counting()
    parse(parser, ["a"], cache=cache)
    parse(parser, ["a"], cache=cache)
    assert parser.parsed == ["a"]
    cache.close()


def test_a_broken_entry_is_parsed_again(cache: ParseCache) -> None:
    parser = Counting()
    cache.put({key_of(parser, "a"): "no CoNLL-U at all", key_of(parser, "b"): ""})
    trees = parse(parser, ["a", "b"], cache=cache)
    assert [tree.text for tree in trees] == ["a", "b"]
    cache.close()


def test_a_folder_that_cannot_be_written_does_not_stop_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = ParseCache(tmp_path / "file" / "parses.sqlite")
    assert len(parse(Counting(), ["a"], cache=cache)) == 1


def test_the_cache_lies_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path / "here"))
    assert ParseCache().path == tmp_path / "here" / "parses.sqlite"
    monkeypatch.delenv("KOSTRA_CACHE")
    assert cache_folder() == Path.home() / ".cache" / "kostra"


WRITER = """
import sys
from pathlib import Path
from kostra.sources.parse_cache import ParseCache
cache = ParseCache(Path(sys.argv[1]))
for number in range(60):
    cache.put({f"{sys.argv[2]} {number}".encode(): "tree", f"shared {number}".encode(): "tree"})
cache.close()
"""


def test_several_processes_write_one_cache_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "parses.sqlite"
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("one", "two", "three")]
    assert [process.wait(timeout=120) for process in running] == [0, 0, 0]
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM parses").fetchone() == (60 * 4,)
    connection.close()


def test_a_cache_survives_a_fork(cache: ParseCache) -> None:
    cache.put({b"before": "tree"})
    child = os.fork()
    if child == 0:  # pragma: no cover - in the other process
        cache.put({b"child": "tree"})
        os._exit(0 if cache.get([b"before", b"child"]).keys() == {b"before", b"child"} else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert cache.get([b"before", b"child"]).keys() == {b"before", b"child"}
    cache.close()


def test_many_keys_are_asked_for_in_any_order(cache: ParseCache) -> None:
    keys = [number.to_bytes(2, "big") for number in range(1300)]
    cache.put({key: f"tree {number}" for number, key in enumerate(keys)})
    shuffled = random.Random(1).sample(keys, len(keys))
    assert cache.get(shuffled)[keys[1299]] == "tree 1299"
    assert len(cache.get(shuffled)) == 1300
    cache.close()


def test_progress_counts_distinct_sentences(cache: ParseCache) -> None:
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))

    parse(Counting(), ["a", "b", "a"], cache=cache, progress=progress)
    assert told == [(0, 2), (2, 2)]
    cache.close()
