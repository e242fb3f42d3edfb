"""What a step leaves on disk: its folder with a manifest, laid down as a whole, and what it publishes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kostra import files
from kostra.errors import KostraError
from kostra.recipe import Step
from kostra.steps import component

MANIFEST = "manifest.json"

_PARTS = {
    "kostra": "the version of kostra",
    "use": "its component",
    "code": "kostra's code",
    "options": "its options",
    "name": "its name",
    "seed": "the seed",
    "language": "the language",
    "score": "the declared score",
    "inputs": "what it reads",
    "simulation": "who answers",
    "files": "the files it reads",
    "recipe": "the recipe",
    "history": "a step before it",
}
"""What a step's result depends on, in words; more than one may change at once."""


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a step's folder, or None where the step was not built."""
    try:
        found: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def write_manifest(manifest: Mapping[str, Any], folder: Path) -> None:
    """Write a step's manifest beside its tables."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    files.write_text(text, folder / MANIFEST)


def outputs(folder: Path) -> dict[str, str]:
    """The files of a step's folder, with their hashes."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): files.sha256(path) for path in found}


def intact(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether the files of a step are as they were when it was built."""
    return all(
        (folder / name).is_file() and files.sha256(folder / name) == digest
        for name, digest in manifest["outputs"].items()
    )


def fingerprint(parts: Mapping[str, Any]) -> dict[str, str]:
    """A short hash of each thing that a step's result depends on."""
    return {name: hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest() for name, part in parts.items()}


def differences(manifest: Mapping[str, Any], now: Mapping[str, str]) -> list[str]:
    """What is otherwise than when a step was built, in words.

    Examples
    --------
    >>> differences({"fingerprint": {"seed": "a", "code": "b"}}, {"seed": "c", "code": "b"})
    ['the seed']
    """
    then = manifest["fingerprint"]
    if not isinstance(then, dict):  # of a version that hashed all of it as one
        return [_PARTS["kostra"]]
    return [words for name, words in _PARTS.items() if then.get(name) != now.get(name)]


@cache
def code_of(use: str) -> str:
    """A hash of a component's code: its whole room, helpers and templates included, or a plug-in's own file."""
    file = Path(str(getattr(component(use), "__file__", "")))
    room = Path(__file__).parent / use.partition("/")[0]
    if not file.is_relative_to(room):
        return files.sha256(file)
    texts = [path for path in room.rglob("*") if path.suffix in (".py", ".html", ".jinja", ".css")]
    return hashlib.sha256("".join(files.sha256(path) for path in sorted(texts)).encode()).hexdigest()


def lay_down(step: Step, staging: Path, *, project: Path) -> None:
    """Put a finished step's folder in the place of the last one, and what it publishes into the project's folder."""
    final = staging.with_name(step.name)
    old = staging.with_name(f".{step.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.replace(old)
    staging.replace(final)
    shutil.rmtree(old, ignore_errors=True)
    for name in publishes(step):
        _publish(final / name, project / name)


def publishes(step: Step) -> tuple[str, ...]:
    """What a step lays into the project's folder: files and folders, or nothing."""
    names: str | tuple[str, ...] = getattr(component(step.use), "PUBLISHES", ())
    return (names,) if isinstance(names, str) else names


def _publish(made: Path, place: Path) -> None:
    """Copy what a step publishes into the project's folder, replacing what an earlier build laid there."""
    if not made.is_dir():
        files.write_bytes(made.read_bytes(), place)
        return
    partial = place.with_name(f".{place.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    files.copy_folder(made, partial, named=place)
    shutil.rmtree(place, ignore_errors=True)
    partial.replace(place)


@contextlib.contextmanager
def only_one_build(folder: Path) -> Iterator[None]:
    """Hold a lock while a build runs, so that two of them do not write the same steps."""
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR)
    except OSError as error:
        raise KostraError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise KostraError(
                "another build is running in this project", where=str(folder), remedy="wait for it to end"
            ) from None
        yield
    finally:
        os.close(handle)
