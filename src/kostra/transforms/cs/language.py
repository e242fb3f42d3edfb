"""Czech: its rules in the order of the CDSC paper, and what it asks of trees before and after them.

All seven rules make sense in Czech. What Czech has not: an object stays in the accusative under negation (the genitive
is archaic), no preposition stands before an agent, and a participle that stands with a verb is no relative clause.
"""

from __future__ import annotations

from kostra.transforms.cs.agreement import disagreement
from kostra.transforms.cs.finishing import finish
from kostra.transforms.cs.mending import mend_parse
from kostra.transforms.cs.mixing_dependents import can_give, places
from kostra.transforms.shared import RULES

__all__ = ["LONGEST", "REREADS", "RULES", "can_give", "disagreement", "finish", "mend_parse", "places"]

REREADS = True
"""Parsers at hand hang every fifth word elsewhere: only what they read alike in every spelling is built on."""

LONGEST = 30
"""Words beyond which hardly a sentence is parsed without a fault."""
