"""Accepts an invitation: by the signed-in session of the invited user, or by a password, new or existing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import orjson

from control.api.call import Endpoint, PreparedInput, PreTransactionCall
from control.dashboard.account.switch_account import switch_to
from control.dashboard.page import Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.sign_in.screens import begin
from control.identity.members import endpoints as members
from control.identity.members import operations
from control.identity.members.acceptance import OpenInvitation, find_open_invitation, prove

_MAX_CHARS = 200


def token_of(view: PageRequest) -> str:
    """The token of a mail, from its link or its form; empty where there is none."""
    return (view.form_field("token") or view.query_param("token"))[:_MAX_CHARS]


async def show_invitation(view: PageRequest) -> Result:
    token = token_of(view)
    invited = await _find_invitation(view, token) if token else None
    values = {"token": token, "invited": invited, "is_self": _is_self(view, invited)}
    return Rendered("email_links/accept_invitation.html", values)


async def accept(view: PageRequest) -> Result:
    """Accepts it, and enters the account. Raises `ApiError`."""
    token, password = token_of(view), view.form_field("password")
    invited = await _find_invitation(view, token)
    given = {"token": token, "name": view.form_field("name").strip(), "password": password}
    body = {name: value for name, value in given.items() if value}
    is_self = _is_self(view, invited)
    answer = await view.execute(_accepting(view if is_self else None), body=body)
    made = orjson.loads(answer.body)
    if is_self:
        return await switch_to(view, made["account"]["id"], flash="joined")
    entered = await begin(view, made["member"]["email"], password, account_id=made["account"]["id"])
    return replace(entered, flash="joined") if isinstance(entered, Redirected) else entered


def _accepting(by: PageRequest | None) -> Endpoint:
    """The API's own endpoint, except that a cookie instead of a bearer identifies the user."""
    (endpoint,) = (one for one in members.ENDPOINTS if one.operation is operations.ACCEPT)
    user_id = by.caller.user_id if by else None

    @asynccontextmanager
    async def prove_identity(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
        control, now = call.control, call.now
        yield PreparedInput(await prove(control, call.body, now, signed_in=user_id))

    return replace(endpoint, prepare=prove_identity)


def _is_self(view: PageRequest, invited: OpenInvitation | None) -> bool:
    user = view.me["user"] if view.me else None
    return bool(user and invited and user["email"] == invited.email)


async def _find_invitation(view: PageRequest, token: str) -> OpenInvitation | None:
    async with view.control.database.service() as session:
        return await find_open_invitation(session, token, view.now)
