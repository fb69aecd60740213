"""Accepting an invitation: who shows its token proves who they are, and is a member from then on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.contract.operation import Auth
from common.errors import Detail, ErrorCode, Refused
from common.ids import new_id
from control.accounts import audit
from control.accounts.queries import find_user_by_email
from control.accounts.schemas import account_public
from control.authentication import (
    ACCESS_PREFIX,
    authenticate,
    bearer_starts_with,
    check_account,
    token_hash,
)
from control.call import Approach, Call, Prepared, Reply
from control.members.queries import Member
from control.members.rows import to_public
from control.members.schemas import InvitationAccept, InvitationAccepted
from control.passwords.rules import check_password
from control.people.origins import note_origin
from control.rate_limit import Rate, check_rate
from control.tables.accounts import AccountRow, MembershipRow, UserRow
from control.tables.members import InvitationRow

_ATTEMPTS = Rate(5, 300.0, burst=5)
"""Wrong passwords for one invitation."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Who accepts: a person known before, or the hash of a new person's password."""

    user_id: str | None
    password_hash: str | None


@asynccontextmanager
async def prove_identity(approach: Approach) -> AsyncIterator[Prepared]:
    """Before the transaction, for hashing takes its time. Raises `Refused`."""
    body: InvitationAccept = approach.body
    control = approach.control
    async with control.database.service() as session:
        row = await _get_invitation(session, body.token, approach, lock=False)
        user = await find_user_by_email(session, row.email)
        stored = user.password_hash if user else None
    if user is None:
        _check_new_person(body, row.email)
        hashed = await control.passwords.hash(body.password or "")
        yield Prepared(Proof(None, hashed))
        return
    if bearer_starts_with(approach.request, ACCESS_PREFIX):
        operation = replace(approach.operation, auth=(Auth.ACCESS_TOKEN,))
        principal = await authenticate(control, operation, approach.request)
        if principal.user_id != user.id:
            raise _refused(
                f"The invitation is for {row.email}. Sign in as them, or use their password."
            )
    else:
        limit_key = f"accept:{row.id}"
        check_rate(control.limiter, limit_key, _ATTEMPTS, control.clock.monotonic_s())
        if not await control.passwords.verify(stored, body.password or ""):
            raise _refused(f"{row.email} has a sign-in already. Send its password as `password`.")
    yield Prepared(Proof(user.id, None))


async def accept(call: Call) -> Reply:
    body: InvitationAccept = call.body
    proof: Proof = call.prepared
    row = await _get_invitation(call.session, body.token, call, lock=True)
    user = await _person(call, row, proof)
    account = await call.session.get_one(AccountRow, row.account_id)
    membership = MembershipRow(
        account_id=row.account_id,
        user_id=user.id,
        id=row.id,
        role=row.role,
        invited_by=row.invited_by,
        version=row.version + 1,
        created_at=call.now,
        updated_at=call.now,
    )
    await call.session.delete(row)
    call.session.add(membership)
    await call.session.flush()
    user.email_verified_at = call.now
    await note_origin(call.session, user.id, call.client_ip, call.now)
    _record(call, membership)
    member = to_public(Member(membership, user.email, user.name))
    return Reply(InvitationAccepted(account=account_public(account), member=member), status=201)


async def _get_invitation(
    session: AsyncSession, token: str, call: Approach | Call, *, lock: bool
) -> InvitationRow:
    """Raises `Refused`: used, taken back or never made are one; expired says so."""
    wanted = select(InvitationRow).where(col(InvitationRow.token_hash) == token_hash(token))
    row = await session.scalar(wanted.with_for_update() if lock else wanted)
    if row is None:
        raise Refused(
            ErrorCode.TOKEN_INVALID,
            "The invitation was used, taken back or sent again. Use the newest mail, or ask for one.",
            param="token",
        )
    if row.expires_at <= call.now:
        raise Refused(
            ErrorCode.TOKEN_EXPIRED,
            "The invitation has expired. Ask who invited you to send it again.",
            param="token",
        )
    check_account((await session.get_one(AccountRow, row.account_id)).state)
    return row


async def _person(call: Call, row: InvitationRow, proof: Proof) -> UserRow:
    if proof.user_id is not None:
        return await call.session.get_one(UserRow, proof.user_id)
    body: InvitationAccept = call.body
    user = UserRow(
        id=new_id(),
        email=row.email,
        name=body.name or "",
        password_hash=proof.password_hash or "",
        created_at=call.now,
    )
    call.session.add(user)
    await call.session.flush()
    return user


def _record(call: Call, membership: MembershipRow) -> None:
    audit.record(
        call.session,
        account_id=membership.account_id,
        now=call.now,
        actor=f"user:{membership.user_id}",
        action="invitation.accept",
        object_type="member",
        object_id=membership.id,
        origin=call.client_ip,
        request_id=call.request_id,
        detail={"role": membership.role},
    )


def _check_new_person(body: InvitationAccept, email: str) -> None:
    missing = [name for name in ("name", "password") if getattr(body, name) is None]
    if missing:
        message = "You are new here: send a `name`, and a `password` of 12 to 256 characters."
        raise Refused(
            ErrorCode.VALIDATION_FAILED,
            message,
            param=missing[0],
            details=tuple(Detail(name, "required", message) for name in missing),
        )
    check_password("password", body.password or "", email, body.name or "")


def _refused(message: str) -> Refused:
    return Refused(ErrorCode.INVALID_GRANT, message, param="password")
