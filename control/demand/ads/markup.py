"""Reads the text of an html asset from the asset store, before the transaction that writes it into the ad's content."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlmodel import col, select

from common.values.enums import AssetKind, AssetStatus
from common.values.errors import Refused, invalid
from common.values.ids import is_uuid
from common.values.messages import Message
from control.api.call import PreparedInput, PreTransactionCall
from control.demand.ads.content import HTML_BYTES
from control.demand.assets.queries import visible_to
from control.storage.tables.assets import AssetRow

HTML = "html"
"""The name of the role, and of the content field that it fills."""


@asynccontextmanager
async def prepare(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """Yields the text; None if the body names no readable html asset. The handler then reports what is wrong."""
    body = call.parsed_body
    named = None
    if not isinstance(body, Refused) and "asset_ids" in body.model_fields_set:
        named = body.asset_ids.get(HTML)
    yield PreparedInput(await _read(call, named) if named and is_uuid(named) else None)


def markup_of(row: AssetRow, read: str | None, param: str) -> str:
    """Raises 422 for a file that is too large for an ad."""
    if row.bytes > HTML_BYTES or read is None:
        raise invalid(
            param,
            "asset_too_large",
            Message(
                "An HTML ad has at most 64 KiB, and this file has {size_bytes:,} bytes. Upload a "
                "smaller one.",
                size_bytes=row.bytes,
            ),
        )
    return read


async def _read(call: PreTransactionCall, asset_id: str) -> str | None:
    principal, control = call.principal, call.control
    wanted = select(AssetRow).where(
        col(AssetRow.id) == asset_id,
        col(AssetRow.kind) == AssetKind.HTML,
        col(AssetRow.status) == AssetStatus.READY,
        col(AssetRow.bytes) <= HTML_BYTES,
        visible_to(principal),
    )
    async with control.database.tenant(principal.account_id) as session:
        row = await session.scalar(wanted)
        name = row.object_name if row is not None else None
    if name is None:
        return None
    file = io.BytesIO()
    await control.assets.fetch(name, file, max_bytes=HTML_BYTES)
    return file.getvalue().decode()
