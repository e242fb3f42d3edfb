"""What the site says, found in its source: for the test that lists what is untranslated, and for new catalogues.

Three places are read. In templates, what is given to ``words``. In code, what is given to ``words`` or is a `Message`,
and refusals that people meet on a page. And words that come as data, such as the status of an answer: they stand in
tables of the code itself, from which `vocabulary` takes them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

from babel.messages.catalog import Catalog
from jinja2 import Environment, nodes

from kostra.annotate.languages import FOLDER, catalogue_in, known

SITE = FOLDER.parent
CAMPAIGN = SITE.parent / "campaign"
IN_ENGLISH = frozenset({"templates/api.html"})
"""Templates that are not translated: whoever writes scripts reads the documentation of the API in English."""
SPOKEN = ("Message", "Refused", "words")
REFUSALS = ("KostraError", "HTTPException")
REFUSED_IN = (
    "desk.py", "hall.py", "pages.py", "grouping.py", "store_people.py", "store_office.py", "entry/account.py",
    "entry/joining.py", "entry/leaving.py", "entry/platforms.py", "admin/acts.py", "admin/office.py", "admin/pages.py",
    "../campaign/running.py", "../campaign/supervising.py",
)  # fmt: skip
"""Modules whose refusals stand on pages."""


@dataclass(frozen=True)
class Said:
    """One message of the source."""

    text: str
    plural: str = ""
    """Of a message with a number: the form for many."""
    where: str = ""


@dataclass(frozen=True)
class Unclear:
    """A call whose words do not stand in it; they must be in `vocabulary`."""

    where: str
    words: str


def in_templates() -> tuple[list[Said], list[Unclear]]:
    """What templates say, and which of their calls take what they say from somewhere else."""
    said: list[Said] = []
    unclear: list[Unclear] = []
    for path in [*sorted((SITE / "templates").rglob("*.html")), *sorted((SITE / "tasks").glob("*.html"))]:
        name = path.relative_to(SITE).as_posix()
        if name in IN_ENGLISH:
            continue
        for call in Environment().parse(path.read_text(encoding="utf-8")).find_all(nodes.Call):
            where = f"{name}:{call.lineno}"
            texts = [one.value if isinstance(one, nodes.Const) else None for one in call.args[:2]]
            if isinstance(call.node, nodes.Name) and call.node.name == "words":
                if isinstance(texts[0], str):
                    said.append(Said(texts[0], where=where))
                else:
                    unclear.append(Unclear(where, _spelt(call.args[0])))
            elif isinstance(call.node, nodes.Getattr) and call.node.attr == "plural":
                one, many = texts
                if isinstance(one, str) and isinstance(many, str):
                    said.append(Said(one, many, where))
                else:
                    unclear.append(Unclear(where, "plural"))
    return said, unclear


def _spelt(node: nodes.Node) -> str:
    """An expression of a template, as far as names and dots go."""
    match node:
        case nodes.Name(name=name):
            return str(name)
        case nodes.Getattr(node=inner, attr=attr):
            return f"{_spelt(inner)}.{attr}"
        case nodes.Getitem(node=inner):
            return f"{_spelt(inner)}[]"
        case nodes.Filter(node=inner, name=name) if inner is not None:
            return f"{_spelt(inner)}|{name}"
        case nodes.Call(node=inner):
            return f"{_spelt(inner)}()"
        case _:
            return type(node).__name__


def in_code() -> list[Said]:
    """What modules of the site say."""
    found: list[Said] = []
    for path in sorted(SITE.rglob("*.py")):
        name = path.relative_to(SITE).as_posix()
        if not name.startswith(("languages/", "migrations/")):
            found += _in_module(path, name, SPOKEN)
    for name in REFUSED_IN:
        found += _in_module((SITE / name).resolve(), name.removeprefix("../"), REFUSALS)
    return found


def _in_module(path: Path, name: str, callees: tuple[str, ...]) -> Iterator[Said]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        where = f"{name}:{node.lineno}"
        if called == "plural" and "words" in callees and len(texts) == 2:
            yield Said(texts[0], texts[1], where)
        elif called in callees and len(texts) == 1 and texts[0] != "":
            yield Said(texts[0], where=where)


def vocabulary() -> list[Said]:
    """Words that templates say of data: each table that they come from, whole."""
    # Here, since all of these modules say something themselves.
    from kostra.annotate import grouping
    from kostra.annotate.admin import ledger, office
    from kostra.annotate.entry.gates import Gate
    from kostra.annotate.rendering import SCRIPT_WORDS
    from kostra.campaign.protocol import TASKS, Purpose, Role

    tables: dict[str, tuple[str, ...]] = {
        "script": tuple(SCRIPT_WORDS.values()),
        "tab": tuple(name for _, name in (*office.TABS, office.NAMES_TAB)),
        "done": (*office.DONE.values(), *grouping.SAYS.values()),
        "status": (*ledger.STATUSES, *ledger.GIVEN),
        "event": ledger.TOLD,
        "act": ACTS,
        "gate": tuple(gate.capitalize() for gate in get_args(Gate)),
        "role": get_args(Role),
        "purpose": get_args(Purpose),
        "task": tuple(task.replace("_", " ") for task in TASKS),
        "kind": ("person", "simulated", "model"),
        "stop": ("qualification", "gold", "consent", "excluded"),
        "decision": ("reject", "mend in place", "mend and ask again"),
        "uses": ("personal", "once", "shared"),
    }
    return [Said(text, where=name) for name, texts in tables.items() for text in texts]


ACTS = (
    "data exported", "downloaded", "erased", "excluded", "invitation withdrawn", "invited", "names grouped", "sent",
    "token made", "token withdrawn", "withdrawn",
)  # fmt: skip
"""What the audit log records besides events; a test compares this with the calls of `record`."""


@cache
def messages() -> Mapping[str, Said]:
    """All that is to be translated, by its English text, in the order in which it is found."""
    found: dict[str, Said] = {}
    for said in (*in_templates()[0], *in_code(), *vocabulary()):
        before = found.get(said.text)
        if before is None or (said.plural and not before.plural):
            found[said.text] = said
    return found


def untranslated(language: str, folder: Path = FOLDER) -> list[Said]:
    """Messages that a catalogue lacks, or has only as a guess (`fuzzy`)."""
    catalogue = catalogue_in(folder / f"{language}.po")
    return [said for said in messages().values() if not _has(catalogue, said)]


def _has(catalogue: Catalog, said: Said) -> bool:
    found = catalogue.get(said.text)
    if found is None or found.fuzzy:
        return False
    if said.plural:
        return (
            isinstance(found.string, tuple | list) and len(found.string) == catalogue.num_plurals and all(found.string)
        )
    return isinstance(found.string, str) and bool(found.string)


def idle(language: str, folder: Path = FOLDER) -> list[str]:
    """Messages of a catalogue that the site says no more."""
    wanted = messages()
    ids = (
        one.id if isinstance(one.id, str) else one.id[0] for one in catalogue_in(folder / f"{language}.po") if one.id
    )
    return [text for text in ids if text not in wanted]


def template(language: str) -> Catalog:
    """A catalogue of everything, for a translator: with what is translated already, and room for what is not."""
    old = catalogue_in(FOLDER / f"{language}.po") if language in known() and language != "en" else None
    made = Catalog(locale=language, project="kostra", charset="utf-8", fuzzy=False)
    for said in messages().values():
        found = old.get(said.text) if old is not None else None
        text = found.string if found is not None else ""
        made.add((said.text, said.plural) if said.plural else said.text, text, auto_comments=[said.where])
    return made
