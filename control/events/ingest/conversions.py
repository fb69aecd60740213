"""Conversions without a track token: held here until `control.events.attribution` finds the touch they belong to."""

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import from_ms
from control.events.ingest.column_arrays import columns_of
from control.events.ingest.parsed_records import Conversion

_NAMES = (
    *("id", "account_id", "property_id", "is_test", "door", "click_id", "person", "event_name"),
    *("occurred_at", "heard_at", "value_cents", "currency", "order_id", "reason"),
    *("judge_version", "live_reason"),
)
_TYPES = (
    *("uuid", "varchar", "uuid", "boolean", "varchar", "uuid", "bytea", "varchar"),
    *("timestamptz", "timestamptz", "bigint", "varchar", "varchar", "varchar"),
    *("smallint", "varchar"),
)
_COLUMNS = ", ".join(_NAMES)
_ARRAYS = ", ".join(f"cast(:{name} as {kind}[])" for name, kind in zip(_NAMES, _TYPES, strict=True))
_HOLD = text(
    f"insert into conversions ({_COLUMNS}, state, try_at) select {_COLUMNS}, 'held', heard_at "  # noqa: S608 - constants only
    f"from unnest({_ARRAYS}) as n({_COLUMNS}) order by id on conflict do nothing returning id"
)


async def hold(
    session: AsyncSession, conversions: Sequence[Conversion], accounts: dict[str, str]
) -> list[Conversion]:
    """
    Holds conversions and returns the new ones. A repeated conversion is the row already there, whatever its state.
    *accounts* by property.

    Every consumer locks these rows in the order of their ids, after the keys and before the orders.
    """
    if not conversions:
        return []
    firsts = {one.body.conversion_id: one for one in reversed(conversions)}
    rows = [_row(one, accounts) for one in firsts.values()]
    held = await session.execute(_HOLD, columns_of(rows, *_NAMES))
    return [firsts[row[0]] for row in held]


def _row(conversion: Conversion, accounts: dict[str, str]) -> tuple[object, ...]:
    body = conversion.body
    return (
        body.conversion_id,
        None if conversion.property_id is None else accounts[conversion.property_id],
        body.property_id,
        body.is_test,
        body.door.value,
        body.click_id,
        None if body.person is None else bytes.fromhex(body.person),
        body.event_name,
        from_ms(body.occurred_ms),
        from_ms(body.at_ms),
        body.value_cents,
        body.currency,
        body.order_id,
        body.reason.value,
        body.judge_version,
        None if body.live_reason is None else body.live_reason.value,
    )
