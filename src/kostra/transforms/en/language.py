"""English: its rules in the order of the CDSC paper, and what it asks of trees before and after them."""

from __future__ import annotations

from kostra.transforms.en.agreement import disagreement
from kostra.transforms.en.finishing import finish
from kostra.transforms.en.mending import mend_parse
from kostra.transforms.en.mixing_dependents import can_give, places
from kostra.transforms.shared import RULES

__all__ = ["LONGEST", "REREADS", "RULES", "can_give", "disagreement", "finish", "mend_parse", "places"]

REREADS = True
"""Parsers at hand hang every fifth word elsewhere: only what they read alike in every spelling is built on."""

LONGEST = 30
"""Words beyond which hardly a sentence is parsed without a fault."""
