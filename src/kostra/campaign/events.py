"""What happens in a campaign, as a log: the only thing that a store must keep for a campaign to go on after a crash.

`kostra.campaign.running.Running` decides what happens (commands give events) and learns from it (`apply`). It never
reads a clock or a random source while it applies, so that any number of processes that apply the same log are in the
same state.

======================  ==========================================================================================
kind                    data
======================  ==========================================================================================
``joined``              ``role``, ``kind`` (person, simulated, model)
``dealt``               ``phase``, ``block``, ``lot``: a sequence or group of items is this annotator's now
``listed``              ``phase``, ``block``, ``items``: what a repeat block repeats for this annotator
``shown``               ``phase``, ``block``, ``item``, ``version``, ``until``: the item is leased
``answered``            ``phase``, ``block``, ``item``, ``version``, ``answers`` (question → list of [value, status]),
                        ``status``, ``key``, ``shown_at``, ``seconds``, ``focused``, ``language``, ``supersedes``
                        (seq of the event it replaces, or null), ``right`` and
                        ``right_share`` (gold and checks), ``notes``
``reopened``            ``phase``, ``item``: the last answer is given again
``put_back``            ``phase``, ``item``: the annotator skipped it or left; the lease ends
``passed``/``failed``   ``phase``, ``block``, ``attempt``: a qualification
``finished``            ``phase``: the annotator is through with it
``stopped``             ``reason``: the annotator's answers are discarded and their items freed; where an admin did it,
                        ``by`` and ``note``
``readmitted``          undo of a stop; where an admin did it, ``by`` and ``note``
``left``                the annotator goes; leases and undone lots are freed
``made``                ``phase``, ``item``, ``members``: an adaptive tuple
``corrected``           ``sentence``, ``before``, ``after``, ``item``, ``error_type``, ``ask_again``
``suggested``           ``suggestion``, ``phase``, ``item``, ``sentence``, ``before``, ``after``
``decided``             ``suggestion``, ``decision``
``revised``             ``revision``: from here on the campaign follows that revision of the recipe
``problem``             ``item``, ``text``: the annotator reports something
``paused``/``resumed``  ``note``, ``by``: nobody is shown anything new until the campaign goes on
``freed``               ``note``, ``by``; of an annotator: nothing is kept for them any more; of nobody: ``phase`` and
                        ``item``, which is kept for nobody any more
``reassigned``          ``phase``, ``block``, ``item``, ``lot``, ``taken_from``, ``until``, ``note``, ``by``: an item,
                        or the lot in which it stands, is this annotator's next
``extended``            ``phase``, ``until``, ``note``, ``by``: its deadline from now on
======================  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

EventKind = Literal[
    "joined",
    "dealt",
    "listed",
    "shown",
    "answered",
    "reopened",
    "put_back",
    "passed",
    "failed",
    "finished",
    "stopped",
    "readmitted",
    "left",
    "made",
    "corrected",
    "suggested",
    "decided",
    "revised",
    "problem",
    "paused",
    "resumed",
    "freed",
    "reassigned",
    "extended",
]


@dataclass(frozen=True)
class Event:
    """One entry of a campaign's log. The store numbers entries; a decided event has no number yet."""

    kind: EventKind
    at: datetime
    annotator: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    seq: int = 0
