"""Tracks changes of states, statuses and roles in a transaction, for the audit log."""

from typing import Any

from sqlalchemy import event, inspect
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

WATCHED = ("state", "status", "role", "stopped")
_CHANGES = "state_changes"


def track_state_changes(session: AsyncSession) -> None:
    """Starts tracking changes of this session's ORM rows for `state_changes_of`. Bulk statements are not tracked."""
    session.info[_CHANGES] = {}


def state_changes_of(session: AsyncSession, object_id: str) -> dict[str, dict[str, Any]]:
    """Returns changes of the object with this id: column to ``{"from", "to"}``. Call it when everything is flushed."""
    changes: dict[str, dict[str, dict[str, Any]]] = session.info.get(_CHANGES, {})
    return {
        name: change
        for name, change in changes.get(object_id, {}).items()
        if change["from"] != change["to"]
    }


@event.listens_for(Session, "before_flush")
def _remember(session: Session, *_: Any) -> None:
    """Listens to all sessions, once: a listener for each session costs more than many of their statements."""
    if _CHANGES not in session.info:
        return
    for row in session.dirty:
        found = inspect(row)
        for name in WATCHED:
            history = found.attrs[name].history if name in found.attrs else None
            if history is not None and history.added and history.deleted:
                seen = session.info[_CHANGES].setdefault(getattr(row, "id", None), {})
                first = seen.setdefault(name, {"from": history.deleted[0]})
                first["to"] = history.added[0]
