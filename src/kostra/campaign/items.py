"""What one screen asks about: an item, with all that the screen shows, and the known answers to some.

An item is made once from the tables that the campaign reads (`kostra.campaign.material`), kept by the store in every
version, and handed to the task that draws the screen. Its content is plain JSON:

``pair``
    ``text_a``, ``text_b``; where there are any, ``sentence_a``, ``sentence_b`` (ids), ``context_a``, ``context_b`` (the
    key sentence inside ``<sent></sent>``) and ``change`` (what the second sentence was made by).
``tuple``
    ``members``: a list of ``{"item": id, "text": …}`` or ``{"item": id, "text_a": …, "text_b": …}``.
``candidates`` (the pick task)
    ``text`` (the sentence S), ``documents``: a list of ``{"document": id, "title": …, "sentences": [{"item": id,
    "text": …}]}``.
``sentence``
    ``text``; where there is any, ``change``.
``image``
    ``image`` (a path inside the project), ``title``.
``check``
    ``prompt`` and ``choices``: a question of a comprehension check.
``text``
    ``title`` and ``text``: instructions or a consent to read.
``suggestion``
    ``sentence``, ``before``, ``after``, ``pair`` (its item), ``text_a``, ``text_b``: what a judge proposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["pair", "tuple", "candidates", "sentence", "image", "check", "text", "suggestion"]


@dataclass(frozen=True)
class Item:
    """One item in one version."""

    item: str
    kind: Kind
    content: Mapping[str, Any]
    version: int = 1
    group: str | None = None
    """What is dealt together where the phase deals whole groups: the incident."""
    reverse: str | None = None
    """The pair with the sentences swapped."""
    sentences: tuple[str, ...] = ()
    """Ids of the sentences that stand in it: a correction of one reaches every item that has it."""
    known: Mapping[str, str] = field(default_factory=dict)
    """Question → the right answer, for checks, qualification and gold."""
