"""Keys of recipes and options of components, in words: what each accepts, its default, what it is for."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types as limits
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from docs.making.docstrings import attribute_docs, summary

_WORDS = {str: "text", int: "whole number", float: "number", bool: "true or false", Path: "path", dict: "table"}


def table(model: type[BaseModel], *, below: str = "###") -> str:
    """A model's keys as a Markdown table, followed by the tables of the models inside it."""
    inner = list(_inside(model, seen={model}))
    rest = [f"{below} `{one.__name__}`\n\n{summary(one.__doc__)}\n\n{_rows(one)}" for one in inner]
    return "\n\n".join([_rows(model), *rest])


def undescribed(model: type[BaseModel]) -> list[str]:
    """The keys of a model, and of models inside it, of which nothing says what they are for."""
    return [
        f"{one.__name__}.{name}"
        for one in (model, *_inside(model, seen={model}))
        for name, field in one.model_fields.items()
        if not _said(one, name, field)
    ]


def _rows(model: type[BaseModel]) -> str:
    if not model.model_fields:
        return "It has no options."
    lines = ["| key | accepts | default | what it is for |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        accepted = _with_limits(words_for(field.annotation), field.metadata)
        lines.append(f"| `{field.alias or name}` | {accepted} | {_default(field)} | {_said(model, name, field)} |")
    return "\n".join(lines)


def _said(model: type[BaseModel], name: str, field: FieldInfo) -> str:
    return cell(attribute_docs(model).get(name) or field.description or "")


def cell(text: str) -> str:
    """Text as it may stand in a table; what is code stays as it is.

    Examples
    --------
    >>> print(cell("a|b, <sent>, `c|d`"))
    a&#124;b, &lt;sent&gt;, `c|d`
    """
    parts = text.split("`")
    for place in range(0, len(parts), 2):
        parts[place] = parts[place].replace("|", "&#124;").replace("<", "&lt;").replace(">", "&gt;")
    return "`".join(parts)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**must be said**"
    value = field.default if field.default is not PydanticUndefined else field.get_default(call_default_factory=True)
    return shown(value)


def shown(value: object) -> str:
    """A default as one would write it in TOML."""
    if value is None or value in ("", (), [], {}):
        return "nothing"
    if isinstance(value, BaseModel):
        return "see below"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple | list):
        if any(isinstance(one, BaseModel) for one in value):
            return "see below"
        return "`[" + ", ".join(f'"{one}"' if isinstance(one, str) else str(one) for one in value) + "]`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def words_for(annotation: Any) -> str:
    """What an annotation accepts.

    Examples
    --------
    >>> words_for(tuple[int, ...]), words_for(Literal["a", "b"]), words_for(float | None)
    ('list of whole numbers', '`a` or `b`', 'number')
    """
    if isinstance(annotation, types.GenericAlias | type(Literal["a"])) or get_origin(annotation) is not None:
        return _of_generic(get_origin(annotation), get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"`{annotation.__name__}`"
    if getattr(annotation, "__value__", None) is not None:  # type Name = …
        return words_for(annotation.__value__)
    if getattr(annotation, "__name__", "") == "AwareDatetime":
        return "moment with its zone"
    return _WORDS.get(annotation, f"`{getattr(annotation, '__name__', annotation)}`")


def _of_generic(origin: Any, inner: tuple[Any, ...]) -> str:
    if origin is Literal:
        return " or ".join(f"`{one}`" for one in inner)
    if origin is Annotated:
        return _with_limits(words_for(inner[0]), list(_flat(inner[1:])))
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(words_for(one) for one in inner if one is not types.NoneType))
    if origin in (tuple, list, frozenset, set):
        if len(inner) == 2 and inner[1] is not Ellipsis:
            return f"two values: {words_for(inner[0])}, {words_for(inner[1])}"
        return f"list of {_many(words_for(inner[0]))}"
    if origin is dict:
        return f"table of {_many(words_for(inner[1]))}"
    return words_for(origin)


def _many(words: str) -> str:
    if words.startswith("list of"):
        return words.replace("list", "lists", 1)
    return {"text": "texts", "whole number": "whole numbers", "number": "numbers", "path": "paths"}.get(words, words)


def _flat(metadata: Any) -> Iterator[Any]:
    for one in metadata:
        yield from one.metadata if isinstance(one, FieldInfo) else [one]


def _with_limits(words: str, metadata: list[Any]) -> str:
    said = []
    for one in metadata:
        match one:
            case limits.Ge(ge=value):
                said.append(f"from {value}")
            case limits.Gt(gt=value):
                said.append(f"above {value}")
            case limits.Le(le=value):
                said.append(f"to {value}")
            case limits.Lt(lt=value):
                said.append(f"below {value}")
            case _:
                pass
    return f"{words} {' '.join(said)}" if said else words


def _inside(model: type[BaseModel], *, seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    for field in model.model_fields.values():
        for inner in _models(field.annotation):
            if inner not in seen:
                seen.add(inner)
                yield inner
                yield from _inside(inner, seen=seen)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
