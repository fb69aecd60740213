"""
Switches a user to another account without a new password: the session ends, and one of the other account starts.

The new session is as old as the one it replaces, so that switching to and fro never extends it. The other account's
rules for its members also apply to it.
"""

from common.contract.models import WireIn
from common.contract.operation import Auth, Operation
from common.values.errors import ErrorCode, not_found
from common.values.messages import Message
from control.api.call import Call, Endpoint, Reply
from control.api.session_limits import limits_of
from control.dashboard.page import Redirected
from control.dashboard.page_request import PageRequest
from control.dashboard.session_cookie import set_cookie
from control.dashboard.sign_in.screens import start_of
from control.foundation.wire_types import Id
from control.identity.sessions import queries
from control.identity.sessions.browser_sessions import new_cookie, read_cookie
from control.identity.sessions.create_session import start_session
from control.identity.sessions.grant_errors import refused
from control.identity.users.current_user import current_user


class Switch(WireIn):
    account_id: Id


async def _switch(call: Call) -> Reply:
    body: Switch = call.body
    me = current_user(call.principal)
    account = await queries.find_account_of(call.session, me.user_id, body.account_id)
    if account is None:
        raise not_found()
    limits = limits_of(call.control.settings)
    old = await queries.find_live_session(call.session, me.session_id, limits, call.now)
    if old is None:
        raise refused(Message("The session has ended. Sign in again."))
    started = await start_session(call, account.id, me.user_id, old.agent)
    started.created_at = old.created_at
    old.revoked_at = call.now
    call.object_id = old.id
    return new_cookie(call, started)


SWITCH = Endpoint(
    Operation(
        id="switchAccount",
        method="POST",
        path="/accounts",
        tag="Sign-in",
        summary="Go on in another account",
        about="session",
        auth=(Auth.ACCESS_TOKEN,),
        body=Switch,
        answers=(),
        errors=(ErrorCode.NOT_FOUND,),
    ),
    _switch,
    of_person=True,
)


async def switch_to(view: PageRequest, account_id: str, *, flash: str | None = None) -> Redirected:
    """Raises `ApiError`; 404 where the user is no member."""
    answer = await view.execute(SWITCH, body={"account_id": account_id})
    cookie = set_cookie(view.control, read_cookie(answer.body))
    return Redirected(start_of(view), flash=flash, cookies=(cookie,))
