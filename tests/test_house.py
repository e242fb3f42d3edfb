"""The order of the house, and what must stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kostra
from kostra import registry

SOURCE = Path(kostra.__file__).parent
GROUND = (
    "errors", "text", "correlate", "resample", "files", "figures", "findings", "schemas", "tables", "trees", "ratings",
    "registry", "recipe", "steps",
)  # fmt: skip
"""Modules that everybody may use, in the order in which they may use each other."""
SEE_ALL = (
    "__init__", "projects", "catalogue", "conversion", "pipeline", "plans", "single", "console", "cli", "commands",
    "acting", "bridging", "caching", "doctor", "evaluation", "participants", "picturing", "releasing", "reproduction",
    "manifests", "standing", "site", "spelling", "transforming", "upkeep",
)  # fmt: skip
"""Modules at the top of the house, which see every room."""


def kostra_imports(path: Path) -> set[str]:
    """The parts of kostra that a module imports, as room or ground names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inside if node.module == "kostra" else {node.module}
    return {name.split(".")[1] for name in found if name.startswith("kostra.")}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_what_stands_before_it(path: Path) -> None:
    parts = path.relative_to(SOURCE).parts
    place = parts[0].removesuffix(".py")
    if place in SEE_ALL:
        return
    order = [*GROUND, *registry.ROOMS]
    assert place in order, f"{place} has no place in the house: add it to GROUND or to registry.ROOMS"
    allowed = {*order[: order.index(place)], "__version__"}
    if place in registry.ROOMS:
        allowed.add(place)
    strangers = kostra_imports(path) - allowed
    assert not strangers, f"{place} stands before {', '.join(sorted(strangers))} and must not import it"


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_kostra_and_asking_for_help_load_no_heavy_library() -> None:
    code = (
        "import sys, kostra, kostra.cli\n"
        "from typer.testing import CliRunner\n"
        "assert CliRunner().invoke(kostra.cli.app, ['--help']).exit_code == 0\n"
        "heavy = {'polars', 'scipy', 'numpy', 'pydantic', 'matplotlib', 'torch', 'pandas', 'spacy', 'wordllama'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert run_python(code).strip() == "[]"


def test_help_costs_less_than_the_promised_time() -> None:
    # The promise is 0.3 s of CPU. The least of three runs is what the code costs; the rest is the machine's mood.
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-m', 'kostra.cli', '--help'], check=True, stdout=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime)"
    )
    assert min(float(run_python(code)) for _ in range(3)) < 0.3


def test_the_core_needs_neither_torch_nor_pandas_nor_spacy() -> None:
    code = (
        "import sys\n"
        "from kostra import cli, console, pipeline, catalogue\n"
        "catalogue.components()\n"
        "print(sorted({'torch', 'pandas', 'spacy', 'sklearn'} & set(sys.modules)))"
    )
    assert run_python(code).strip() == "[]"


def test_every_public_name_is_there_and_documented() -> None:
    for name in kostra.__all__:
        value = getattr(kostra, name)
        assert name == "__version__" or value.__doc__, f"kostra.{name} has no docstring"


def test_every_command_is_one_public_function() -> None:
    from kostra.cli import app

    commands = {command.callback.__name__ for command in app.registered_commands if command.callback}
    assert commands <= set(kostra.__all__)


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = kostra.no_such_name
