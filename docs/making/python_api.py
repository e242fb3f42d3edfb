"""The reference of ``import kostra``, from the public names."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Callable, Iterator
from typing import Any

import kostra
from docs.making import docstrings
from docs.making.fields import cell


def page() -> str:
    """Every public name with its signature and docstring."""
    return "\n\n".join(
        [
            "# Python",
            "Everything the terminal does, a program can do: the same names, the same defaults, the same errors. Names "
            "are imported where they are first used, so `import kostra` stays fast.",
            *(_name(name) for name in sorted(kostra.__all__, key=str.lower) if name != "__version__"),
            "## `__version__` { #version }",
            "The version of the package, as text.",
        ]
    )


def undescribed() -> Iterator[str]:
    """Public names without a docstring."""
    yield from (name for name in kostra.__all__ if name != "__version__" and not getattr(kostra, name).__doc__)


def _name(name: str) -> str:
    found = getattr(kostra, name)
    parts = [
        f"## {name} {{ #{name} }}",
        f"```python\n{_signature(name, found)}\n```",
        docstrings.as_markdown(found.__doc__),
    ]
    given = _given(found)
    if given is not None:
        parts.append(_result(given))
    return "\n\n".join(parts)


def _signature(name: str, found: Callable[..., Any]) -> str:
    said = inspect.signature(found)
    lines: list[str] = []
    starred = False
    for one in said.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not starred:
            lines, starred = [*lines, "*"], True
        default = "" if one.default is one.empty else f" = {_default(one.default)}"
        lines.append(f"{one.name}: {one.annotation}{default}" if default else f"{one.name}: {one.annotation}")
    gives = "" if inspect.isclass(found) else f" -> {said.return_annotation}"
    short = f"kostra.{name}({', '.join(lines)}){gives}"
    return (
        short if len(short) <= 88 else f"kostra.{name}(\n" + "".join(f"    {line},\n" for line in lines) + f"){gives}"
    )


def _default(value: object) -> str:
    return value.__name__ if callable(value) and hasattr(value, "__name__") else repr(value)


def _given(found: Any) -> type | None:
    """The class of the result, where it is one of ours with fields."""
    said = getattr(found, "__annotations__", {}).get("return")
    if not isinstance(said, str):
        return None
    inner = said.removeprefix("list[").removesuffix("]")
    given = getattr(sys.modules[found.__module__], inner, None)
    return given if isinstance(given, type) and dataclasses.is_dataclass(given) else None


def _result(given: type) -> str:
    said = docstrings.attribute_docs(given)
    rows = [
        f"| `{one.name}` | `{one.type}` | {cell(said.get(one.name, ''))} |"
        for one in dataclasses.fields(typing.cast(Any, given))
    ]
    heading = f"It gives `{given.__name__}`: {docstrings.summary(given.__doc__)}"
    return "\n\n".join([heading, "\n".join(["| field | kind | what it is |", "|---|---|---|", *rows])])
