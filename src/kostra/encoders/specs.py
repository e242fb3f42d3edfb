"""From the name of an encoder, as a recipe or a command line has it, to the encoder."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints
from urllib.parse import quote, unquote

from kostra import registry
from kostra.encoders.protocol import Encoder
from kostra.errors import KostraError, unknown


@dataclass(frozen=True)
class Spec:
    """The parts of an encoder's name."""

    name: str
    argument: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


def parse(spec: str) -> Spec:
    """Split ``NAME:ARGUMENT?option=value&…``; the last ``?`` begins the options, and ``%26`` in a value is ``&``.

    Examples
    --------
    >>> parse("hf:org/model?pooling=cls&layer=-2")
    Spec(name='hf', argument='org/model', options={'pooling': 'cls', 'layer': '-2'})
    >>> parse("https://host/v1?model=small").argument
    'https://host/v1'
    """
    rest, mark, query = spec.rpartition("?") if "?" in spec else (spec, "", "")
    if rest.startswith(("http://", "https://")):  # a URL alone says that it is one
        name, argument = "http", rest
    else:
        name, _, argument = rest.partition(":")
    options: dict[str, str] = {}
    for part in query.split("&") if mark and query else []:
        key, equals, value = part.partition("=")
        if not equals or key in options:
            raise KostraError(
                f'the option "{key}" is given twice' if key in options else f'the option "{part}" has no value',
                where=spec,
                accepted="NAME:ARGUMENT?option=value&option=value",
                remedy=None if equals else "a ? inside the argument itself needs one more ? at the end",
            )
        options[key] = unquote(value)
    return Spec(name.strip(), argument or None, options)


def encoder(spec: str) -> Encoder:
    """Make an encoder from its name, such as ``dice``, ``static`` or ``sbert:NAME?normalize=true``.

    An unknown name or option lists what exists and suggests the nearest.

    Examples
    --------
    >>> from kostra.encoders import similarities
    >>> similarities(encoder("dice"), [("a b", "b a"), ("a b", "c d")])
    array([1., 0.])
    >>> encoder("hashed?dimension=32")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: hashed?dimension=32: unknown option of hashed "dimension"
      accepted: dimensions
      try: did you mean "dimensions"?
    """
    parsed = parse(spec)
    module = registry.load("encoders", parsed.name, where=None if parsed.name == spec else spec)
    make = getattr(module, "make", None)
    if make is None:  # a helper beside the encoders
        raise unknown("component of encoders", parsed.name, registry.names("encoders"))
    return cast(Encoder, make(parsed.argument, **_checked(parsed, make, where=spec)))


def _checked(spec: Spec, make: Any, *, where: str) -> dict[str, Any]:
    """The options as ``make`` declares them: its keyword-only parameters, converted to their annotations."""
    if not spec.options:
        return {}
    known = [name for name, one in inspect.signature(make).parameters.items() if one.kind is one.KEYWORD_ONLY]
    kinds = get_type_hints(make, include_extras=True)
    found = {}
    for name, text in spec.options.items():
        if name not in known:
            raise unknown(f"option of {spec.name}", name, known, where=where)
        found[name] = _converted(text, kinds[name], option=name, where=where)
    return found


def _converted(text: str, kind: Any, *, option: str, where: str) -> Any:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_python(text)
    except ValidationError as error:
        accepted = (
            ", ".join(get_args(kind))
            if get_origin(kind) is Literal
            else error.errors()[0]["msg"].removeprefix("Input should be ")
        )
        raise KostraError(f'the option "{option}" cannot be "{text}"', where=where, accepted=accepted) from None


def named(name: str, argument: str | None = None, **options: object) -> str:
    """The spec of an encoder with these options; those that are None are left out.

    Examples
    --------
    >>> named("hf", "tiny", pooling="cls", layer=None, normalize=True)
    'hf:tiny?pooling=cls&normalize=true'
    """
    whole = name if argument is None else f"{name}:{argument}"
    said = [f"{key}={_said(value)}" for key, value in options.items() if value is not None]
    return f"{whole}?{'&'.join(said)}" if said else whole


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else quote(str(value), safe="/:, ")


def in_project(spec: str, project: Path) -> str:
    """The spec with its file or folder found in the project, where it lies there; else as it is.

    Examples
    --------
    >>> in_project("sbert:all-MiniLM-L6-v2", Path("nowhere"))
    'sbert:all-MiniLM-L6-v2'
    """
    place = place_in(project, spec)
    if place is None:
        return spec
    parsed = parse(spec)
    return named(parsed.name, str(place), **parsed.options)


def place_in(project: Path, spec: str) -> Path | None:
    """The file or folder that a spec's argument names in a project, if there is one."""
    argument = parse(spec).argument
    place = project / argument if argument else None
    return place if place is not None and place.exists() else None


def takes_no_argument(name: str, argument: str | None) -> None:
    """Refuse what follows the colon where nothing is expected.

    Examples
    --------
    >>> takes_no_argument("dice", "words")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: dice:words: the encoder dice takes no argument
      try: dice
    """
    if argument is not None:
        raise KostraError(f"the encoder {name} takes no argument", where=f"{name}:{argument}", remedy=name)


def needs_argument(name: str, argument: str | None, *, what: str) -> str:
    """What follows the colon, where something must.

    Examples
    --------
    >>> needs_argument("sbert", None, what="NAME or FOLDER")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: sbert: this encoder needs an argument
      accepted: sbert:NAME or FOLDER
    """
    if argument is None:
        raise KostraError("this encoder needs an argument", where=name, accepted=f"{name}:{what}")
    return argument
