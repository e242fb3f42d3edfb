from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kostra import registry
from kostra.encoders import as_encoder, encoder, identity_of
from kostra.encoders.specs import parse
from kostra.errors import KostraError

SIMPLE = [name for name in registry.names("encoders") if not hasattr(registry.load("encoders", name), "ARGUMENT")]
OTHERS = sorted(set(registry.names("encoders")) - set(SIMPLE))


@pytest.mark.parametrize("name", SIMPLE)
def test_an_encoder_without_argument_says_who_it_is_and_refuses_one(name: str) -> None:
    assert identity_of(encoder(name)).name == name
    assert identity_of(encoder(name)).revision
    with pytest.raises(KostraError, match="takes no argument"):
        encoder(f"{name}:something")


@pytest.mark.parametrize("name", OTHERS)
def test_an_encoder_that_needs_an_argument_says_which(name: str) -> None:
    with pytest.raises(KostraError, match="needs an argument") as caught:
        encoder(name)
    assert (caught.value.accepted or "").startswith(f"{name}:")


def test_the_last_question_mark_begins_the_options() -> None:
    assert parse("http:https://host/e?version=1?model=m").argument == "https://host/e?version=1"
    assert parse("vectors:odd?name.txt?").argument == "odd?name.txt"


def test_values_are_unquoted_once() -> None:
    options = parse("sbert:m?prompt=a%26b%3F c+d").options
    assert options == {"prompt": "a&b? c+d"}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("dise", 'did you mean "dice"'),
        ("specs", 'unknown component of encoders "specs"'),  # a helper beside the encoders
        ("dice?words=x", 'unknown option of dice "words"'),
        ("hashed?dimensions=0", "greater than or equal to 1"),
        ("hashed?dimensions=many", 'cannot be "many"'),
        ("hashed?dimensions", 'the option "dimensions" has no value'),
        ("hashed?dimensions=2&dimensions=3", 'the option "dimensions" is given twice'),
        ("indel?distance=indle", "accepted: indel, levenshtein"),
    ],
)
def test_a_wrong_spec_gets_one_clear_error(spec: str, said: str) -> None:
    with pytest.raises(KostraError) as caught:
        encoder(spec)
    assert said in str(caught.value)


class Lengths:
    def encode(self, sentences: list[str], batch_size: int = 4, show_progress_bar: bool = True) -> list[list[int]]:
        assert not show_progress_bar
        assert len(sentences) <= batch_size
        return [[len(text), 1] for text in sentences]


class Same:
    def predict(self, pairs: list[tuple[str, str]]) -> list[bool]:
        return [first == second for first, second in pairs]


def test_objects_of_the_two_protocols_and_functions_are_taken_as_they_are() -> None:
    from kostra.encoders import embed, similarities

    texts = [f"{'x' * number}" for number in range(1, 40)]
    assert embed(as_encoder(Lengths()), texts, batch_size=8)[:, 0].tolist() == list(range(1, 40))
    assert similarities(as_encoder(Same()), [("a", "a"), ("a", "b")]).tolist() == [1.0, 0.0]
    assert similarities(as_encoder(lambda texts: np.eye(len(texts))), [("a", "b"), ("a", "a")]).tolist() == [0.0, 1.0]


def test_what_is_no_encoder_is_refused() -> None:
    with pytest.raises(KostraError, match="a int is no encoder"):
        as_encoder(3)


def test_a_live_object_has_no_revision_unless_it_is_given_one() -> None:
    assert identity_of(as_encoder(Lengths())).revision is None
    assert identity_of(as_encoder(Lengths(), name="lengths", revision="3")).key


MINE = """
import numpy as np

class Ones:
    def __init__(self, width=2):
        self.width = width
    def encode(self, sentences):
        return np.ones((len(sentences), self.width))

class Needy:
    def __init__(self, width):
        pass

def embed(sentences):
    return np.ones((len(sentences), 3))

class Box:
    three = Ones(3)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_for_kostra.py").write_text(MINE)
    (tmp_path / "broken_for_kostra.py").write_text("1 / 0\n")
    (tmp_path / "needy_for_kostra.py").write_text("import no_such_library\n")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(("place", "width"), [("Ones", 2), ("embed", 3), ("Box.three", 3)])
def test_an_encoder_of_ones_own_is_found_in_the_current_folder(place: str, width: int) -> None:
    from kostra.encoders import embed

    assert embed(encoder(f"python:mine_for_kostra:{place}"), ["a"]).shape == (1, width)


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("python:mine_for_kostra", "accepted: python:MODULE:OBJECT"),
        ("python:mine_for_kostra:Onse", 'did you mean "Ones"'),
        ("python:mine_for_kostra:Needy", "cannot be called without arguments"),
        ("python:mine_for_kostra:np", "a module is no encoder"),
        ("python:absent_for_kostra:x", 'there is no module "absent_for_kostra"'),
        ("python:broken_for_kostra:x", "ZeroDivisionError"),
        ("python:needy_for_kostra:x", 'the module needs "no_such_library"'),
    ],
)
def test_what_cannot_be_taken_from_a_module_is_said(spec: str, said: str) -> None:
    with pytest.raises(KostraError) as caught:
        encoder(spec)
    assert said in str(caught.value)
