"""Back to where people came from: Prolific's completion link, Mechanical Turk's form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote, urlsplit

from kostra.annotate.languages import Message
from kostra.annotate.rendering import CONTENT_SECURITY_POLICY
from kostra.annotate.store_people import Stranger
from kostra.campaign.admission import Prolific
from kostra.errors import KostraError

Outcome = Literal["finished", "stopped", "refused"]
PROLIFIC = "https://app.prolific.com"
AMAZON = ("https://www.mturk.com", "https://workersandbox.mturk.com")
"""Where an assignment may be handed in; nowhere else."""
FRAMED = "https://*.mturk.com https://mturk.com"
"""Who may show an entry page inside a page of theirs."""
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


def prolific_link(codes: Prolific, outcome: Outcome) -> str | None:
    """Where somebody returns to, by what became of them; None where the recipe has no code for it.

    Examples
    --------
    >>> prolific_link(Prolific(completion="C1A2"), "finished")
    'https://app.prolific.com/submissions/complete?cc=C1A2'
    >>> prolific_link(Prolific(completion="C1A2"), "refused") is None
    True
    """
    code = {"finished": codes.completion, "stopped": codes.screened_out, "refused": codes.no_consent}[outcome]
    return f"{PROLIFIC}/submissions/complete?cc={quote(code, safe='')}" if code else None


def submit_address(turk_submit_to: str) -> str:
    """Where an assignment is handed in; refused unless it is Amazon's.

    Examples
    --------
    >>> submit_address("https://workersandbox.mturk.com")
    'https://workersandbox.mturk.com/mturk/externalSubmit'
    >>> submit_address("https://www.mturk.com.example.org")
    Traceback (most recent call last):
    ...
    kostra.errors.KostraError: work is handed in at Amazon Mechanical Turk only
      accepted: https://www.mturk.com, https://workersandbox.mturk.com
    """
    parts = urlsplit(turk_submit_to)
    base = f"{parts.scheme}://{parts.netloc}"
    if base not in AMAZON or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise KostraError("work is handed in at Amazon Mechanical Turk only", accepted=", ".join(AMAZON))
    return f"{base}/mturk/externalSubmit"


def from_prolific(query: Mapping[str, str]) -> Stranger:
    """Whom Prolific sends, by the parameters of its link.

    Examples
    --------
    >>> from_prolific({"PROLIFIC_PID": "5f3a", "STUDY_ID": "s1", "SESSION_ID": "t1"}).visit
    {'STUDY_ID': 's1', 'SESSION_ID': 't1'}
    """
    visit = {name: _id(query, name) for name in ("STUDY_ID", "SESSION_ID")}
    return Stranger("prolific", _id(query, "PROLIFIC_PID"), visit)


def from_mturk(query: Mapping[str, str]) -> Stranger | None:
    """Whom Mechanical Turk sends, by the parameters of its frame; None for whoever only looks at the task.

    Examples
    --------
    >>> from_mturk({"assignmentId": PREVIEW}) is None
    True
    """
    if query.get("assignmentId", "") in ("", PREVIEW):
        return None
    submit_address(query.get("turkSubmitTo", ""))
    visit = {name: _id(query, name) for name in ("assignmentId", "hitId")} | {"turkSubmitTo": query["turkSubmitTo"]}
    return Stranger("mturk", _id(query, "workerId"), visit)


def _id(query: Mapping[str, str], name: str) -> str:
    value = query.get(name, "")
    if not _ID.fullmatch(value):
        raise KostraError(Message("the link lacks {name}: open the study from the site that sent you", name=name))
    return value


def policy(*, forms_to: str = "", framed_by: str = "") -> dict[str, str]:
    """The header of a page whose form goes to another site, or that another site shows inside its own.

    Examples
    --------
    >>> header = policy(forms_to="https://www.mturk.com")["Content-Security-Policy"]
    >>> "form-action 'self' https://www.mturk.com;" in header, "frame-ancestors 'none'" in header
    (True, True)
    """
    made = CONTENT_SECURITY_POLICY
    if forms_to:
        made = made.replace("form-action 'self'", f"form-action 'self' {forms_to}")
    if framed_by:
        made = made.replace("frame-ancestors 'none'", f"frame-ancestors {framed_by}")
    return {"Content-Security-Policy": made}
