"""One account's money: what ingest charges it, what jobs post, and what its pots hold."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import text

from common.values.clock import to_ms
from common.values.enums import EventKind
from control.api.context import ControlContext
from control.billing.ledger.entries import LedgerAccount, LedgerEntry
from control.billing.ledger.post import Posted, balances_of, post
from control.billing.ledger.spend import list_waiting, post_charges
from tests.control.events.ingest.world import Edge, World
from tests.support.builders import KEY_RING

Job = Callable[[ControlContext], Coroutine[Any, Any, None]]


@dataclass
class Money(World):
    """Everything under ids of its own, so that tests share a database."""

    async def post(self, entry: LedgerEntry) -> Posted:
        async with self.database.service() as session:
            return await post(session, self.account_id, entry, self.clock.now())

    async def balances(self) -> dict[LedgerAccount, int]:
        async with self.database.service() as session:
            found = await balances_of(session, self.account_id)
        return {pot: micros for pot, micros in found.items() if micros}

    async def set_share(self, percent: int) -> None:
        await self.run(
            "update properties set payout = jsonb_build_object('payee', 'Ana', 'share_percent', "
            "cast(:percent as integer)) where id = :id",
            percent=percent,
            id=self.property_id,
        )

    async def charge(
        self, campaign_id: str, *prices: int, kind: EventKind = EventKind.IMPRESSION, **changes: Any
    ) -> None:
        """One event of each price through ingest."""
        edge = Edge(self)
        await self.ingest(
            [edge.event(campaign_id, price_micros=price, kind=kind, **changes) for price in prices]
        )

    async def post_spend(self) -> int:
        """This account's charges into the ledger; how many they were."""
        taken = 0
        async with self.database.service() as session:
            waiting = dict(await list_waiting(session))
        if self.account_id in waiting:
            async with self.database.service() as session:
                taken = await post_charges(
                    session, self.account_id, waiting[self.account_id], self.clock.now()
                )
        return taken

    async def run(self, statement: str, **values: Any) -> None:
        async with self.database.service() as session:
            await session.execute(text(statement), values)


def a_reference() -> str:
    return uuid4().hex


def set_time(money: Money, *when: int) -> None:
    at = datetime(*when, tzinfo=UTC)  # type: ignore[misc,arg-type]  # year, month, day, hour as they come
    money.clock.advance(ms=to_ms(at) - money.clock.now_ms())


async def invoices(money: Money) -> list[Any]:
    return await money.rows(
        "select * from invoices where account_id = :id order by month", id=money.account_id
    )


async def lines(money: Money, invoice_id: str) -> list[tuple[Any, ...]]:
    rows = await money.rows(
        "select kind, unit, units, micros from invoice_lines where invoice_id = :id order by position",
        id=invoice_id,
    )
    return [tuple(row) for row in rows]


async def state(money: Money) -> tuple[str, str | None]:
    (row,) = await money.rows(
        "select state, state_reason from accounts where id = :id", id=money.account_id
    )
    return row[0], row[1]


async def spend(money: Money, micros: int) -> str:
    campaign = await money.add_campaign()
    await money.charge(campaign, micros)
    await money.post_spend()
    return campaign


__all__ = [
    "KEY_RING",
    "Job",
    "Money",
    "a_reference",
    "invoices",
    "lines",
    "set_time",
    "spend",
    "state",
]
