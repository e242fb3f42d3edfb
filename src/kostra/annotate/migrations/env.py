"""How Alembic runs a migration: on the connection it is given, inside the transaction that is already open there."""

from __future__ import annotations

from alembic import context

VERSION_TABLE = "kostra_schema"
"""A name of our own: another program in the same database may have its own `alembic_version`."""


def run() -> None:
    """Run the migrations that are wanted."""
    context.configure(
        connection=context.config.attributes["connection"],
        version_table=VERSION_TABLE,
        transactional_ddl=True,  # on SQLite too: whoever opens the store began the transaction
    )
    with context.begin_transaction():
        context.run_migrations()


if hasattr(context, "config"):  # which it has only while Alembic runs this file
    run()
