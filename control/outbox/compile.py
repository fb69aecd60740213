"""
Compiles touched rows to snapshot objects, with one SELECT a type for any number of objects.

It reads the transaction's own writes. `outbox.flush` holds a lock, so that two transactions cannot each compile one
object from half of the changes.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import ARRAY, ColumnElement, Select, String, any_, bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.service.secrets import KeyRing
from common.snapshot.codec import encode_object, parse_object
from common.snapshot.model import Ad, ObjectType, SnapshotObject
from common.values.environment import Environment
from control.outbox import objects
from control.outbox.pace_objects import read_paces
from control.outbox.signing import snapshot_secrets
from control.storage.tables.accounts import AccountRow
from control.storage.tables.campaigns import AdRow, CampaignRow, CampaignSpendRow
from control.storage.tables.learning import AdRatesRow
from control.storage.tables.properties import KeyRow, PropertyRow, PropertySecretRow, SlotRow

ObjectName = tuple[ObjectType, str]


@dataclass(frozen=True, slots=True)
class Compiled:
    """An object as the snapshot holds it. ``environment`` None: shared by both."""

    environment: str | None
    account_id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class CompileContext:
    """Inputs of compiling: *session* for the rows, *before* for the objects that edges hold."""

    session: AsyncSession
    before: Mapping[ObjectName, Compiled]
    keys: KeyRing
    now: datetime

    async def rows(self, statement: Select[*tuple[Any, ...]]) -> Sequence[Any]:
        """Returns rows from the database: an object that the session loaded earlier is read again."""
        found = await self.session.execute(statement.execution_options(populate_existing=True))
        rows: Sequence[Any] = found.all()
        return rows


async def compile_objects(
    source: CompileContext, touched: Sequence[ObjectName]
) -> dict[ObjectName, Compiled | None]:
    """Returns each touched object in its current form; None where it is gone or not part of the snapshot."""
    found: dict[ObjectName, Compiled | None] = dict.fromkeys(touched)
    for kind in ObjectType:
        ids = [object_id for touched_kind, object_id in touched if touched_kind is kind]
        if ids:
            for item in await _COMPILE[kind](source, ids):
                found[(kind, item[0].id)] = _compiled(*item)
    return found


_Item = tuple[SnapshotObject, str | None, str]
"""The object, its environment, its account."""


def _compiled(item: SnapshotObject, environment: str | None, account_id: str) -> Compiled:
    return Compiled(environment, account_id, encode_object(item))


async def _accounts(source: CompileContext, ids: list[str]) -> list[_Item]:
    rows = await source.rows(select(AccountRow).where(_among(AccountRow.id, ids)))
    return [(objects.account_of(row), None, row.id) for (row,) in rows]


async def _properties(source: CompileContext, ids: list[str]) -> list[_Item]:
    rows = await source.rows(
        select(PropertyRow, AccountRow.currency, AccountRow.address_verified_at)  # type: ignore[call-overload]  # SQLModel types fields as values
        .join(AccountRow, col(AccountRow.id) == col(PropertyRow.account_id))
        .where(_among(PropertyRow.id, ids))
    )
    secrets: dict[str, list[PropertySecretRow]] = {}
    owned = _among(PropertySecretRow.property_id, ids)
    for (secret,) in await source.rows(
        select(PropertySecretRow).where(owned).order_by(col(PropertySecretRow.kid))
    ):
        secrets.setdefault(secret.property_id, []).append(secret)
    return [
        (
            objects.property_of(
                row,
                currency,
                snapshot_secrets(
                    source.keys,
                    row.id,
                    secrets.get(row.id, []),
                    before=_body(source, (ObjectType.PROPERTY, row.id)),
                ),
                address_verified=address_verified_at is not None,
            ),
            None,
            row.account_id,
        )
        for row, currency, address_verified_at in rows
    ]


async def _slots(source: CompileContext, ids: list[str]) -> list[_Item]:
    rows = await source.rows(select(SlotRow).where(_among(SlotRow.id, ids)))
    return [(objects.slot_of(row), None, row.account_id) for (row,) in rows]


async def _keys(source: CompileContext, ids: list[str]) -> list[_Item]:
    rows = await source.rows(select(KeyRow).where(_among(KeyRow.id, ids)))
    made = ((objects.key_of(row, source.now), row) for (row,) in rows)
    return [(key, row.environment, row.account_id) for key, row in made if key]


async def _campaigns(source: CompileContext, ids: list[str]) -> list[_Item]:
    rows = await source.rows(
        select(CampaignRow, CampaignSpendRow)
        .outerjoin(CampaignSpendRow, col(CampaignSpendRow.campaign_id) == col(CampaignRow.id))
        .where(_among(CampaignRow.id, ids))
    )
    made = (
        (objects.campaign_of(row, spend.spent_micros if spend else 0), row) for row, spend in rows
    )
    return [(campaign, row.environment, row.account_id) for campaign, row in made if campaign]


async def _ads(source: CompileContext, ids: list[str]) -> list[_Item]:
    rows = await source.rows(
        select(AdRow, CampaignRow.status, CampaignRow.updated_at)  # type: ignore[call-overload]  # SQLModel types fields as values
        .join(CampaignRow, col(CampaignRow.id) == col(AdRow.campaign_id))
        .where(_among(AdRow.id, ids))
    )
    made = (
        (
            objects.ad_of(
                row,
                before=_ad_before(source, row.id),
                campaign_forgotten=objects.is_purged(status, updated_at, source.now),
            ),
            row,
        )
        for row, status, updated_at in rows
    )
    return [(ad, row.environment, row.account_id) for ad, row in made if ad]


async def _paces(source: CompileContext, ids: list[str]) -> list[_Item]:
    paces = await read_paces(source.session, ids, source.now)
    return [(pace, Environment.LIVE.value, account_id) for pace, account_id in paces]


async def _rates(source: CompileContext, ids: list[str]) -> list[_Item]:
    rows = await source.rows(select(AdRatesRow).where(_among(AdRatesRow.ad_id, ids)))
    return [
        (parse_object(ObjectType.RATES, row.body), row.environment, row.account_id)
        for (row,) in rows
    ]


def _among(column: str, ids: list[str]) -> ColumnElement[bool]:
    """One parameter for any number of ids: PostgreSQL accepts 32 767 parameters."""
    return col(column) == any_(bindparam(None, ids, ARRAY(String)))


def _ad_before(source: CompileContext, ad_id: str) -> Ad | None:
    body = _body(source, (ObjectType.AD, ad_id))
    return None if body is None else cast("Ad", parse_object(ObjectType.AD, body))


def _body(source: CompileContext, name: ObjectName) -> bytes | None:
    before = source.before.get(name)
    return None if before is None else before.body


_COMPILE: dict[ObjectType, Callable[[CompileContext, list[str]], Awaitable[list[_Item]]]] = {
    ObjectType.ACCOUNT: _accounts,
    ObjectType.PROPERTY: _properties,
    ObjectType.SLOT: _slots,
    ObjectType.KEY: _keys,
    ObjectType.CAMPAIGN: _campaigns,
    ObjectType.AD: _ads,
    ObjectType.PACE: _paces,
    ObjectType.RATES: _rates,
}
