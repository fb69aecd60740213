"""How every session of a person begins."""

from control.api import audit
from control.api.call import Call
from control.identity.sessions.queries import add_session
from control.storage.tables.sessions import SessionRow


async def start_session(call: Call, account_id: str, user_id: str, agent: str) -> SessionRow:
    """Without a token yet, and with its line in the audit log. *agent*: the family of the browser."""
    started = await add_session(
        call.session,
        account_id=account_id,
        user_id=user_id,
        origin=call.client_ip,
        agent=agent,
        now=call.now,
    )
    audit.record_person(
        call,
        user_id,
        account_id=account_id,
        action="session.create",
        object_type="session",
        object_id=started.id,
    )
    return started
