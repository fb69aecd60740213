"""The member endpoints. Every change locks the account's members: concurrent changes cannot remove the last owner."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from common.contract.operation import Auth
from common.contract.permissions import Role
from common.values.errors import ErrorCode, Refused, not_found
from common.values.messages import Message
from control.api.authentication import ACCESS_PREFIX, authenticate, bearer_starts_with
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.listing import before_id, page_of
from control.api.versioning import check_version, created, raise_version, versioned
from control.foundation.resource_models import from_row
from control.identity.accounts.schemas import account_public
from control.identity.members import invitations, operations, queries, rules
from control.identity.members.acceptance import accept_invitation, prove
from control.identity.members.queries import Member
from control.identity.members.schemas import (
    InvitationAccept,
    InvitationAccepted,
    MemberCreate,
    MemberPatch,
    MemberPublic,
)
from control.identity.sessions.queries import end_access, revoke_sessions
from control.storage.tables.accounts import MembershipRow
from control.storage.tables.members import InvitationRow


async def invite(call: Call) -> Reply:
    body: MemberCreate = call.body
    rules.check_grants(await _own_role(call), body.role)
    account_id = call.principal.account_id
    if await queries.is_member(call.session, account_id, body.email):
        raise _taken(
            Message("This address already belongs to a member. Change that member's role instead.")
        )
    open_one = await queries.find_invitation(call.session, account_id, body.email)
    if open_one is not None and open_one.expires_at > call.now:
        raise _taken(
            Message("This address already has an open invitation. Send it again, or change it.")
        )
    if open_one is not None:
        await call.session.delete(open_one)
        await call.session.flush()
    row, token = invitations.new_invitation(call, body)
    call.session.add(row)
    await invitations.send(call, row, token)
    member = Member(row, row.email, None)
    call.detail["role"] = row.role
    return created(_public(member), row.version, f"/v1/members/{row.id}")


async def list_(call: Call) -> Reply:
    members = await queries.list_members(
        call.session, call.principal.account_id, call.query, before_id(call)
    )
    return Reply(page_of(call, members, _public))


async def get(call: Call) -> Reply:
    return _shown(await _member(call))


async def patch(call: Call) -> Reply:
    own = await _own_role(call)
    member = await _member(call)
    check_version(call, member.row)
    body: MemberPatch = call.body
    before, after = Role(member.row.role), body.role
    if before is after:
        return _shown(member)
    if isinstance(member.row, MembershipRow):
        rules.check_role_change(own, before, after, await _membership_context(call, member.row))
        await end_access(call.session, call.principal.account_id, member.row.user_id, call.now)
        await _withdraw(call, member.row.user_id, after)
    else:
        rules.check_touches(own, before)
        rules.check_grants(own, after)
    member.row.role = after.value
    raise_version(member.row, call.now)
    return _shown(member)


async def resend(call: Call) -> Reply:
    own = await _own_role(call)
    member = await _member(call)
    check_version(call, member.row)
    if not isinstance(member.row, InvitationRow):
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("This person has already joined. There is no invitation to send again."),
        )
    rules.check_grants(own, Role(member.row.role))
    token = invitations.renew(member.row, call.now)
    raise_version(member.row, call.now)
    await invitations.send(call, member.row, token)
    return _shown(member)


async def remove(call: Call) -> Reply:
    own = await _own_role(call)
    member = await _member(call)
    check_version(call, member.row)
    if isinstance(member.row, MembershipRow):
        rules.check_removal(own, Role(member.row.role), await _membership_context(call, member.row))
        await _part(call, member.row)
    else:
        rules.check_touches(own, Role(member.row.role))
        call.detail["role"] = member.row.role
        await call.session.delete(member.row)
    return Reply(status=204)


async def leave(call: Call) -> Reply:
    own = await _own_role(call)
    row = await queries.find_membership(
        call.session, call.principal.account_id, call.principal.user_id
    )
    if row is None:
        raise not_found()
    call.object_id = row.id
    rules.check_removal(own, own, await _membership_context(call, row))
    await _part(call, row)
    return Reply(status=204)


@asynccontextmanager
async def prove_identity(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """Check the caller's identity by the password in the body, or by the access token of a signed-in user."""
    body: InvitationAccept = call.body
    signed_in = None
    if bearer_starts_with(call.request, ACCESS_PREFIX):
        operation = replace(call.operation, auth=(Auth.ACCESS_TOKEN,))
        caller = await authenticate(call.control, operation, call.request)
        signed_in = caller.user_id
    yield PreparedInput(await prove(call.control, body, call.now, signed_in=signed_in))


async def accept(call: Call) -> Reply:
    body: InvitationAccept = call.body
    account, member = await accept_invitation(
        call.session,
        body,
        call.prepared,
        changes=call.changes,
        now=call.now,
        origin=call.client_ip,
        request_id=call.request_id,
    )
    answer = InvitationAccepted(account=account_public(account), member=_public(member))
    return Reply(answer, status=201)


ENDPOINTS = (
    Endpoint(operations.INVITE, invite),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.LEAVE, leave),
    Endpoint(operations.GET, get),
    Endpoint(operations.PATCH, patch),
    Endpoint(operations.RESEND, resend),
    Endpoint(operations.REMOVE, remove),
    Endpoint(operations.ACCEPT, accept, prepare=prove_identity),
)


async def _own_role(call: Call) -> Role:
    """Lock the members and return the caller's role. Raises `Refused` if they were removed since authentication."""
    caller = call.principal
    await queries.hold_members(call.session, caller.account_id)
    role = await queries.find_role(call.session, caller.account_id, caller.user_id)
    if role is None:
        raise Refused(
            ErrorCode.PERMISSION_DENIED,
            Message("You are no longer a member of this account. Ask an owner to invite you."),
        )
    return role


async def _member(call: Call) -> Member:
    return await queries.get_member(call.session, call.principal.account_id, call.path["id"])


async def _membership_context(call: Call, row: MembershipRow) -> rules.MembershipContext:
    others = await queries.count_other_owners(call.session, row.account_id, row.user_id)
    return rules.MembershipContext(row.user_id == call.principal.user_id, others)


async def _part(call: Call, row: MembershipRow) -> None:
    """Remove the member, their sessions in this account, and the open invitations that they sent."""
    call.detail |= {"user_id": row.user_id, "role": row.role}
    await revoke_sessions(call.session, row.user_id, call.now, account_id=row.account_id)
    await _withdraw(call, row.user_id, None)
    await call.session.delete(row)


async def _withdraw(call: Call, user_id: str, role: Role | None) -> None:
    fallen = await queries.withdraw_invitations(
        call.session, call.principal.account_id, user_id, role
    )
    if fallen:
        call.detail["invitations_withdrawn"] = fallen


def _shown(member: Member) -> Reply:
    return versioned(_public(member), member.row.version)


def _taken(message: Message) -> Refused:
    return Refused(ErrorCode.ALREADY_EXISTS, message, param="email")


def _public(member: Member) -> MemberPublic:
    row = member.row
    return from_row(
        MemberPublic,
        row,
        user_id=row.user_id if isinstance(row, MembershipRow) else None,
        email=member.email,
        name=member.name,
        status="active" if isinstance(row, MembershipRow) else "invited",
        expires_at=None if isinstance(row, MembershipRow) else row.expires_at,
        last_active_at=member.last_active_at,
        second_factor=member.second_factor,
    )
