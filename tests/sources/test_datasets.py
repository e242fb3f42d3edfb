"""Known datasets and their files: listed, read, and fetched from a server on this machine, never from the internet."""

from __future__ import annotations

import hashlib
import io
import socket
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kostra import registry
from kostra.errors import KostraError
from kostra.sources import datasets as known
from kostra.sources.datasets import DatasetInfo, Part, datasets, default_cache, load_dataset
from kostra.sources.download import download, unpack
from kostra.sources.released import semrel2024, sick, snli, stsb

CONTENT = bytes(range(256)) * 1000


@dataclass
class Shelf:
    """What the server has, and what it was asked."""

    address: str = ""
    content: bytes = CONTENT
    etag: str = '"one"'
    breaks_after: int | None = None
    ranges: list[str | None] = field(default_factory=list)


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    """A server of one file that can break off, change its file, and answer ranges."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    one = Shelf()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            one.ranges.append(asked)
            if self.path != "/file.bin":
                self.send_error(404)
                return
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
            if self.headers.get("If-Range") not in (None, one.etag):
                start = 0
            if start >= len(one.content):
                self.send_error(416)
                return
            body = one.content[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(one.content) - 1}/{len(one.content)}")
            self.send_header("ETag", one.etag)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: one.breaks_after])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it overrides
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    one.address = f"http://127.0.0.1:{server.server_port}/file.bin"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield one
    server.shutdown()
    thread.join()
    server.server_close()


def sha256(content: bytes = CONTENT) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


# Downloading -------------------------------------------------------------------------------------------


def test_a_file_is_fetched_once_and_kept(shelf: Shelf, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    for _ in range(2):
        place = download(
            shelf.address, tmp_path / "deep" / "f", checksum=sha256(), progress=lambda *at: seen.append(at)
        )
        assert place.read_bytes() == CONTENT
    assert shelf.ranges == [None]
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["f"]


def test_a_broken_download_goes_on_where_it_stopped(shelf: Shelf, tmp_path: Path) -> None:
    shelf.breaks_after = 100_000
    with pytest.raises(KostraError, match="broke off after 100,000 of 256,000 bytes"):
        download(shelf.address, tmp_path / "f")
    assert not (tmp_path / "f").exists()
    shelf.breaks_after = None
    assert download(shelf.address, tmp_path / "f").read_bytes() == CONTENT
    assert shelf.ranges == [None, "bytes=100000-"]


def test_a_file_that_changed_meanwhile_is_fetched_anew(shelf: Shelf, tmp_path: Path) -> None:
    shelf.breaks_after = 100_000
    with pytest.raises(KostraError, match="broke off"):
        download(shelf.address, tmp_path / "f")
    shelf.content, shelf.etag, shelf.breaks_after = b"new" * 50_000, '"two"', None
    assert download(shelf.address, tmp_path / "f").read_bytes() == b"new" * 50_000


def test_a_part_that_is_longer_than_the_file_is_thrown_away(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "f.part").write_bytes(b"x" * 300_000)
    assert download(shelf.address, tmp_path / "f", checksum=sha256()).read_bytes() == CONTENT
    assert shelf.ranges == ["bytes=300000-", None]


def test_another_content_than_the_checksum_says_is_refused_and_thrown_away(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="not the one that was expected"):
        download(shelf.address, tmp_path / "f", checksum=sha256(b"other"))
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_in_the_cache_is_fetched_again(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"damaged")
    assert download(shelf.address, tmp_path / "f", checksum=sha256()).read_bytes() == CONTENT


def test_an_address_without_a_file_is_told_with_the_servers_answer(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="the server answers 404") as caught:
        download(shelf.address + "x", tmp_path / "f")
    assert "by hand" in str(caught.value)


def test_without_a_network_the_message_says_so_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(KostraError, match=r"cannot be reached \(Connection refused\); is there a network\?") as caught:
        download(f"http://127.0.0.1:{port}/f", tmp_path / "f")
    assert "--path FILE" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_stays_silent_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/f"
        with pytest.raises(KostraError, match="the server does not answer"):
            download(address, tmp_path / "f", timeout=0.05)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://example.org/f", "data.csv"])
def test_only_the_web_is_fetched_from(tmp_path: Path, address: str) -> None:
    with pytest.raises(KostraError, match="no address that can be fetched"):
        download(address, tmp_path / "f")


def archives(folder: Path, content: bytes) -> list[Path]:
    with zipfile.ZipFile(folder / "a.zip", "w") as box:
        box.writestr("in/dev.csv", content)
    with tarfile.open(folder / "a.tar.gz", "w:gz") as tape:
        about = tarfile.TarInfo("in/dev.csv")
        about.size = len(content)
        tape.addfile(about, io.BytesIO(content))
    return [folder / "a.zip", folder / "a.tar.gz"]


def test_one_file_is_taken_out_of_an_archive(tmp_path: Path) -> None:
    for archive in archives(tmp_path, b"whole"):
        assert unpack(archive, "in/dev.csv", tmp_path / f"{archive.name}.csv").read_bytes() == b"whole"
        with pytest.raises(KostraError, match=r'holds no "in/test\.csv"'):
            unpack(archive, "in/test.csv", tmp_path / "test.csv")


def test_a_damaged_archive_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    for archive in archives(tmp_path, bytes(5000)):
        archive.write_bytes(archive.read_bytes()[:60])
        with pytest.raises(KostraError, match="the archive cannot be opened"):
            unpack(archive, "in/dev.csv", tmp_path / "dev.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", "a.zip"]


# The catalogue -----------------------------------------------------------------------------------------


def test_the_catalogue_knows_the_papers_datasets_and_their_neighbours() -> None:
    wanted = {"str2021", "costra", "czech_news_sts", "cdsc", "semrel2024", "sick", "stsb", "snli", "czech_sts", "pawsx"}
    assert wanted <= {info.name for info in datasets()}


@pytest.mark.parametrize("info", datasets(), ids=lambda info: info.name)
def test_a_known_dataset_can_be_read_or_says_where_it_is(info: DatasetInfo) -> None:
    assert info.title
    assert info.languages
    assert info.size is None or info.size > 0
    assert not info.reader or info.reader in registry.names("sources/released")
    assert info.reader or not info.parts
    for part in info.parts:
        assert part.url.startswith("http")
        assert not part.checksum or part.checksum.split(":")[0] in ("sha256", "sha1", "md5")


@pytest.fixture
def on_shelf(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shelf:
    """The STS Benchmark, as the server on this machine has it."""
    row = b"main-captions\town\t2026\t0001\t3.500\tA dog barks.\tA dog is loud.\n"
    shelf.content = archives(tmp_path, row)[0].read_bytes()
    parts = (Part("dev", shelf.address, "in/dev.csv", sha256(shelf.content)), Part("gone", shelf.address + "x"))
    info = DatasetInfo("own", "Own", ("en",), 1, "pairs", "CC0", "", "stsb", parts)
    monkeypatch.setattr(known, "_catalogue", lambda: {"own": info})
    return shelf


def test_a_dataset_is_downloaded_unpacked_read_and_kept(on_shelf: Shelf, tmp_path: Path) -> None:
    for _ in range(2):
        found = load_dataset("own", cache=tmp_path / "cache")
        assert found.tables["scores"]["score"].to_list() == [3.5]
    assert len(on_shelf.ranges) == 1
    assert sorted(path.name for path in (tmp_path / "cache/datasets/own").iterdir()) == ["dev.csv", "file.bin"]
    with pytest.raises(KostraError, match="answers 404"):
        load_dataset("own", part="gone", cache=tmp_path / "cache")
    with pytest.raises(KostraError, match='unknown part of own "deb"'):
        load_dataset("own", part="deb", cache=tmp_path / "cache")


def test_a_local_file_needs_no_network(tmp_path: Path) -> None:
    (tmp_path / "dev.tsv").write_text("sentence1\tsentence2\tscore\nA dog.\tA cat.\t2\n")
    assert load_dataset("stsb", tmp_path / "dev.tsv").tables["pairs"].height == 1


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("sikc", 'unknown dataset "sikc"'),
        ("str2021", r'"str2021" cannot be downloaded by kostra\n  try: see https://doi\.org'),
        ("pawsx", "has no reader yet"),
    ],
)
def test_a_dataset_that_cannot_be_loaded_says_why(name: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match=complaint):
        load_dataset(name, cache=tmp_path)


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    monkeypatch.delenv("KOSTRA_CACHE", raising=False)
    assert default_cache() == tmp_path / "x" / "kostra"
    monkeypatch.setenv("KOSTRA_CACHE", str(tmp_path / "own"))
    assert default_cache() == tmp_path / "own"


# Readers of releases -----------------------------------------------------------------------------------


def test_semrel_tells_language_pairs_and_missing_scores(tmp_path: Path) -> None:
    path = tmp_path / "kin.csv"
    path.write_text('PairID,Text,Score\nKIN-dev-1,"Imbwa.\nInjangwe.",0.5\nKIN-dev-2,"A.\nB.",\n')
    found = semrel2024.read(path)
    assert (found.language, found.tables["pairs"].height, found.tables["scores"].height) == ("rw", 2, 1)
    assert [finding.kind for finding in found.findings] == ["not_released", "no_score"]
    path.write_text('PairID,Text\nKIN-dev-1,"Imbwa.\nInjangwe."\n')
    assert list(semrel2024.read(path).tables) == ["pairs"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('PairID,Text,Score\nE-1,"One line.",0.5\n', r'eng\.csv:2: column "Text": found 1 line'),
        ('PairID,Text,Score\nE-1,"A.\nB.",high\n', r'eng\.csv:2: column "Score": found "high"'),
        ("PairID,Text,Score\n", "there is no row"),
        ("ID,Text,Score\n1,x,1\n", 'unknown column of SemRel2024 as released "ID"'),
    ],
)
def test_a_broken_semrel_file_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "eng.csv").write_text(text)
    with pytest.raises(KostraError, match=complaint):
        semrel2024.read(tmp_path / "eng.csv")


def test_sick_keeps_scores_labels_and_parts(tmp_path: Path) -> None:
    header = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tentailment_AB\tSemEval_set\n"
    path = tmp_path / "SICK.txt"
    path.write_text(f"{header}7\tA dog runs\tA cat runs\tNEUTRAL\t3.1\tA_neutral_B\tTRAIN\n")
    found = sick.read(path)
    assert found.tables["pairs"].select("pair", "text_a", "subset").row(0) == ("7", "A dog runs", "TRAIN")
    assert found.tables["scores"].select("question", "score", "label", "appearances").rows() == [
        ("relatedness", 3.1, None, 10),
        ("entailment", None, "neutral", 0),
    ]
    assert [finding.kind for finding in found.findings] == ["column"]
    path.write_text(f"{header}7\tA dog runs\tA cat runs\tMAYBE\t3.1\tx\tTRAIN\n")
    with pytest.raises(KostraError, match=r'SICK\.txt:2: column "entailment_label": found "maybe"'):
        sick.read(path)


def test_the_sts_benchmark_is_read_in_its_three_forms(tmp_path: Path) -> None:
    own = 'main-news\theadlines\t2014\t0193\t1.250\tOne, "two.\tThree.\n'
    sourced = "main-forum\tforum\t2015\t1\t2\tA.\tB.\thttp://x\thttp://y\n"
    glue = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
    glue += "0\tmain-news\theadlines\t2014\t0193\tnone\tnone\tOne.\tTwo.\t1.250\n"
    plain = 'sentence1,sentence2,score\n"One, two.",Three.,1.25\n'
    for name, text, pairs in (("own.csv", own + sourced, 2), ("glue.tsv", glue, 1), ("plain.csv", plain, 1)):
        (tmp_path / name).write_text(text)
        found = stsb.read(tmp_path / name)
        assert found.tables["pairs"].height == pairs
        assert found.tables["scores"]["score"][0] == 1.25


def test_glues_test_file_has_pairs_and_no_scores(tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text("index\tsentence1\tsentence2\n0\tOne.\tTwo.\n")
    found = stsb.read(tmp_path / "test.tsv")
    assert list(found.tables) == ["pairs"]
    assert [finding.kind for finding in found.findings] == ["no_score"]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("main-news\theadlines\t2014\t1\t3\tOne.\n", r"a\.csv:1: found 6 columns"),
        ("main-news\theadlines\t2014\t1\tx\tOne.\tTwo.\n", r'a\.csv:1: column "score": found "x"'),
        ("main-news\theadlines\t2014\t1\t3\tOne.\t\n", r'a\.csv:1: column "sentence2": found nothing'),
        ("one,two\n1,2\n", 'no column "sentence1"'),
    ],
)
def test_a_broken_sts_file_is_refused_with_its_line(tmp_path: Path, row: str, complaint: str) -> None:
    (tmp_path / "a.csv").write_text(row)
    with pytest.raises(KostraError, match=complaint):
        stsb.read(tmp_path / "a.csv")


def test_snli_is_a_release_too(tmp_path: Path) -> None:
    (tmp_path / "dev.jsonl").write_text('{"gold_label": "-", "sentence1": "A.", "sentence2": "B.", "pairID": "1"}\n')
    found = snli.read(tmp_path / "dev.jsonl")
    assert (found.tables["pairs"].height, found.tables["scores"].height) == (1, 0)
    assert [finding.kind for finding in found.findings] == ["no_gold"]
