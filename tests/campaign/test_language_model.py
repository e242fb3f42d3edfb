from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from kostra.annotate.tasks import check_answers
from kostra.campaign.items import Item
from kostra.campaign.language_model import LanguageModel, ask, prompt
from kostra.campaign.places import Answer
from kostra.campaign.protocol import Phase, Question
from kostra.errors import KostraError

PAIR = Item("p", "pair", {"text_a": "A cat sleeps.", "text_b": "A dog runs."})
RATING = Phase(
    name="main",
    task="rating",
    questions=(
        Question(name="similarity", prompt="How close?", low=0, high=2, labels=("far", "near", "same")),
        Question(name="follows", prompt="Does A follow from B?", labels=("yes", "no")),
    ),
)
TUPLE = Item("t", "tuple", {"members": [{"item": one, "text": f"Text {one}."} for one in ("m1", "m2", "m3")]})
BEST_WORST = Phase(name="main", task="best_worst", questions=(Question(name="best"), Question(name="worst")))
REWRITE = Phase(
    name="main",
    task="rewrite",
    questions=(
        Question(name="past", impossible=True),
        Question(name="ideas", at_most=2),
        Question(name="other", differs_from=("past",)),
    ),
)
SENTENCE = Item("s", "sentence", {"text": "It rains."})
TINY = LanguageModel("http://localhost:1/v1", "tiny", tries=3)


