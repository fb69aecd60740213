"""``last_used_at`` of sessions: noted in memory, written outside the request, at most once a minute a session."""

from datetime import datetime, timedelta

from sqlalchemy import text

from control.storage.database import Database

_PAUSE = timedelta(minutes=1)
_WRITE = text(
    "update sessions set last_used_at = :at where id = :id and last_used_at < :at and revoked_at is null"
)


class SessionUse:
    """A crash loses the notes since the last `flush`; a session may then end by idleness that much too early."""

    def __init__(self) -> None:
        self._pending: dict[str, datetime] = {}
        self._written: dict[str, datetime] = {}

    def record(self, session_id: str, now: datetime) -> None:
        written = self._written.get(session_id)
        if written is None or now - written >= _PAUSE:
            self._pending[session_id] = now

    async def flush(self, database: Database, now: datetime) -> int:
        """
        Writes the notes in the order of ids, so that processes do not deadlock, and returns their number.

        Raises `Unavailable`, and keeps what it could not write.
        """
        noted = dict(sorted(self._pending.items()))
        if noted:
            async with database.service() as session:
                await session.execute(_WRITE, [{"id": one, "at": at} for one, at in noted.items()])
        for session_id, at in noted.items():
            if self._pending.get(session_id) == at:
                del self._pending[session_id]
        self._written = {k: at for k, at in self._written.items() if now - at < _PAUSE} | noted
        return len(noted)
