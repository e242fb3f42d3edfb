"""The first tables."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import SchemaItem

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables, and the triggers that keep the log and the judgments as they were written."""
    postgres = op.get_bind().dialect.name == "postgresql"
    moment = sa.DateTime(timezone=True) if postgres else sa.BigInteger()
    text, whole, big, number = sa.Text, sa.Integer, sa.BigInteger, sa.Double
    campaign = ("campaign", text, "key")
    _table("campaigns", campaign, ("seed", big), ("created_at", moment))
    _table("revisions", campaign, ("revision", whole, "key"), ("at", moment), ("protocol", text), ("material", text),
           ("difference", text))  # fmt: skip
    _table("items", campaign, ("item", text, "key"), ("version", whole, "key"), ("revision", whole, "key"),
           ("data", text, "empty"))  # fmt: skip
    _table("events", campaign, ("seq", big, "key"), ("at", moment), ("kind", text), ("annotator", text, "empty"),
           ("key", text, "empty"), ("data", text), unique=("campaign", "annotator", "key"))  # fmt: skip
    _table("judgments", campaign, ("seq", big, "key"), ("number", whole, "key"), ("item", text), ("version", whole),
           ("question", text), ("place", whole), ("annotator", text, "empty"), ("value", text, "empty"),
           ("given", text), ("status", text), ("phase", text), ("block", text), ("shown_at", moment, "empty"),
           ("answered_at", moment), ("seconds", number, "empty"), ("focused_seconds", number, "empty"),
           ("supersedes", big, "empty"), ("revision", whole), ("language", text, "empty"),
           ("notes", text, "empty"))  # fmt: skip
    some = sa.text("supersedes IS NOT NULL")
    op.create_index("judgments_supersedes", "judgments", ["campaign", "supersedes"],
                    sqlite_where=some, postgresql_where=some)  # fmt: skip
    _table("annotators", campaign, ("annotator", text, "key"), ("role", text), ("kind", text), ("created_at", moment))
    _table("invitations", ("hash", text, "key"), ("campaign", text), ("role", text), ("uses", text),
           ("annotator", text, "empty"), ("created_at", moment), ("expires_at", moment, "empty"),
           ("used_at", moment, "empty"), ("withdrawn", sa.Boolean()))  # fmt: skip
    _table("sessions", ("hash", text, "key"), ("campaign", text), ("annotator", text), ("created_at", moment),
           ("expires_at", moment))  # fmt: skip
    op.create_index("sessions_annotator", "sessions", ["campaign", "annotator"])
    _table("drafts", campaign, ("annotator", text, "key"), ("phase", text, "key"), ("item", text, "key"),
           ("at", moment), ("data", text))  # fmt: skip
    for table in ("events", "judgments"):
        _keep(table, postgres=postgres)


def _table(name: str, *columns: tuple[Any, ...], unique: tuple[str, ...] = ()) -> None:
    """A table from columns as (name, type) that must hold something, (…, "key") or (…, "empty")."""
    made: list[SchemaItem] = []
    for column, kind, *rest in columns:
        checked = column == "campaign" and name not in ("campaigns", "events", "judgments")
        belongs = [sa.ForeignKey("campaigns.campaign")] if checked else []
        made.append(
            sa.Column(
                str(column), kind, *belongs,
                primary_key=rest == ["key"], nullable=rest == ["empty"], autoincrement=False,
            )
        )  # fmt: skip
    if unique:
        made.append(sa.UniqueConstraint(*unique, name=f"{name}_{unique[-1]}"))
    op.create_table(name, *made)


def _keep(table: str, *, postgres: bool) -> None:
    """Refuse to change or delete what a table holds."""
    if postgres:
        op.execute(
            f"CREATE FUNCTION {table}_are_kept() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{table} are only appended to'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_are_kept()"
        )
        return
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} are only appended to'); END"
        )
