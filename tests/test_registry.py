from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from kostra import registry, tables
from kostra.encoders import PairEncoder, SentenceEncoder, encoder
from kostra.errors import KostraError
from kostra.recipe import Strict
from kostra.steps import component

STEP_ROOMS = [room for room in registry.ROOMS if registry.CONTRACT[room] == "run"]
STEPS = [f"{room}/{name}" for room in STEP_ROOMS for name in registry.names(room)]


@pytest.mark.parametrize("use", STEPS)
def test_a_step_component_keeps_its_contract(use: str) -> None:
    module = component(use)
    assert module.__doc__, "a component says in its first line what it does"
    assert issubclass(module.Options, Strict)
    for kinds in (*module.READS, *module.WRITES):
        assert set(kinds.split("|")) <= set(tables.SCHEMAS)
    for function in (module.plan, module.run):
        assert list(inspect.signature(function).parameters) == ["inputs", "options", "context"]


# The others need a file, a model or an address, and are tried in tests/encoders.
BY_NAME = [name for name in registry.names("encoders") if not hasattr(registry.load("encoders", name), "ARGUMENT")]


@pytest.mark.parametrize("name", BY_NAME)
def test_an_encoder_keeps_its_contract(name: str) -> None:
    made = encoder(name)
    assert isinstance(made, SentenceEncoder | PairEncoder)
    pairs = [("A cat sat on the mat.", "The mat was under a cat."), ("", ""), ("Žluťoučký kůň", "Řeka")]
    if isinstance(made, PairEncoder):
        assert made.predict(pairs).shape == (3,)
        assert made.predict([]).shape == (0,)
    else:
        vectors = made.encode([first for first, _ in pairs])
        assert vectors.shape[0] == 3
        assert (vectors == made.encode([first for first, _ in pairs])).all(), "the same text gives the same vector"
        assert made.encode([]).shape[0] == 0


@pytest.mark.parametrize("name", registry.names("sources/released"))
def test_a_reader_of_a_release_refuses_a_missing_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(KostraError, match="no such file"):
        registry.load("sources/released", name).read(tmp_path / "absent.tsv")


def test_an_unknown_name_lists_what_exists_and_suggests_the_nearest() -> None:
    with pytest.raises(KostraError) as caught:
        registry.load("sampling", "tuple")
    assert 'did you mean "tuples"?' in str(caught.value)
    assert {"overlap", "paraphrases", "tuples"} <= set((caught.value.accepted or "").split(", "))


def test_a_helper_beside_components_is_not_listed() -> None:
    assert "design" not in registry.names("sampling")
    with pytest.raises(KostraError, match='"sampling/design" is not a step component: it has no Options'):
        component("sampling/design")


def test_a_plug_in_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "site"
    package.mkdir()
    (package / "my_encoder.py").write_text(
        '"""Always one."""\nimport numpy as np\n\n'
        "class One:\n    def predict(self, pairs):\n        return np.ones(len(pairs))\n\n"
        "def make(argument):\n    return One()\n"
    )
    info = package / "my_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kostra.encoders]\nmine = my_encoder\nbroken = no_such_module\n")
    monkeypatch.syspath_prepend(str(package))
    registry._plugged_in.cache_clear()
    try:
        assert "mine" in registry.names("encoders")
        made = encoder("mine")
        assert isinstance(made, PairEncoder)
        assert made.predict([("a", "b")]).tolist() == [1.0]
        with pytest.raises(KostraError, match='plug-in "broken" of encoders cannot be imported'):
            encoder("broken")
    finally:
        monkeypatch.undo()
        registry._plugged_in.cache_clear()
