"""Starts sessions: the one way for every kind of sign-in."""

from control.api import audit
from control.api.call import Call
from control.identity.sessions.queries import add_session
from control.storage.tables.sessions import SessionRow


async def start_session(call: Call, account_id: str, user_id: str, agent: str) -> SessionRow:
    """Start a session without a token, and write it to the audit log. *agent*: the browser's family."""
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
