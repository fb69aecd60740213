"""``last_used_at`` of keys: noted in memory, written outside the request, at most once a minute a key."""

from datetime import datetime, timedelta

from sqlalchemy import bindparam, text

from control.storage.database import Database

_PAUSE = timedelta(minutes=1)


class KeyUse:
    """A crash loses at most the notes since the last `flush`; nothing depends on them."""

    def __init__(self) -> None:
        self._pending: dict[str, datetime] = {}
        self._written: dict[str, datetime] = {}

    def record(self, key_id: str, now: datetime) -> None:
        written = self._written.get(key_id)
        if written is None or now - written >= _PAUSE:
            self._pending[key_id] = now

    async def flush(self, database: Database, now: datetime) -> int:
        """Writes the notes and returns the number of keys. Raises `Unavailable`, and keeps what it could not write."""
        noted = dict(sorted(self._pending.items()))
        if noted:
            async with database.service() as session:
                await session.execute(
                    text(
                        "update keys set last_used_at = :at where id = :id "
                        "and (last_used_at is null or last_used_at < :at)"
                    ).bindparams(bindparam("at"), bindparam("id")),
                    [{"id": key_id, "at": at} for key_id, at in noted.items()],
                )
        for key_id, at in noted.items():
            if self._pending.get(key_id) == at:
                del self._pending[key_id]
        self._written = {k: at for k, at in self._written.items() if now - at < _PAUSE} | noted
        return len(noted)
