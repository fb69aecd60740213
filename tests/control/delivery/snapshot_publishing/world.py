"""A small world in the database, and the ways a test changes it."""

from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.snapshot.digest import state_digest
from common.snapshot.messages import ObjectChange
from common.snapshot.model import ObjectType
from common.values.environment import Environment
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.outbox.outbox_reader import delta_of
from control.outbox.state import digest_of, get_head
from control.storage.database import Database
from control.storage.tables.accounts import AccountRow, UserRow
from control.storage.tables.base import Row
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.outbox import OutboxRow
from control.storage.tables.properties import KeyRow, PropertyRow, SlotRow
from tests.control.delivery.snapshot_publishing.rows import (
    NOW,
    a_campaign_row,
    a_key_row,
    a_property_row,
    a_secret_row,
    a_slot_row,
    a_user_row,
    an_account_row,
    an_ad_row,
)
from tests.support.builders import KEY_RING

TYPES: dict[type[Row], ObjectType] = {
    AccountRow: ObjectType.ACCOUNT,
    PropertyRow: ObjectType.PROPERTY,
    SlotRow: ObjectType.SLOT,
    KeyRow: ObjectType.KEY,
    CampaignRow: ObjectType.CAMPAIGN,
    AdRow: ObjectType.AD,
}


class World:
    """One account with a property, a slot, a key, a campaign and an ad, all of them in the snapshot."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.account = an_account_row()
        self.user: UserRow = a_user_row()
        self.property = a_property_row(self.account)
        self.slot = a_slot_row(self.property)
        self.key = a_key_row(self.property, self.user)
        self.campaign = a_campaign_row(self.account, property_ids=[self.property.id])
        self.ad = an_ad_row(self.campaign)

    @classmethod
    async def make(cls, database: Database) -> "World":
        world = cls(database)
        async with database.service() as session:
            session.add_all([world.account, world.user])
            await session.flush()
            session.add(world.property)
            await session.flush()
            session.add_all([a_secret_row(world.property), world.slot, world.key, world.campaign])
            await session.flush()
            session.add(world.ad)
            rows = (world.account, world.property, world.slot, world.key, world.campaign, world.ad)
            await flush(session, touched(*rows), keys=KEY_RING, now=NOW)
        return world

    async def save(self, *rows: Any) -> int | None:
        """Write *rows* as the service, touch them, flush, commit; the version it made."""
        async with self.database.service() as session:
            for row in rows:
                await session.merge(row)
            return await flush(session, touched(*rows), keys=KEY_RING, now=NOW)

    async def as_tenant(
        self, act: Callable[[AsyncSession], Awaitable[None]], *rows: Any
    ) -> int | None:
        """Do *act* as the account's tenant, touch *rows*, flush, commit."""
        async with self.database.tenant(self.account.id) as session:
            await act(session)
            return await flush(session, touched(*rows), keys=KEY_RING, now=NOW)


def touched(*rows: Any) -> Changes:
    changes = Changes()
    for row in rows:
        changes.touch(TYPES[type(row)], row.id)
    return changes


async def replay(database: Database, environment: Environment) -> dict[tuple[str, str], bytes]:
    """What an edge has after all steps from nothing on; every digest on the way is proven."""
    async with database.service() as session:
        steps = (await session.scalars(select(OutboxRow).order_by(col(OutboxRow.version)))).all()
        head = await get_head(session)
    state: dict[tuple[str, str], bytes] = {}
    for number, step in enumerate(steps, 1):
        assert step.version == number
        delta = delta_of(step, environment)
        for entry in delta.entries:
            state.pop((entry.type, entry.id), None)
            if entry.body is not None:
                state[(entry.type, entry.id)] = entry.body
        assert int(delta.digest, 16) == digest(state)
    assert head.version == len(steps)
    assert digest_of(head, environment) == digest(state)
    return state


def digest(state: dict[tuple[str, str], bytes]) -> int:
    return state_digest(
        ObjectChange(ObjectType(kind), name, body) for (kind, name), body in state.items()
    )
