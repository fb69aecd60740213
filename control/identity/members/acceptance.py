"""Accepting an invitation: the caller presents its token, proves their identity, and becomes a member."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.values.errors import Detail, ErrorCode, Refused
from common.values.ids import new_id
from common.values.messages import Message
from control.api import audit
from control.api.authentication import check_account, token_hash
from control.api.context import ControlContext
from control.foundation.password_hashing import Passwords
from control.foundation.rate_limit import Rate, check_rate
from control.identity.accounts.proofs import record_proof
from control.identity.accounts.queries import find_user_by_email
from control.identity.members.queries import Member
from control.identity.members.schemas import InvitationAccept
from control.identity.passwords.rules import check_password
from control.identity.users.trusted_networks import remember_network
from control.outbox.changes import Changes
from control.storage.tables.accounts import AccountRow, MembershipRow, UserRow
from control.storage.tables.members import InvitationRow

_ATTEMPTS = Rate(5, 300.0, burst=5)
"""Limit of wrong passwords for one invitation."""


@dataclass(frozen=True, slots=True)
class InvitationProof:
    """The accepting person: the id of an existing user, or the hash of a new user's password."""

    user_id: str | None
    password_hash: str | None


@dataclass(frozen=True, slots=True)
class OpenInvitation:
    """What an invitation is for, as a page shows it to the holder of its token."""

    account: str
    inviter: str | None
    role: str
    email: str
    is_known: bool
    """The invited person already has a user."""


async def find_open_invitation(
    session: AsyncSession, token: str, now: datetime
) -> OpenInvitation | None:
    """
    None for a used, withdrawn, unknown or expired token. Runs as the service.

    No operation offers this: the API takes the token only to accept the invitation.
    """
    known = exists(col(UserRow.id)).where(col(UserRow.email) == col(InvitationRow.email))
    inviter = select(col(UserRow.name)).where(col(UserRow.id) == col(InvitationRow.invited_by))
    wanted = (
        select(InvitationRow, col(AccountRow.name), inviter.scalar_subquery(), known)
        .join(AccountRow, col(AccountRow.id) == col(InvitationRow.account_id))
        .where(
            col(InvitationRow.token_hash) == token_hash(token), col(InvitationRow.expires_at) > now
        )
    )
    found = (await session.execute(wanted)).one_or_none()
    if found is None:
        return None
    row, account, inviter_name, is_known = found
    return OpenInvitation(account, inviter_name, row.role, row.email, is_known)


async def prove(
    control: ControlContext, body: InvitationAccept, now: datetime, *, signed_in: str | None
) -> InvitationProof:
    """
    Check the identity of the accepting person, before the transaction, because hashing takes long.

    *signed_in*: the user of the access token that was sent along.
    Raises `Refused`: ``token_invalid``, ``token_expired``, ``invalid_grant``, or a 422 about a new person.
    """
    async with control.database.service() as session:
        row = await _get_invitation(session, body.token, now, lock=False)
        user = await find_user_by_email(session, row.email)
        stored = user.password_hash if user else None
    if user is None:
        _check_new_person(body, row.email)
        return InvitationProof(None, await control.get(Passwords).hash(body.password or ""))
    if signed_in is not None and signed_in != user.id:
        raise _refused(
            Message(
                "The invitation is for {email}. Sign in with that address, or use its password.",
                email=row.email,
            )
        )
    if signed_in is None:
        now_s = control.clock.monotonic_s()
        check_rate(control.limiter, f"accept:{row.id}", _ATTEMPTS, now_s)
        if not await control.get(Passwords).verify(stored, body.password or ""):
            raise _refused(
                Message(
                    "{email} already has a user. Send that user's password as `password`.",
                    email=row.email,
                )
            )
    return InvitationProof(user.id, None)


async def accept_invitation(
    session: AsyncSession,
    body: InvitationAccept,
    proof: InvitationProof,
    *,
    changes: Changes,
    now: datetime,
    origin: str,
    request_id: str | None = None,
) -> tuple[AccountRow, Member]:
    """
    Turn the invitation into a membership; this also verifies the address, to which the token was mailed.
    Runs as the service. Raises `Refused`.
    """
    row = await _get_invitation(session, body.token, now, lock=True)
    user = await _person(session, row, body, proof, now)
    account = await session.get_one(AccountRow, row.account_id)
    membership = MembershipRow(
        account_id=row.account_id,
        user_id=user.id,
        id=row.id,
        role=row.role,
        invited_by=row.invited_by,
        version=row.version + 1,
        created_at=now,
        updated_at=now,
    )
    await session.delete(row)
    session.add(membership)
    await record_proof(session, user, changes=changes, now=now)
    await remember_network(session, user.id, origin, now)
    audit.record(
        session,
        account_id=membership.account_id,
        now=now,
        actor=f"user:{user.id}",
        action="invitation.accept",
        object_type="member",
        object_id=membership.id,
        origin=origin,
        request_id=request_id,
        detail={"role": membership.role},
    )
    await session.flush()
    return account, Member(membership, user.email, user.name)


async def _get_invitation(
    session: AsyncSession, token: str, now: datetime, *, lock: bool
) -> InvitationRow:
    """Raises `Refused`: one error for a used, withdrawn or unknown token, another for an expired one."""
    wanted = select(InvitationRow).where(col(InvitationRow.token_hash) == token_hash(token))
    row = await session.scalar(wanted.with_for_update() if lock else wanted)
    if row is None:
        raise Refused(
            ErrorCode.TOKEN_INVALID,
            Message(
                "The invitation was already used, withdrawn or sent again. Use the newest mail, or "
                "ask for a new invitation."
            ),
            param="token",
        )
    if row.expires_at <= now:
        raise Refused(
            ErrorCode.TOKEN_EXPIRED,
            Message("The invitation has expired. Ask the person who invited you to send it again."),
            param="token",
        )
    check_account((await session.get_one(AccountRow, row.account_id)).state)
    return row


async def _person(
    session: AsyncSession,
    row: InvitationRow,
    body: InvitationAccept,
    proof: InvitationProof,
    now: datetime,
) -> UserRow:
    if proof.user_id is not None:
        return await session.get_one(UserRow, proof.user_id)
    user = UserRow(
        id=new_id(),
        email=row.email,
        name=body.name or "",
        password_hash=proof.password_hash or "",
        created_at=now,
        email_verified_at=now,
    )
    session.add(user)
    await session.flush()
    return user


def _check_new_person(body: InvitationAccept, email: str) -> None:
    missing = [name for name in ("name", "password") if getattr(body, name) is None]
    if missing:
        message = Message(
            "This address has no user yet. Send a `name`, and a `password` of 12 to 256 characters."
        )
        raise Refused(
            ErrorCode.VALIDATION_FAILED,
            message,
            param=missing[0],
            details=tuple(Detail(name, "required", message) for name in missing),
        )
    check_password("password", body.password or "", email, body.name or "")


def _refused(message: Message) -> Refused:
    return Refused(ErrorCode.INVALID_GRANT, message, param="password")
