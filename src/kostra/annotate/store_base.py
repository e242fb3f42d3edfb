"""What the parts of a store share: connections, the campaign's lock, and counters."""

from __future__ import annotations

from contextlib import AbstractContextManager

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from kostra.annotate.store_tables import CAMPAIGNS, COUNTERS
from kostra.errors import unknown


class Connected:
    """A store, as far as its parts must know it."""

    where: str

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        raise NotImplementedError

    def connected(self) -> AbstractContextManager[sa.Connection]:
        """A connection."""
        raise NotImplementedError

    def writing(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that writes."""
        raise NotImplementedError

    def _lock_campaign(self, connection: sa.Connection, campaign: str) -> None:
        """Make others who change the campaign's people or material wait; refuse a campaign that is not there."""
        query = sa.select(CAMPAIGNS.c.campaign).where(CAMPAIGNS.c.campaign == campaign).with_for_update()
        if connection.scalar(query) is None:
            raise unknown("campaign", campaign, connection.scalars(sa.select(CAMPAIGNS.c.campaign)), where=self.where)

    def insertion(self, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
        """An insertion that can say what to do where the row is there already."""
        return postgresql.insert(table) if self.dialect == "postgresql" else sqlite.insert(table)

    def _counted(self, connection: sa.Connection, name: str) -> int:
        """Count one further, and make others who count the same wait until this transaction ends."""
        row = self.insertion(COUNTERS).values(name=name, value=1)
        more = row.on_conflict_do_update(index_elements=["name"], set_={"value": COUNTERS.c.value + 1})
        found = connection.scalar(more.returning(COUNTERS.c.value))
        assert found is not None
        return int(found)
