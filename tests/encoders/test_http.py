"""An OpenAI-compatible endpoint, played by a local server in a thread."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kostra.encoders import embed, encoder, similarities_with_counts
from kostra.encoders.http import KEY, Endpoint
from kostra.encoders.store import Store
from kostra.errors import KostraError


class Server(ThreadingHTTPServer):
    """Answers with (length, 1) for each text, after the answers that a test laid ready."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ready: list[tuple[int, dict[str, str], Any]] = []
        self.seen: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append({"path": self.path, **body})
        self.server.headers.append(dict(self.headers))
        data = [{"index": n, "embedding": [len(text), 1]} for n, text in enumerate(body["input"])]
        status, headers = 200, dict[str, str]()
        answer: Any = {"data": data[::-1]}  # in any order: the index counts
        if self.server.ready:
            status, headers, answer = self.server.ready.pop(0)
        sent = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(sent))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv(KEY, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def endpoint(server: Server, pauses: list[float], **options: Any) -> Endpoint:
    return Endpoint(f"{server.url}/embeddings", model="m", pause=pauses.append, **options)


def test_sentences_go_out_in_batches_and_come_back_in_order(server: Server) -> None:
    vectors = embed(f"http:{server.url}?model=small&batch=2", ["a", "bbb", "cc"], cache=False)
    assert vectors.tolist() == [[1, 1], [3, 1], [2, 1]]
    assert [(one["path"], one["model"], len(one["input"])) for one in server.seen] == [
        ("/v1/embeddings", "small", 2),
        ("/v1/embeddings", "small", 1),
    ]


def test_a_url_alone_is_a_spec(server: Server) -> None:
    assert embed(f"{server.url}/embeddings?model=m", ["abc"], cache=False).tolist() == [[3, 1]]
    assert server.seen[0]["path"] == "/v1/embeddings"


def test_what_was_paid_for_once_is_kept(server: Server, cache_folder: Path) -> None:
    for _ in range(2):
        embed(f"http:{server.url}?model=m", ["a", "b"])
    assert len(server.seen) == 1
    assert Store(cache_folder).kept()[0].entries == 2


def test_the_key_comes_from_the_environment_and_is_in_no_name(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "secret")
    made = encoder(f"http:{server.url}?model=m")
    embed(made, ["a"], cache=False)
    assert server.headers[0]["Authorization"] == "Bearer secret"
    assert "secret" not in str(made.identity)  # type: ignore[union-attr]


def test_a_batch_is_as_large_as_the_spec_says(server: Server) -> None:
    embed(f"http:{server.url}?model=m&batch=50", [str(number) for number in range(60)], cache=False)
    assert [len(one["input"]) for one in server.seen] == [50, 10]


def test_the_query_of_a_url_is_sent_and_shows_nowhere(server: Server) -> None:
    made = encoder(f"http:{server.url}/embeddings?key=secret?model=m")
    embed(made, ["a"], cache=False)
    assert server.seen[0]["path"] == "/v1/embeddings?key=secret"
    assert "secret" not in str(made.identity)  # type: ignore[union-attr]
    server.ready = [(400, {}, {})]
    with pytest.raises(KostraError) as caught:
        embed(made, ["b"], cache=False)
    assert "secret" not in str(caught.value)


def test_a_blank_sentence_is_not_sent_and_has_the_zero_vector(server: Server) -> None:
    _, counted = similarities_with_counts(f"http:{server.url}?model=m", [("a", " ")], cache=False)
    assert counted["zero_vectors"] == counted["empty_sentences"] == 1
    assert [one["input"] for one in server.seen] == [["a"]]
    assert embed(f"http:{server.url}?model=m", [""], cache=False).tolist() == [[0, 0]]


def test_dimensions_are_asked_for_and_checked(server: Server) -> None:
    with pytest.raises(KostraError, match="a vector has 2 dimensions, where 5 were expected"):
        embed(f"http:{server.url}?model=m&dimensions=5", ["a"], cache=False)
    assert server.seen[0]["dimensions"] == 5


def test_a_busy_server_is_asked_again_after_growing_pauses(server: Server) -> None:
    pauses: list[float] = []
    server.ready = [(503, {}, {}), (429, {"Retry-After": "7"}, {}), (500, {}, b"oops")]
    assert endpoint(server, pauses).encode(["ab"]).tolist() == [[2, 1]]
    assert pauses == [1.0, 7.0, 4.0]


def test_patience_ends(server: Server) -> None:
    pauses: list[float] = []
    server.ready = [(503, {}, {"error": {"message": "loading"}})] * 3
    with pytest.raises(KostraError, match="answered 503: loading \\(after 3 attempts\\)"):
        endpoint(server, pauses, retries=2).encode(["ab"])
    assert pauses == [1.0, 2.0]


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (401, {"error": {"message": "no key"}}, f"the environment variable {KEY}"),
        (404, {"error": "no such model"}, "check the URL"),
        (400, {"error": {"message": "too long"}}, "the server answered 400: too long"),
        (200, {"data": []}, "1 sentences were sent and 0 vectors came back"),
        (200, {"nothing": 1}, "the answer holds no embeddings"),
        (200, {"data": [{"index": 0, "embedding": ["x"]}]}, "the answer holds no embeddings"),
        (200, [], "the answer holds no embeddings"),
        (200, b"<html>", "the answer is not JSON"),
    ],
)
def test_an_answer_that_helps_nobody_is_one_clear_error(server: Server, status: int, answer: Any, said: str) -> None:
    server.ready = [(status, {}, answer)]
    pauses: list[float] = []
    with pytest.raises(KostraError) as caught:
        endpoint(server, pauses).encode(["a"])
    assert said in str(caught.value)
    assert not pauses, "asking again would not help"


def test_a_redirection_is_not_followed_with_the_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "secret")
    server.ready = [(307, {"Location": f"{server.url}/elsewhere"}, {})]
    with pytest.raises(KostraError, match="the server answered 307"):
        endpoint(server, []).encode(["a"])
    assert len(server.seen) == 1


def test_a_server_out_of_reach_is_said() -> None:
    pauses: list[float] = []
    closed = Endpoint("http://127.0.0.1:9/embeddings", model="m", retries=1, pause=pauses.append)
    with pytest.raises(KostraError, match=r"cannot be reached: .*refused.* \(after 2 attempts\)"):
        closed.encode(["a"])
    assert pauses == [1.0]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("http:https://host/v1", "which model"),
        ("http:host/v1?model=m", "this is not a URL"),
        ("http:https://me:secret@host/v1?model=m", "a URL with a password"),
        ("https://host/v1?version=2", 'unknown option of http "version"'),
    ],
)
def test_a_wrong_address_is_refused_before_anything_is_sent(spec: str, said: str) -> None:
    with pytest.raises(KostraError) as caught:
        encoder(spec)
    assert said in str(caught.value)


def test_a_password_is_not_repeated_in_the_error() -> None:
    with pytest.raises(KostraError) as caught:
        encoder("http:https://me:secret@host/v1?model=m")
    assert "secret" not in str(caught.value)
