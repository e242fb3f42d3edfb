"""Korektor's client against a local server that speaks the service's protocol."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import polars as pl
import pytest

from kostra.errors import KostraError
from kostra.recipe import About, Recipe, Score, Step
from kostra.sources import spell
from kostra.sources.spelling.checking import KorektorChecker, korektor_checker
from kostra.sources.spelling.korektor import BATCH, Korektor
from kostra.sources.spelling.proposals import Proposal
from kostra.spelling import spell as spell_file
from kostra.steps import Context, Inputs
from kostra.tables import SENTENCES, check

MODEL = "czech-spellchecker-130202"
MISTAKES = {
    "Babyčka": ["Babička", "Babočka"], "kolače": ["koláče"], "Novotnich": ["Novotných"], "B1": ["B2"], "kun": ["kůň"],
}  # fmt: skip


class Server(ThreadingHTTPServer):
    """As `korektor_server` answers: GET or POST of a form, JSON with model and result."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.ready: list[tuple[int, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/services/korektor/api"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.answer(urlsplit(self.path).query)

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def answer(self, form: str) -> None:
        asked = {name: values[0] for name, values in parse_qs(form, keep_blank_values=True).items()}
        method = urlsplit(self.path).path.removeprefix("/services/korektor/api/")
        self.server.asked.append((self.command, method, asked))
        status, body = self.server.ready.pop(0) if self.server.ready else self.result(method, asked)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def result(self, method: str, asked: dict[str, str]) -> tuple[int, bytes]:
        if method == "models":
            return 200, json.dumps({"models": [MODEL], "default_model": MODEL}).encode()
        if "data" not in asked or method not in ("correct", "suggestions"):
            return 400, b"Required argument 'data' is missing.\n"
        most = int(asked.get("suggestions", "5"))
        # Pieces without a mistake run over words and lines, as the service's do.
        found = "|".join(map(re.escape, MISTAKES))
        parts = [part for part in re.split(rf"\b({found})\b", asked["data"]) if part]
        pieces = [[part, *MISTAKES.get(part, [])[:most]] for part in parts]
        result: Any = pieces if method == "suggestions" else "".join((piece + piece)[1] for piece in pieces)
        return 200, json.dumps({"model": MODEL, "acknowledgements": [], "result": result}).encode()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture
def context(tmp_path: Path) -> Context:
    step = Step(name="spelling", use="sources/spell")
    about = About(name="try", title="Try", protocol="none", language="cs", seed=1, citation="Nobody, 2026.")
    recipe = Recipe(recipe=about, score=Score(question="q", low=0.0, high=1.0), steps=(step,))
    return Context(recipe, step, tmp_path, tmp_path, np.random.default_rng(1), datetime(2026, 3, 1, tzinfo=UTC))


def service(server: Server, **options: Any) -> Korektor:
    return Korektor(server.url, pause=lambda _: None, **options)


def test_the_models_are_listed_by_get(server: Server) -> None:
    assert service(server).models() == [MODEL]
    assert server.asked == [("GET", "models", {})]


def test_a_text_comes_back_corrected(server: Server) -> None:
    made = service(server, model="czech-spellchecker")
    assert made.correct("Babyčka peče kolače.") == "Babička peče koláče."
    assert server.asked[0][:2] == ("POST", "correct")
    assert server.asked[0][2]["model"] == "czech-spellchecker"
    assert made.answered_by == MODEL


def test_each_text_gets_its_own_proposals_at_their_places(server: Server) -> None:
    texts = ["Babyčka peče.", "Pes spí.", "😀 Peče\nkolače."]
    assert list(service(server).proposals(texts)) == [
        [Proposal(0, "Babyčka", "Babička", 1), Proposal(0, "Babyčka", "Babočka", 2)],
        [],
        [Proposal(7, "kolače", "koláče", 1)],
    ]
    assert server.asked[0][2] == {
        "data": "Babyčka peče.\nPes spí.\n😀 Peče kolače.", "input": "untokenized_lines", "suggestions": "5",
    }  # fmt: skip


def test_many_texts_go_out_in_batches_with_progress(server: Server) -> None:
    told: list[tuple[int, int]] = []
    texts = ["Kůň a kun."] * (BATCH + 1)
    found = list(service(server).proposals(texts, most=1, progress=lambda done, total: told.append((done, total))))
    assert found == [[Proposal(6, "kun", "kůň")]] * (BATCH + 1)
    assert told == [(BATCH, BATCH + 1), (BATCH + 1, BATCH + 1)]


def test_what_may_pass_is_asked_again_and_what_will_not_is_told(server: Server) -> None:
    pauses: list[float] = []
    made = Korektor(server.url, pause=pauses.append)
    server.ready = [(503, b"busy")]
    assert made.correct("Pes.") == "Pes."
    assert pauses == [2.0]
    server.ready = [(400, b"no such model")]
    with pytest.raises(KostraError, match="answered 400: no such model") as caught:
        made.correct("Pes.")
    assert "hunspell" in str(caught.value)
    assert pauses == [2.0]


def test_a_service_that_is_not_there_is_one_clear_error(server: Server) -> None:
    gone = service(server)
    server.shutdown()
    server.server_close()
    with pytest.raises(KostraError, match="cannot be reached"):
        gone.correct("Pes.")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<html>", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no result"),
        (b'{"model": "m", "result": "text"}', "do not make up"),
        (b'{"model": "m", "result": [["Pes"], [" spal."]]}', "do not make up"),
        (b'{"model": "m", "result": [[], ["Pes."]]}', "do not make up"),
        (b'{"model": "m", "result": [["Pes.\\nPes", "x"], ["."]]}', "over the end of a sentence"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(server: Server, answer: bytes, said: str) -> None:
    server.ready = [(200, answer)]
    with pytest.raises(KostraError, match=said):
        list(service(server).proposals(["Pes.", "Pes."]))


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(KostraError, match="no address"):
        Korektor("file:///etc/passwd")


def test_names_and_numbers_are_passed_over_whoever_proposes(server: Server) -> None:
    found = KorektorChecker(service(server)).check(["Babyčka u Novotnich v B1 a kun."])
    assert [one.proposed for one in found.proposals[0]] == ["Babička", "kůň"]
    assert found.passed == {"name": 1, "number": 1}


def test_the_default_model_is_refused_for_another_language_than_czech() -> None:
    with pytest.raises(KostraError, match="default model is Czech"):
        korektor_checker("pl", url="http://localhost", model=None, most=1)


def test_the_step_asks_the_service_and_notes_its_model(server: Server, context: Context) -> None:
    rows = {"sentence": ["s1"], "text": ["Babyčka peče kolače."], "source": ["own"], "language": ["cs"]}
    inputs = Inputs({"sentences": check(pl.DataFrame(rows), SENTENCES)})
    options = spell.Options(checker="korektor", url=server.url, suggestions=2)
    assert spell.plan({"sentences": 1}, options, context).waits is None
    made = spell.run(inputs, options, context)["pairs"]
    assert made["pair"].to_list() == ["s1@0-7#1", "s1@0-7#2", "s1@13-19#1"]
    assert set(made["subset"]) == {"korektor"}
    assert any(MODEL in finding.message for finding in context.findings)


def test_a_file_is_checked_by_the_service(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Babyčka peče.\n\nPes spí.\n", encoding="utf-8")
    found = spell_file(path, language="cs", checker="korektor", url=server.url)
    assert found.frame.select("sentence", "word", "proposed").rows() == [("notes:1", "Babyčka", "Babička")]
    assert (found.sentences, found.words) == (2, 4)
