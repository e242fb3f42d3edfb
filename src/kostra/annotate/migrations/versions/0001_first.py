"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from kostra.annotate.migrations.making import keep, table
from kostra.annotate.migrations.making import moment as moment_type

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables, and the triggers that keep the log and the judgments as they were written."""
    moment = moment_type()
    text, whole, big, number = sa.Text, sa.Integer, sa.BigInteger, sa.Double
    campaign = ("campaign", text, "key")
    table("campaigns", campaign, ("seed", big), ("created_at", moment))
    table("revisions", campaign, ("revision", whole, "key"), ("at", moment), ("protocol", text), ("material", text),
           ("difference", text))  # fmt: skip
    table("items", campaign, ("item", text, "key"), ("version", whole, "key"), ("revision", whole, "key"),
           ("data", text, "empty"))  # fmt: skip
    table("events", campaign, ("seq", big, "key"), ("at", moment), ("kind", text), ("annotator", text, "empty"),
           ("key", text, "empty"), ("data", text), unique=("campaign", "annotator", "key"))  # fmt: skip
    table("judgments", campaign, ("seq", big, "key"), ("number", whole, "key"), ("item", text), ("version", whole),
           ("question", text), ("place", whole), ("annotator", text, "empty"), ("value", text, "empty"),
           ("given", text), ("status", text), ("phase", text), ("block", text), ("shown_at", moment, "empty"),
           ("answered_at", moment), ("seconds", number, "empty"), ("focused_seconds", number, "empty"),
           ("supersedes", big, "empty"), ("revision", whole), ("language", text, "empty"),
           ("notes", text, "empty"))  # fmt: skip
    some = sa.text("supersedes IS NOT NULL")
    op.create_index("judgments_supersedes", "judgments", ["campaign", "supersedes"],
                    sqlite_where=some, postgresql_where=some)  # fmt: skip
    table("annotators", campaign, ("annotator", text, "key"), ("role", text), ("kind", text), ("created_at", moment))
    table("invitations", ("hash", text, "key"), ("campaign", text), ("role", text), ("uses", text),
           ("annotator", text, "empty"), ("created_at", moment), ("expires_at", moment, "empty"),
           ("used_at", moment, "empty"), ("withdrawn", sa.Boolean()))  # fmt: skip
    table("sessions", ("hash", text, "key"), ("campaign", text), ("annotator", text), ("created_at", moment),
           ("expires_at", moment))  # fmt: skip
    op.create_index("sessions_annotator", "sessions", ["campaign", "annotator"])
    table("drafts", campaign, ("annotator", text, "key"), ("phase", text, "key"), ("item", text, "key"),
           ("at", moment), ("data", text))  # fmt: skip
    for kept in ("events", "judgments"):
        keep(kept)
