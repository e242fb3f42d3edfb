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

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kostra.acting import ask_model as ask_model
    from kostra.acting import simulate as simulate
    from kostra.bridging import export as export
    from kostra.bridging import import_answers as import_answers
    from kostra.caching import cache as cache
    from kostra.catalogue import components as components
    from kostra.conversion import convert as convert
    from kostra.doctor import doctor as doctor
    from kostra.errors import KostraError as KostraError
    from kostra.evaluation import compare as compare
    from kostra.evaluation import evaluate as evaluate
    from kostra.evaluation import leaderboard as leaderboard
    from kostra.participants import erase as erase
    from kostra.participants import invitations as invitations
    from kostra.participants import invite_list as invite_list
    from kostra.participants import pay as pay
    from kostra.participants import person as person
    from kostra.participants import questionnaire as questionnaire
    from kostra.participants import withdraw_invitation as withdraw_invitation
    from kostra.picturing import picture as picture
    from kostra.pipeline import build as build
    from kostra.pipeline import check as check
    from kostra.pipeline import demo as demo
    from kostra.pipeline import status as status
    from kostra.plans import plan as plan
    from kostra.projects import new as new
    from kostra.projects import recipes as recipes
    from kostra.releasing import release as release
    from kostra.reliability.agreement import agree as agree
    from kostra.reliability.bws import bws as bws
    from kostra.reliability.rounds import rounds as rounds
    from kostra.reproduction import reproduce as reproduce
    from kostra.sampling.strategies import pairs as pairs
    from kostra.sampling.strategies import strategies as strategies
    from kostra.sampling.tuples import tuples as tuples
    from kostra.single import run as run
    from kostra.site import backup as backup
    from kostra.site import collect as collect
    from kostra.site import invite as invite
    from kostra.site import prepare as prepare
    from kostra.site import preview as preview
    from kostra.site import restore as restore
    from kostra.site import serve as serve
    from kostra.sources.datasets import datasets as datasets
    from kostra.sources.datasets import load_dataset as load_dataset
    from kostra.spelling import spell as spell
    from kostra.transforming import explain as explain
    from kostra.transforming import transform as transform
    from kostra.upkeep import token as token
    from kostra.upkeep import tokens as tokens
    from kostra.upkeep import upgrade as upgrade
    from kostra.upkeep import withdraw_token as withdraw_token

__version__ = "0.1.0"

_PUBLIC = {
    "agree": "kostra.reliability.agreement",
    "ask_model": "kostra.acting",
    "backup": "kostra.site",
    "build": "kostra.pipeline",
    "bws": "kostra.reliability.bws",
    "cache": "kostra.caching",
    "check": "kostra.pipeline",
    "collect": "kostra.site",
    "compare": "kostra.evaluation",
    "components": "kostra.catalogue",
    "convert": "kostra.conversion",
    "datasets": "kostra.sources.datasets",
    "demo": "kostra.pipeline",
    "doctor": "kostra.doctor",
    "erase": "kostra.participants",
    "evaluate": "kostra.evaluation",
    "explain": "kostra.transforming",
    "export": "kostra.bridging",
    "import_answers": "kostra.bridging",
    "invitations": "kostra.participants",
    "invite": "kostra.site",
    "invite_list": "kostra.participants",
    "KostraError": "kostra.errors",
    "leaderboard": "kostra.evaluation",
    "load_dataset": "kostra.sources.datasets",
    "new": "kostra.projects",
    "pairs": "kostra.sampling.strategies",
    "pay": "kostra.participants",
    "person": "kostra.participants",
    "picture": "kostra.picturing",
    "plan": "kostra.plans",
    "prepare": "kostra.site",
    "preview": "kostra.site",
    "questionnaire": "kostra.participants",
    "recipes": "kostra.projects",
    "release": "kostra.releasing",
    "reproduce": "kostra.reproduction",
    "restore": "kostra.site",
    "rounds": "kostra.reliability.rounds",
    "run": "kostra.single",
    "serve": "kostra.site",
    "simulate": "kostra.acting",
    "spell": "kostra.spelling",
    "status": "kostra.pipeline",
    "strategies": "kostra.sampling.strategies",
    "token": "kostra.upkeep",
    "tokens": "kostra.upkeep",
    "transform": "kostra.transforming",
    "tuples": "kostra.sampling.tuples",
    "upgrade": "kostra.upkeep",
    "withdraw_invitation": "kostra.participants",
    "withdraw_token": "kostra.upkeep",
}

__all__ = [*_PUBLIC, "__version__"]  # noqa: PLE0604 - the names are those of the table


class _Package(ModuleType):
    """The package itself: a room called like a command (kostra.evaluate) must not hide the function."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _PUBLIC and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'kostra' has no attribute {name!r}")
    found = getattr(import_module(_PUBLIC[name]), name)
    # A module of the same name (kostra.conversion) binds itself on the package when it is imported: the function wins.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
