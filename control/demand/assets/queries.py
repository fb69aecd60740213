"""Database queries for assets, limited to those that the caller may see."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, text
from sqlalchemy import select as select_rows
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from common.values.enums import AdStatus, AssetStatus
from common.values.environment import Environment
from common.values.errors import invalid, not_found
from common.values.ids import is_uuid
from common.values.messages import Message
from control.api.listing import contains, equal_to, get_row, newest_first
from control.demand.assets.schemas import AssetList
from control.foundation.principal import Principal
from control.storage.tables.assets import AssetRow
from control.storage.tables.campaigns import AdRow

_HOLDS_BYTES = tuple(
    status.value for status in (AssetStatus.UPLOADING, AssetStatus.PROCESSING, AssetStatus.READY)
)

_PICTURES: tuple[Any, ...] = (AssetRow.thumbnail, AssetRow.poster)
_WITHOUT_PICTURES = tuple(defer(column) for column in _PICTURES)


async def get_asset(
    session: AsyncSession, principal: Principal, asset_id: str, *, lock: bool = False
) -> AssetRow:
    """Returns the asset. Raises 404 `not_found`. *lock*: lock the row until the transaction ends."""
    visible = select(AssetRow).where(visible_to(principal))
    return await get_row(session, visible, col(AssetRow.id), asset_id, lock=lock)


async def get_ready_asset(
    session: AsyncSession, principal: Principal, asset_id: str, *, param: str = "asset_ids"
) -> AssetRow:
    """
    Returns an asset that an ad may use; it cannot be archived before the transaction ends. The caller must compare its
    ``environment`` and ``kind`` with what the ad needs.

    Raises 404 `not_found`, and 422 about *param* if the asset is not ready.
    """
    if not is_uuid(asset_id):
        raise not_found()
    wanted = select(AssetRow).where(col(AssetRow.id) == asset_id, visible_to(principal))
    found = await session.scalar(wanted.with_for_update(read=True))
    if found is None:
        raise not_found()
    if found.status != AssetStatus.READY:
        raise invalid(
            param,
            "asset_not_ready",
            Message(
                "The asset {asset_id} is {status}. Use an asset whose status is ready.",
                asset_id=asset_id,
                status=found.status,
            ),
        )
    return found


async def find_archived_asset(
    session: AsyncSession, account_id: str, asset_ids: Collection[str]
) -> str | None:
    """
    Returns the id of the first archived one among *asset_ids* of the account. The others cannot be archived before the
    transaction ends.
    """
    wanted = select(AssetRow).where(
        col(AssetRow.account_id) == account_id, col(AssetRow.id).in_(asset_ids)
    )
    locked = wanted.order_by(col(AssetRow.id)).with_for_update(read=True)
    rows = (await session.scalars(locked.options(*_WITHOUT_PICTURES))).all()
    return next((row.id for row in rows if row.status == AssetStatus.ARCHIVED), None)


async def list_assets(
    session: AsyncSession,
    principal: Principal,
    environment: Environment,
    query: AssetList,
    before_id: str | None,
) -> Sequence[AssetRow]:
    """Assets with ids below *before_id*, newest first. Returns one more than the limit if there are more."""
    wanted = wanted_assets(principal, environment, query).options(*_WITHOUT_PICTURES)
    return await newest_first(session, wanted, col(AssetRow.id), query.limit, before_id)


async def pictures_of_assets(
    session: AsyncSession, principal: Principal, asset_ids: Sequence[str]
) -> Mapping[str, tuple[bytes | None, bytes | None]]:
    """Thumbnail and poster by id, of the assets that the caller may see."""
    wanted = select_rows(col(AssetRow.id), col(AssetRow.thumbnail), col(AssetRow.poster))
    found = await session.execute(
        wanted.where(col(AssetRow.id).in_(asset_ids), visible_to(principal))
    )
    return {row[0]: (row[1], row[2]) for row in found}


def wanted_assets(
    principal: Principal, environment: Environment, query: AssetList
) -> SelectOfScalar[AssetRow]:
    """The list without its order, cursor and limit."""
    return select(AssetRow).where(
        visible_to(principal),
        col(AssetRow.environment) == environment.value,
        *equal_to(query, AssetRow),
        *contains([col(AssetRow.filename)], query.q),
    )


def visible_to(principal: Principal) -> ColumnElement[bool]:
    """The account's assets; for an integration key, those of its environment that belong to its property."""
    found = col(AssetRow.account_id) == principal.account_id
    if principal.environment is not None:
        found &= col(AssetRow.environment) == principal.environment.value
    if principal.property_id is not None:
        found &= col(AssetRow.property_id) == principal.property_id
    return found


async def find_using_ad(session: AsyncSession, row: AssetRow) -> str | None:
    """The id of an active ad that uses this asset; None if there is none."""
    used = func.jsonb_path_exists(
        AdRow.asset_ids, text("'$.* ? (@ == $id)'"), func.jsonb_build_object("id", row.id)
    )
    wanted = select_rows(col(AdRow.id)).where(
        col(AdRow.account_id) == row.account_id,
        col(AdRow.environment) == row.environment,
        col(AdRow.status) == AdStatus.ACTIVE.value,
        used,
    )
    found: str | None = await session.scalar(wanted.limit(1))
    return found


async def stored_bytes(session: AsyncSession, account_id: str) -> int:
    """Bytes of the account's assets in both environments, including announced ones and without archived ones."""
    wanted = select_rows(func.coalesce(func.sum(col(AssetRow.bytes)), 0)).where(
        col(AssetRow.account_id) == account_id, col(AssetRow.status).in_(_HOLDS_BYTES)
    )
    return int(await session.scalar(wanted) or 0)


async def hold_account(session: AsyncSession, account_id: str) -> None:
    """Lock the assets of the account until the transaction ends, so that their sum stays valid."""
    lock = func.pg_advisory_xact_lock(func.hashtextextended(f"assets:{account_id}", 0))
    await session.execute(select_rows(lock))
