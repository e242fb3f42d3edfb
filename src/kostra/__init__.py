"""kostra: build, annotate and evaluate datasets of sentence meaning.

Every command of the terminal is one function here, with the same name, defaults and errors::

    import kostra

    made = kostra.tuples("items.txt", seed=1)
    scored = kostra.bws("answers.csv")
    kostra.new("bws", "my-dataset")
    kostra.build("my-dataset", simulate=True)

Names are imported where they are first used, so that ``import kostra`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kostra.catalogue import components as components
    from kostra.conversion import convert as convert
    from kostra.errors import KostraError as KostraError
    from kostra.pipeline import build as build
    from kostra.pipeline import check as check
    from kostra.pipeline import demo as demo
    from kostra.pipeline import status as status
    from kostra.plans import plan as plan
    from kostra.projects import new as new
    from kostra.projects import recipes as recipes
    from kostra.reliability.agreement import agree as agree
    from kostra.reliability.bws import bws as bws
    from kostra.reliability.rounds import rounds as rounds
    from kostra.sampling.strategies import pairs as pairs
    from kostra.sampling.strategies import strategies as strategies
    from kostra.sampling.tuples import tuples as tuples
    from kostra.single import run as run
    from kostra.sources.datasets import datasets as datasets
    from kostra.sources.datasets import load_dataset as load_dataset

__version__ = "0.1.0"

_PUBLIC = {
    "KostraError": "kostra.errors",
    "agree": "kostra.reliability.agreement",
    "build": "kostra.pipeline",
    "bws": "kostra.reliability.bws",
    "check": "kostra.pipeline",
    "components": "kostra.catalogue",
    "convert": "kostra.conversion",
    "datasets": "kostra.sources.datasets",
    "demo": "kostra.pipeline",
    "load_dataset": "kostra.sources.datasets",
    "new": "kostra.projects",
    "pairs": "kostra.sampling.strategies",
    "plan": "kostra.plans",
    "recipes": "kostra.projects",
    "rounds": "kostra.reliability.rounds",
    "run": "kostra.single",
    "strategies": "kostra.sampling.strategies",
    "status": "kostra.pipeline",
    "tuples": "kostra.sampling.tuples",
}

__all__ = [*_PUBLIC, "__version__"]  # noqa: PLE0604 - the names are those of the table


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'kostra' has no attribute {name!r}")
    found = getattr(import_module(_PUBLIC[name]), name)
    # A module of the same name (kostra.conversion) binds itself on the package when it is imported: the function wins.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
