"""Files that are too big for memory, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kostra.errors import KostraError
from kostra.files import shown


@contextlib.contextmanager
def replacing(path: str | Path, *, private: bool = False) -> Iterator[Path]:
    """A temporary file beside `path` to write to; it takes the place of `path` when the block ends well.

    Nobody but its owner may ever read one that is `private`.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/a.txt") as part:
    ...         _ = part.write_text("whole")
    ...     Path(folder, "a.txt").read_text(), len(os.listdir(folder))
    ('whole', 1)
    """
    target = Path(path)
    part: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
        os.close(handle)
        part = Path(name)
        yield part
        with part.open("rb") as stream:
            os.fsync(stream.fileno())
        if not private:
            mask = os.umask(0)
            os.umask(mask)
            part.chmod(0o666 & ~mask)
        part.replace(target)
        _flush_folder(target.parent)
    except FileNotFoundError:
        raise KostraError("the folder does not exist", where=shown(target.parent)) from None
    except OSError as error:
        raise KostraError(f"cannot be written: {error.strerror}; nothing was changed", where=shown(target)) from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """Make the new name durable too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
