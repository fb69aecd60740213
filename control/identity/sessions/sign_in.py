"""Signing in by password, and by a second factor if the user has one."""

from dataclasses import dataclass

from common.http.client_address import network_of
from common.user_agent.user_agent import parse_user_agent
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from control.api.authentication import check_account
from control.api.call import Call, PreTransactionCall
from control.api.mail.kinds import MailKind
from control.api.session_limits import limits_of
from control.foundation.password_hashing import Passwords
from control.identity.accounts.failed_sign_ins import record_failed_sign_in
from control.identity.accounts.queries import find_user_by_email
from control.identity.sessions.create_session import start_session
from control.identity.sessions.grant_errors import check_found, refused
from control.identity.sessions.queries import Tokens, add_tokens, find_account_of
from control.identity.sessions.schemas import PasswordGrant
from control.identity.sessions.sign_in_throttle import Attempt
from control.identity.two_factor.queries import (
    accept_code,
    accept_recovery_code,
    count_recovery_codes,
    find_active_factor,
)
from control.identity.users.addresses import find_email
from control.identity.users.mails import queue_letter_to_user, recipient_of, recovery_used_letter
from control.identity.users.trusted_networks import is_known_network, remember_network
from control.storage.tables.accounts import AccountRow, UserRow
from control.storage.tables.sessions import SessionRow


@dataclass(frozen=True, slots=True)
class Proven:
    """A user whose password was right. ``stored``: the hash it was checked against; ``fresh``: one at today's cost."""

    user_id: str
    stored: str
    fresh: str | None
    agent: str
    attempt: Attempt


async def prove_password(call: PreTransactionCall, grant: PasswordGrant) -> Proven:
    """
    Check the password. An unknown address and a wrong password give the same answer and take the same time.

    Raises `Refused`. No transaction is open while the hash is computed.
    """
    control, address = call.control, call.client_ip
    email = find_email(grant.address) or grant.address.strip().lower()
    async with control.database.service() as session:
        user = await find_user_by_email(session, email)
        known = await is_known_network(session, user.id if user else "", address)
        attempt = Attempt(email, network_of(address), known)
        await attempt.begin(session, call.now)
    stored = user.password_hash if user else None
    matches = await control.get(Passwords).verify(stored, grant.password)
    if not matches or user is None or stored is None:
        await record_failed_sign_in(
            control,
            email=email,
            user_id=user.id if user else None,
            address=address,
            why="password",
            now=call.now,
        )
        raise _mismatch()
    is_old = control.get(Passwords).is_outdated(stored)
    fresh = await control.get(Passwords).hash(grant.password) if is_old else None
    agent = parse_user_agent(call.request.headers.getone("user-agent", "")).family or ""
    return Proven(user.id, stored, fresh, agent, attempt)


async def sign_in(call: Call, grant: PasswordGrant) -> Tokens:
    """Sign in and return a token pair. Raises `Refused`."""
    started = await open_session(call, grant)
    return add_tokens(call.session, started, limits_of(call.control.settings), call.now)


async def open_session(
    call: Call, grant: PasswordGrant, *, even_suspended: bool = False
) -> SessionRow:
    """
    Open a session, without a token, for a user whose password was checked (`prove_password`). Raises `Refused`.
    *even_suspended*: as of `open_session_of`.
    """
    user = await check_user(call, grant.otp)
    return await open_session_of(call, user, grant, even_suspended=even_suspended)


async def check_user(call: Call, otp: str | None) -> UserRow:
    """The user whose password was checked, after the other checks of a sign-in. Raises `Refused`."""
    proven: Proven = call.prepared
    user = await call.session.get(UserRow, proven.user_id, with_for_update={"key_share": True})
    if user is None or user.password_hash != proven.stored:
        raise _mismatch()  # the password was changed a moment ago
    _check_verified(call, user)
    await _check_second_factor(call, user, otp)
    return user


async def open_session_of(
    call: Call, user: UserRow, grant: PasswordGrant, *, even_suspended: bool = False
) -> SessionRow:
    """
    Open a session of a user from `check_user`. Raises `Refused`.
    *even_suspended*: accept a suspended account too. The session gives no access there, but a page can show the reason.
    """
    proven: Proven = call.prepared
    account = await _choose_account(call, user, grant)
    if not even_suspended:
        check_account(account.state)
    started = await start_session(call, account.id, user.id, proven.agent)
    await finish_sign_in(call, user)
    return started


async def finish_sign_in(call: Call, user: UserRow) -> None:
    """Store what a sign-in of a user from `check_user` leaves besides its session."""
    proven: Proven = call.prepared
    if proven.fresh is not None:
        user.password_hash = proven.fresh
    await remember_network(call.session, user.id, call.client_ip, call.now)
    await proven.attempt.succeed(call.session)


def _check_verified(call: Call, user: UserRow) -> None:
    if call.control.settings.require_verified_email and user.email_verified_at is None:
        raise Refused(
            ErrorCode.EMAIL_UNVERIFIED,
            Message(
                "The address is not verified yet. Follow the link in the mail we sent. For a new "
                "mail, request a password reset at POST /v1/auth/password-reset, which verifies the "
                "address too."
            ),
            param="email",
            headers={"Cache-Control": "no-store"},
        )


async def _check_second_factor(call: Call, user: UserRow, given: str | None) -> None:
    """A wrong code counts as a failed attempt; a missing code does not."""
    factor = await find_active_factor(call.session, user.id)
    if factor is None:
        return
    if given is None:
        await _refund(call)
        raise _wants_code(
            "otp_required",
            Message(
                "A second factor is required. Send `otp`: a code of your authenticator app, or a "
                "recovery code."
            ),
        )
    if accept_code(factor, given, call.control.keys, call.now):
        return
    if not await accept_recovery_code(call.session, user.id, given, call.now):
        await record_failed_sign_in(
            call.control,
            email=user.email,
            user_id=user.id,
            address=call.client_ip,
            why="second_factor",
            now=call.now,
        )
        raise _wants_code(
            "otp_wrong",
            Message(
                "`otp` is wrong or was already used. Send the newest code, or a recovery code."
            ),
        )
    left = await count_recovery_codes(call.session, user.id)
    queue_letter_to_user(
        call.session,
        recovery_used_letter(left),
        recipient_of(user),
        kind=MailKind.RECOVERY_CODE_USED,
        keys=call.control.keys,
        now=call.now,
    )


async def _refund(call: Call) -> None:
    """Runs in a separate transaction, because the caller's is rolled back."""
    proven: Proven = call.prepared
    async with call.control.database.service() as session:
        await proven.attempt.refund(session)


async def _choose_account(call: Call, user: UserRow, grant: PasswordGrant) -> AccountRow:
    found = await find_account_of(call.session, user.id, grant.account_id)
    if found is None and grant.account_id is not None:
        raise refused(
            Message(
                "You are not a member of this account. Leave `account_id` out, or use one of GET "
                "/v1/accounts."
            ),
            param="account_id",
        )
    return check_found(found)


def _mismatch() -> Refused:
    return refused(Message("Incorrect email or password."))


def _wants_code(code: str, message: Message) -> Refused:
    return Refused(
        ErrorCode.INVALID_GRANT,
        message,
        param="otp",
        details=(Detail("otp", code, message),),
        headers={"Cache-Control": "no-store"},
    )
