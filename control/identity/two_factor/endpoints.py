"""The endpoints of the second factor: set up, turned on with a code, turned off with password and code."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.service.secrets import Purpose
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.mail.kinds import MailKind
from control.api.mail.letter import Letter
from control.foundation.rate_limit import Rate
from control.identity.passwords.change import check_own_password
from control.identity.two_factor import operations, queries, rules
from control.identity.two_factor.schemas import (
    RecoveryCodes,
    SecondFactorConfirm,
    SecondFactorCreate,
    SecondFactorCreated,
    SecondFactorDisable,
)
from control.identity.users.current_user import current_user
from control.identity.users.mails import (
    factor_added_letter,
    factor_removed_letter,
    queue_letter_to_user,
    recipient_of,
)
from control.storage.db_rate_limit import Throttle
from control.storage.tables.accounts import UserRow
from control.storage.tables.people import SecondFactorRow

_CODES = Throttle("second-factor", Rate(10, 300.0, burst=10))
"""Limit of codes for one user, sent under their own session."""


@asynccontextmanager
async def _check_password(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    body: SecondFactorCreate = call.body
    await check_own_password(call, body.password, "password")
    yield PreparedInput(None)


@asynccontextmanager
async def _check_password_and_rate(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    body: SecondFactorDisable = call.body
    await check_own_password(call, body.password, "password")
    await _count_attempt(call)
    yield PreparedInput(None)


@asynccontextmanager
async def _check_rate(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    _ = call.body
    await _count_attempt(call)
    yield PreparedInput(None)


async def create(call: Call) -> Reply:
    user = await _get_self(call)
    found = await queries.find_factor(call.session, user.id)
    if found is not None and found.confirmed_at is not None:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "A second factor is already on. Turn it off at POST /v1/auth/totp/disable before you "
                "set up another."
            ),
        )
    secret = rules.new_secret()
    row = found or SecondFactorRow(user_id=user.id, sealed="", created_at=call.now)
    row.sealed = call.control.keys.seal(Purpose.SECOND_FACTORS, secret.encode(), bound_to=user.id)
    row.created_at = call.now
    row.last_step = 0
    call.session.add(row)
    url = rules.otpauth_url(secret, user.email)
    return Reply(SecondFactorCreated(secret=secret, otpauth_url=url), status=201, secret=True)


async def confirm(call: Call) -> Reply:
    body: SecondFactorConfirm = call.body
    user = await _get_self(call)
    row = await queries.find_factor(call.session, user.id)
    if row is None or row.confirmed_at is not None:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("There is no second factor to confirm. Set one up at POST /v1/auth/totp."),
        )
    if not queries.accept_code(row, body.code, call.control.keys, call.now):
        raise _wrong(
            Message(
                "The code is wrong or was already used. Send the code that the app shows now, and "
                "check the clock of its device."
            )
        )
    row.confirmed_at = call.now
    codes = rules.new_recovery_codes()
    await queries.replace_recovery_codes(call.session, user.id, codes, call.now)
    await _CODES.reset(call.session, user.id)
    _queue_mail(call, factor_added_letter(), user, MailKind.SECOND_FACTOR_ON)
    return Reply(RecoveryCodes(recovery_codes=codes), secret=True)


async def disable(call: Call) -> Reply:
    body: SecondFactorDisable = call.body
    user = await _get_self(call)
    row = await queries.find_active_factor(call.session, user.id)
    if row is None:
        raise Refused(
            ErrorCode.INVALID_STATE, Message("No second factor is on. There is nothing to do.")
        )
    if not queries.accept_code(
        row, body.code, call.control.keys, call.now
    ) and not await queries.accept_recovery_code(call.session, user.id, body.code, call.now):
        raise _wrong(
            Message(
                "The code is wrong or was already used. Send the code that the app shows now, or a "
                "recovery code."
            )
        )
    await queries.delete_factor(call.session, user.id)
    await _CODES.reset(call.session, user.id)
    _queue_mail(call, factor_removed_letter(), user, MailKind.SECOND_FACTOR_OFF)
    return Reply(status=204)


ENDPOINTS = (
    Endpoint(operations.CREATE, create, prepare=_check_password, of_person=True),
    Endpoint(operations.CONFIRM, confirm, prepare=_check_rate, of_person=True),
    Endpoint(operations.DISABLE, disable, prepare=_check_password_and_rate, of_person=True),
)


async def _get_self(call: Call) -> UserRow:
    """Lock the user until the transaction ends, so that concurrent calls about one factor run one after the other."""
    call.object_id = current_user(call.principal).user_id
    return await call.session.get_one(UserRow, call.object_id, with_for_update={"key_share": True})


async def _count_attempt(call: PreTransactionCall) -> None:
    """Runs in a separate transaction, so that a refusal does not undo the count."""
    async with call.control.database.service() as session:
        await _CODES.check(session, call.now, current_user(call.principal).user_id)


def _queue_mail(call: Call, letter: Letter, user: UserRow, kind: MailKind) -> None:
    queue_letter_to_user(
        call.session, letter, recipient_of(user), kind=kind, keys=call.control.keys, now=call.now
    )


def _wrong(message: Message) -> Refused:
    return Refused(
        ErrorCode.INVALID_GRANT,
        message,
        param="code",
        details=(Detail("code", "otp_wrong", message),),
    )
