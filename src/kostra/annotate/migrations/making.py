"""How migrations make tables: in the same few words each time."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import SchemaItem

UNCHECKED = ("campaigns", "events", "judgments", "audit")
"""Tables whose `campaign` is not held against the list of campaigns."""


def is_postgres() -> bool:
    """Whether the store is in PostgreSQL."""
    return op.get_bind().dialect.name == "postgresql"


def moment() -> sa.types.TypeEngine[Any]:
    """The type of a time with its zone, as `kostra.annotate.store_tables.Moment` has it."""
    return sa.DateTime(timezone=True) if is_postgres() else sa.BigInteger()


def table(name: str, *columns: tuple[Any, ...], unique: tuple[str, ...] = ()) -> None:
    """A table from columns as (name, type) that must hold something, (…, "key") or (…, "empty")."""
    made: list[SchemaItem] = []
    for column, kind, *rest in columns:
        checked = column == "campaign" and name not in UNCHECKED
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


def keep(name: str) -> None:
    """Refuse to change or delete what a table holds."""
    if is_postgres():
        op.execute(
            f"CREATE FUNCTION {name}_are_kept() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{name} are only appended to'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {name}_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON {name} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {name}_are_kept()"
        )
        return
    for action in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {name}_no_{action.lower()} BEFORE {action} ON {name} "
            f"BEGIN SELECT RAISE(ABORT, '{name} are only appended to'); END"
        )
