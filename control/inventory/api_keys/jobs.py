"""Copies the edges' counts of key use into `last_used_at`, and deletes minutes that are no longer needed."""

from datetime import timedelta

from sqlalchemy import text

from control.api.context import ControlContext

_KEPT = timedelta(hours=3)
_NOTE = text("""
update keys set last_used_at = used.at
from (select key_id, max(minute) as at from key_minutes group by key_id order by key_id) used
where keys.id = used.key_id and (keys.last_used_at is null or keys.last_used_at < used.at)
""")
_PURGE = text("delete from key_minutes where minute < :before")


async def update_key_last_used(control: ControlContext) -> None:
    async with control.database.service() as session:
        await session.execute(_NOTE)
        await session.execute(_PURGE, {"before": control.clock.now() - _KEPT})