class Server(ThreadingHTTPServer):
    """An OpenAI-compatible address that says what it is told to."""

    said: list[Any]
    asked: list[dict[str, Any]]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.said, self.asked = [], []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.asked.append({"path": self.path, **json.loads(self.rfile.read(length))})
        said = self.server.said.pop(0)
        failed = isinstance(said, int)
        body = json.dumps({} if failed else {"choices": [{"message": {"role": "assistant", "content": said}}]}).encode()
        self.send_response(said if failed else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as found:
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def post(url: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
    sent = urllib.request.Request(url, json.dumps(request).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(sent, timeout=10) as found:
        answer: Mapping[str, Any] = json.loads(found.read())
        return answer


def says(*said: str) -> Any:
    waiting = list(said)
    return lambda url, request: {"choices": [{"message": {"content": waiting.pop(0)}}]}  # noqa: ARG005


def test_a_model_behind_an_address_answers_a_screen(server: Server) -> None:
    server.said = ['{"similarity": 1, "follows": "no"}']
    model = LanguageModel(server.url, "tiny", extra={"seed": 7})
    assert ask(model, PAIR, RATING, post=post) == {"similarity": [Answer("1")], "follows": [Answer("no")]}
    (request,) = server.asked
    assert request["path"] == "/v1/chat/completions"
    assert (request["model"], request["temperature"], request["seed"]) == ("tiny", 0.0, 7)
    shown = request["messages"][-1]["content"]
    for part in ("A: A cat sleeps.", "B: A dog runs.", "How close?", "0 = far, 1 = near, 2 = same", '"yes", "no"'):
        assert part in shown


def test_an_invalid_answer_is_sent_back_with_what_is_wrong(server: Server) -> None:
    server.said = ['{"similarity": 9, "follows": "no"}', '```json\n{"similarity": 2, "follows": "yes"}\n```']
    found = ask(LanguageModel(server.url, "tiny"), PAIR, RATING, post=post)
    assert found["similarity"] == [Answer("2")]
    assert 'That is not valid: "similarity" cannot be 9' in server.asked[1]["messages"][-1]["content"]


def test_an_address_that_fails_is_asked_again_after_a_wait_that_doubles(server: Server) -> None:
    server.said = [503, 503, '{"similarity": 0, "follows": "no"}']
    waited: list[float] = []
    ask(LanguageModel(server.url, "tiny", seconds=0.5), PAIR, RATING, post=post, wait=waited.append)
    assert waited == [0.5, 1.0]


def test_a_model_that_never_answers_validly_is_given_up_on() -> None:
    with pytest.raises(KostraError, match='gave no valid answer to "p" in 3 tries: it is not a JSON object') as caught:
        ask(TINY, PAIR, RATING, post=says("I think", "they are", "alike"))
    assert caught.value.where == "http://localhost:1/v1/chat/completions"


def test_an_address_that_is_not_there_is_one_clear_error() -> None:
    def refused(url: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        raise ConnectionRefusedError("connection refused")

    with pytest.raises(KostraError, match="the address does not answer: connection refused"):
        ask(TINY, PAIR, RATING, post=refused)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ('{"similarity": "1", "follows": "no"}', '"similarity" cannot be "1"'),
        ('{"similarity": true, "follows": "no"}', '"similarity" cannot be true'),
        ('{"similarity": 0.5, "follows": "no"}', '"similarity" cannot be 0.5'),
        ('{"similarity": NaN, "follows": "no"}', "not a JSON object"),
        ('{"similarity": 1, "follows": "No"}', '"follows" cannot be "No"'),
        ('{"similarity": 1}', '"follows" has no answer'),
        ('{"similarity": [1], "follows": "no"}', '"similarity" takes one answer'),
        ('{"similarity": 1, "follows": "no", "why": "x"}', '"why" was not asked'),
        ('[{"similarity": 1}]', "not a JSON object"),
        ('{"similarity": 1, "follows": "no"} Hope this helps!', "not a JSON object"),
    ],
)
def test_what_is_not_exactly_an_answer_is_refused(said: str, complaint: str) -> None:
    with pytest.raises(KostraError) as caught:
        ask(TINY, PAIR, RATING, post=says(said, said, said))
    assert complaint in caught.value.what


def test_best_and_worst_are_members_and_differ() -> None:
    valid = '{"best": "m1", "worst": "m3"}'
    assert ask(TINY, TUPLE, BEST_WORST, post=says('{"best": "m1", "worst": "m1"}', valid))["worst"] == [Answer("m3")]
    with pytest.raises(KostraError, match='"best" cannot be "m9"'):
        ask(TINY, TUPLE, BEST_WORST, post=says(*['{"best": "m9", "worst": "m1"}'] * 3))


def test_rewrites_may_be_impossible_or_several_and_differ_where_they_must() -> None:
    said = '{"past": "IMPOSSIBLE", "ideas": ["It pours.", "Rain!"], "other": "It  rained."}'
    assert ask(TINY, SENTENCE, REWRITE, post=says(said)) == {
        "past": [Answer(None, "impossible")],
        "ideas": [Answer("It pours."), Answer("Rain!")],
        "other": [Answer("It rained.")],
    }
    same = '{"past": "It rained.", "ideas": ["a"], "other": "It rained."}'
    with pytest.raises(KostraError, match='"other" must differ from "past"'):
        ask(TINY, SENTENCE, REWRITE, post=says(same, same, same))


def test_the_sites_own_check_has_the_last_word() -> None:
    phase = Phase(name="main", task="rewrite", questions=(Question(name="past"),))

    def check(given: Mapping[str, Any], item: Item, asked: Phase) -> Mapping[str, str]:
        return {name: str(message) for name, message in check_answers(given, item, asked).errors.items()}

    found = ask(TINY, SENTENCE, phase, post=says('{"past": "It rains."}', '{"past": "It rained."}'), check=check)
    assert found == {"past": [Answer("It rained.")]}


def test_texts_are_left_to_people_and_checks_are_answered() -> None:
    text = Item("text-main-0", "text", {"title": "Welcome", "text": "Read this."})
    assert ask(TINY, text, RATING, post=says()) == {"read": [Answer("yes")]}
    check = Item("check-main-1-0", "check", {"prompt": "Is 5 high?", "choices": ["yes", "no"]})
    assert ask(TINY, check, RATING, post=says('{"check": "yes"}')) == {"check": [Answer("yes")]}


def test_an_image_is_not_sent() -> None:
    image = Item("park.jpg", "image", {"image": "park.jpg"})
    with pytest.raises(KostraError, match="is an image"):
        prompt(image, Phase(name="d", task="describe", questions=(Question(name="description"),)))


def test_candidates_and_contexts_are_shown_whole() -> None:
    documents = [{"document": "d1", "title": "Fire", "sentences": [{"item": "r1", "text": "It burns."}]}]
    picked = Item("s", "candidates", {"text": "A fire.", "documents": documents})
    phase = Phase(
        name="pick", task="pick", questions=(Question(name="a"), Question(name="b", about="a", low=0, high=6))
    )
    shown = prompt(picked, phase)[1]["content"]
    assert "S: A fire." in shown
    assert "Fire\nr1: It burns." in shown
    assert 'This is about the answer to "a".' in shown
    assert ask(TINY, picked, phase, post=says('{"a": "r1", "b": 6}'))["a"] == [Answer("r1")]


def test_a_model_is_known_by_its_name() -> None:
    assert LanguageModel("http://localhost/v1/", "Org/Big Model-7B").name == "model-org-big-model-7b"
