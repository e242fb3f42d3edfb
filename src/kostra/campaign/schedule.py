"""What a policy of ``campaign/policies`` sees, and what it must do: choose who sees what next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class View:
    """What a policy sees when it chooses the next item for one annotator."""

    open: NDArray[np.bool_]
    """Items that this annotator may be shown now."""
    covered: NDArray[np.int64]
    """Per item, accepted answers and running leases."""
    order: NDArray[np.int64]
    """All items in this annotator's own random order."""


class Policy(Protocol):
    """A module of ``campaign/policies``."""

    def choose(self, view: View) -> int:
        """The number of an open item; there is at least one."""
