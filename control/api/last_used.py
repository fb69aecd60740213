"""``last_used_at`` of keys and sessions: noted in memory, written outside the request, at most once a minute each."""

from datetime import datetime, timedelta
from typing import ClassVar

from sqlalchemy import TextClause, text

from control.storage.database import Database

_PAUSE = timedelta(minutes=1)


class KeyUse:
    """A crash loses at most the notes since the last `flush`; nothing depends on them."""

    _write: ClassVar[TextClause] = text(
        "update keys set last_used_at = :at where id = :id and (last_used_at is null or last_used_at < :at)"
    )

    def __init__(self) -> None:
        self._pending: dict[str, datetime] = {}
        self._written: dict[str, datetime] = {}

    def record(self, used_id: str, now: datetime) -> None:
        written = self._written.get(used_id)
        if written is None or now - written >= _PAUSE:
            self._pending[used_id] = now

    async def flush(self, database: Database, now: datetime) -> int:
        """
        Writes the notes in the order of ids, so that processes do not deadlock, and returns their number.

        Raises `Unavailable`, and keeps what it could not write.
        """
        noted = dict(sorted(self._pending.items()))
        if noted:
            async with database.service() as session:
                await session.execute(self._write, [{"id": k, "at": at} for k, at in noted.items()])
        for used_id, at in noted.items():
            if self._pending.get(used_id) == at:
                del self._pending[used_id]
        self._written = {k: at for k, at in self._written.items() if now - at < _PAUSE} | noted
        return len(noted)


class SessionUse(KeyUse):
    """Of sessions. After a crash a session may end by idleness as much too early as notes were lost."""

    _write = text(
        "update sessions set last_used_at = :at where id = :id and last_used_at < :at and revoked_at is null"
    )
