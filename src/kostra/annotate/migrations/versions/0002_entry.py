"""How people come in and what they are told; what is known of them, apart from their answers; who did what."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from kostra.annotate.migrations.making import keep, table
from kostra.annotate.migrations.making import moment as moment_type

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add to invitations, and make the tables of the door, of the office and of what is personal."""
    moment, text, whole, big, truth = moment_type(), sa.Text, sa.Integer, sa.BigInteger, sa.Boolean
    op.add_column("invitations", sa.Column("quota", whole(), nullable=True))
    op.add_column("invitations", sa.Column("used", whole(), nullable=False, server_default="0"))
    op.add_column("invitations", sa.Column("source", text(), nullable=False, server_default="link"))
    op.execute("UPDATE invitations SET used = 1 WHERE used_at IS NOT NULL")

    campaign, annotator = ("campaign", text, "key"), ("annotator", text, "key")
    table("counters", ("name", text, "key"), ("value", big))
    table("audit", ("number", big, "key"), ("at", moment), ("campaign", text, "empty"), ("actor", text),
          ("act", text), ("data", text))  # fmt: skip
    keep("audit")
    table("messages", campaign, ("message", whole, "key"), ("at", moment), ("annotator", text, "empty"),
          ("actor", text), ("text", text))  # fmt: skip
    table("read_messages", campaign, ("message", whole, "key"), annotator, ("at", moment))
    table("api_tokens", ("hash", text, "key"), ("name", text), ("role", text), ("campaign", text, "empty"),
          ("actor", text), ("created_at", moment), ("expires_at", moment, "empty"), ("used_at", moment, "empty"),
          ("withdrawn", truth))  # fmt: skip
    table("accounts", campaign, annotator, ("name", text), ("password", text), ("at", moment), unique=("name",))
    table("contacts", campaign, annotator, ("name", text, "empty"), ("mail", text, "empty"), ("source", text),
          ("external", text, "empty"), ("visit", text, "empty"), ("at", moment),
          unique=("campaign", "source", "external"))  # fmt: skip
    table("consents", campaign, annotator, ("version", text, "key"), ("at", moment, "key"), ("given", truth))
    table("replies", campaign, annotator, ("question", text, "key"), ("value", text), ("at", moment))
    table("aliases", campaign, annotator, ("alias", text), ("at", moment), unique=("campaign", "alias"))
