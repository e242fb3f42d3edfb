"""An encoder of one's own, by its place in Python: ``python:module:object``."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kostra.encoders.adapters import as_encoder
from kostra.encoders.protocol import Encoder
from kostra.encoders.specs import needs_argument
from kostra.errors import KostraError, unknown

ARGUMENT = "MODULE:OBJECT"
"""What must follow the colon."""


def make(argument: str | None, *, revision: str | None = None) -> Encoder:
    """Make the encoder; the argument is ``module:object``, the module also from the current folder.

    Parameters
    ----------
    argument
        The object has ``encode(sentences)`` or ``predict(pairs)``, or is a function of a list of sentences, or a class
        that makes such an object without arguments.
    revision
        A name for its present state: with it the cache may keep what it gives.
    """
    said = needs_argument("python", argument, what=ARGUMENT)
    where = f"python:{said}"
    module_name, colon, path = said.partition(":")
    if not colon or not module_name or not path:
        raise KostraError("this does not name an object in a module", where=where, accepted="python:MODULE:OBJECT")
    found: Any = _imported(module_name, where=where)
    for part in path.split("."):
        if not hasattr(found, part):
            public = [name for name in dir(found) if not name.startswith("_")]
            raise unknown(f"object of {module_name}", part, public, where=where)
        found = getattr(found, part)
    if isinstance(found, type):
        try:
            found = found()
        except TypeError as error:
            remedy = "name an object instead of the class, or give the class defaults"
            raise KostraError(
                f"the class cannot be called without arguments: {error}", where=where, remedy=remedy
            ) from error
    return as_encoder(found, name=where, revision=revision)


def _imported(name: str, *, where: str) -> Any:
    with _current_folder_first():
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise KostraError(f'the module needs "{error.name}", which is not installed', where=where) from error
            raise KostraError(
                f'there is no module "{name}"',
                where=where,
                remedy="run kostra in the folder where it lies, or install it",
            ) from None
        except Exception as error:  # the module is the user's: whatever it raises is theirs to mend
            raise KostraError(f"the module cannot be imported: {type(error).__name__}: {error}", where=where) from error


@contextmanager
def _current_folder_first() -> Iterator[None]:
    """Look for modules in the current folder too, as ``python -m`` does and an installed command does not."""
    here = str(Path.cwd())
    if here in sys.path:
        yield
        return
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
