"""What edges counted of keys: when each was last used, and forgetting the minutes that nobody asks about any more."""

from datetime import timedelta

from sqlalchemy import text

from control.api.context import ControlContext

_KEPT = timedelta(hours=3)
_NOTE = text("""
update keys set last_used_at = used.at
from (select key_id, max(minute) as at from key_minutes group by key_id order by key_id) used
where keys.id = used.key_id and (keys.last_used_at is null or keys.last_used_at < used.at)
""")
_FORGET = text("delete from key_minutes where minute < :before")


async def update_key_last_used(control: ControlContext) -> None:
    async with control.database.service() as session:
        await session.execute(_NOTE)
        await session.execute(_FORGET, {"before": control.clock.now() - _KEPT})
