"""The demo of a one-machine stack: how it describes itself in ``demo.json``, and its newest events."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.clock import to_iso
from control.tables.events import EventRow

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class DemoStack:
    account_id: str
    property_id: str
    edge_live_url: str
    publishable_key: str
    slot_keys: tuple[str, ...]


def find_demo(state: Path) -> DemoStack | None:
    """None where no demo runs on this state, or its description is not readable (any more)."""
    try:
        values = orjson.loads((state / "demo.json").read_bytes())
        return DemoStack(
            values["account_id"],
            values["property"]["id"],
            values["edge_live_url"],
            values["keys"]["pk_live"]["key"],
            tuple(slot["key"] for slot in values["slots"].values()),
        )
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return None


async def newest_events(session: AsyncSession, stack: DemoStack) -> list[Mapping[str, Any]]:
    """The last events of the demo's property, as its page shows them."""
    wanted = (
        select(EventRow)
        .where(
            col(EventRow.account_id) == stack.account_id,
            col(EventRow.property_id) == stack.property_id,
        )
        .order_by(col(EventRow.xid).desc(), col(EventRow.id).desc())
        .limit(_SHOWN)
    )
    return [
        {
            "ts": to_iso(row.at),
            "kind": row.kind,
            "valid": row.valid,
            "reason": row.reason,
            "ad_id": str(row.ad_id),
        }
        for row in await session.scalars(wanted)
    ]
