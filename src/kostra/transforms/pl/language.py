"""Polish: its rules in the order of the CDSC paper, and what it asks of trees before and after them."""

from __future__ import annotations

from kostra.transforms.pl.agreement import disagreement
from kostra.transforms.pl.finishing import finish
from kostra.transforms.pl.mending import mend_parse
from kostra.transforms.pl.mixing_dependents import is_movable as can_give
from kostra.transforms.shared import RULES

__all__ = ["RULES", "can_give", "disagreement", "finish", "mend_parse"]
