"""Accepts an invitation: by the signed-in session of the invited user, or by a password, new or existing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import orjson
from sqlalchemy import exists, select
from sqlmodel import col

from control.api.authentication import token_hash
from control.api.call import Endpoint, PreparedInput, PreTransactionCall
from control.api.context import ControlContext
from control.dashboard.account.switch_account import switch_to
from control.dashboard.email_links.token import token_of
from control.dashboard.page import Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.sign_in.screens import begin
from control.identity.members import endpoints as members
from control.identity.members import operations
from control.identity.members.acceptance import prove
from control.storage.tables.accounts import AccountRow, UserRow
from control.storage.tables.members import InvitationRow


@dataclass(frozen=True, slots=True)
class Invited:
    """What an open invitation is for, as shown to the holder of its token."""

    account: str
    inviter: str
    role: str
    email: str
    is_known: bool
    """The invited person already has a user."""


async def show_invitation(view: PageRequest) -> Result:
    token = token_of(view)
    invited = await _find_invited(view.control, token) if token else None
    values = {"token": token, "invited": invited, "is_self": _is_self(view, invited)}
    return Rendered("mailed/accept_invitation.html", values)


async def accept(view: PageRequest) -> Result:
    """Accepts it, and enters the account. Raises `ApiError`."""
    token, password = token_of(view), view.typed("password")
    invited = await _find_invited(view.control, token)
    given = {"token": token, "name": view.typed("name").strip(), "password": password}
    body = {name: value for name, value in given.items() if value}
    is_self = _is_self(view, invited)
    answer = await view.perform(_accepting(view if is_self else None), body=body)
    made = orjson.loads(answer.body)
    if is_self:
        return await switch_to(view, made["account"]["id"], told="joined")
    entered = await begin(view, made["member"]["email"], password, account_id=made["account"]["id"])
    return replace(entered, told="joined") if isinstance(entered, Redirected) else entered


def _accepting(by: PageRequest | None) -> Endpoint:
    """The API's own endpoint, except that a cookie instead of a bearer identifies the user."""
    (endpoint,) = (one for one in members.ENDPOINTS if one.operation is operations.ACCEPT)
    user_id = by.caller.user_id if by else None

    @asynccontextmanager
    async def prove_identity(approach: PreTransactionCall) -> AsyncIterator[PreparedInput]:
        control, now = approach.control, approach.now
        yield PreparedInput(await prove(control, approach.body, now, signed_in=user_id))

    return replace(endpoint, prepare=prove_identity)


def _is_self(view: PageRequest, invited: Invited | None) -> bool:
    user = view.me["user"] if view.me else None
    return bool(user and invited and user["email"] == invited.email)


async def _find_invited(control: ControlContext, token: str) -> Invited | None:
    known = exists(col(UserRow.id)).where(col(UserRow.email) == col(InvitationRow.email))
    wanted = (
        select(
            col(AccountRow.name),
            select(col(UserRow.name))
            .where(col(UserRow.id) == col(InvitationRow.invited_by))
            .scalar_subquery(),
            col(InvitationRow.role),
            col(InvitationRow.email),
            known,
        )
        .join(AccountRow, col(AccountRow.id) == col(InvitationRow.account_id))
        .where(
            col(InvitationRow.token_hash) == token_hash(token),
            col(InvitationRow.expires_at) > control.clock.now(),
        )
    )
    async with control.database.service() as session:
        found = (await session.execute(wanted)).one_or_none()
    return Invited(*found) if found else None
