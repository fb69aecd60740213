"""Retention of the audit log."""

from control.api.context import ControlContext
from control.identity.audit_log.queries import KEPT, purge_before

_LINES_AT_ONCE = 5_000


async def sweep_audit_log(control: ControlContext) -> None:
    """Delete lines older than 400 days."""
    while True:
        async with control.database.service() as session:
            gone = await purge_before(session, control.clock.now() - KEPT, limit=_LINES_AT_ONCE)
        if gone < _LINES_AT_ONCE:
            return
