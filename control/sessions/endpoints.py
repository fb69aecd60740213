"""Sign-in: access tokens for a password, or for the refresh token that came with the last one."""

from datetime import timedelta
from typing import assert_never

from common.contract.operation import Answer, Operation, Plane
from common.errors import ErrorCode, Refused
from control.accounts.queries import find_user_by_email
from control.accounts.schemas import normal_email
from control.authentication import check_account
from control.call import Call, Endpoint, Reply
from control.http.inputs import FORM, JSON
from control.rate_limit import Rate, check_rate
from control.sessions.queries import (
    Life,
    Tokens,
    add_tokens,
    claim_refresh_token,
    find_account_of,
    revoke_family,
)
from control.sessions.schemas import PasswordGrant, RefreshGrant, TokenAnswer, TokenRequest
from control.settings import ControlSettings
from control.tables.accounts import AccountRow

_ATTEMPTS = Rate(10, 300.0, burst=10)
"""Wrong passwords for one address from one place; a right one clears the count."""

GET_TOKEN = Operation(
    id="getToken",
    method="POST",
    path="/v1/auth/token",
    plane=Plane.CONTROL,
    tag="Sign-in",
    summary="Get or renew an access token",
    description=(
        "`grant_type=password` signs in; `grant_type=refresh_token` renews. A refresh token is good for one use: "
        "using it again revokes every token that came from the same sign-in. The form body of OAuth 2.0 is taken "
        "too; a refusal is `invalid_grant` in our envelope."
    ),
    body=TokenRequest,
    body_example={
        "grant_type": "password",
        "email": "ana@acme.example",
        "password": "correct horse battery",
    },
    body_media_types=(JSON, FORM),
    answers=(
        Answer(
            200,
            "The tokens. They are shown once.",
            TokenAnswer,
            headers={"Cache-Control": "Always `no-store`."},
            example={
                "access_token": "at_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "token_type": "Bearer",
                "expires_in": 3600,
                "refresh_token": "rt_9k1-2bAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            },
        ),
    ),
    errors=(
        ErrorCode.INVALID_GRANT,
        ErrorCode.TENANT_SUSPENDED,
        ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    ),
)


async def get_token(call: Call) -> Reply:
    request: TokenRequest = call.body
    grant = request.root
    match grant:
        case PasswordGrant():
            tokens = await _sign_in(call, grant)
        case RefreshGrant():
            tokens = await _refresh(call, grant)
        case _:
            assert_never(grant)
    answer = TokenAnswer(
        access_token=tokens.access,
        expires_in=call.control.settings.access_token_s,
        refresh_token=tokens.refresh,
    )
    return Reply(answer, headers={"Cache-Control": "no-store", "Pragma": "no-cache"}, secret=True)


async def _sign_in(call: Call, grant: PasswordGrant) -> Tokens:
    """A stranger's address and a wrong password look the same, and take the same time."""
    email = normal_email(grant.address)
    attempt = f"sign-in:{email}:{call.client_ip}"
    check_rate(call.control.limiter, attempt, _ATTEMPTS, call.control.clock.monotonic_s())
    user = await find_user_by_email(call.session, email)
    stored = user.password_hash if user else None
    if not await call.control.passwords.verify(stored, grant.password) or user is None:
        raise _refused("E-mail and password do not match. Check both; nothing says which is wrong.")
    call.control.limiter.forget(attempt)
    account = _usable(await find_account_of(call.session, user.id))
    return add_tokens(
        call.session,
        account_id=account.id,
        user_id=user.id,
        life=_life(call.control.settings),
        now=call.now,
    )


async def _refresh(call: Call, grant: RefreshGrant) -> Tokens:
    row = await claim_refresh_token(call.session, grant.refresh_token)
    if row is not None and row.used_at is not None:
        await _punish_reuse(call, row.family_id)
    if row is None or row.used_at or row.revoked_at or row.expires_at <= call.now:
        raise _refused("The refresh token is unknown, used or expired. Sign in again.")
    row.used_at = call.now
    account = _usable(await call.session.get(AccountRow, row.account_id))
    return add_tokens(
        call.session,
        account_id=account.id,
        user_id=row.user_id,
        life=_life(call.control.settings),
        now=call.now,
        family_id=row.family_id,
    )


async def _punish_reuse(call: Call, family_id: str) -> None:
    """
    Whoever shows a used refresh token stole it, or was robbed: its family ends.

    In a transaction of its own, for this call's ends with a refusal and would take the revocation with it.
    """
    async with call.control.database.service() as session:
        await revoke_family(session, family_id, call.now)


def _usable(account: AccountRow | None) -> AccountRow:
    if account is None:
        raise _refused("You are a member of no account any more. Ask an owner to invite you.")
    check_account(account.state)
    return account


def _life(settings: ControlSettings) -> Life:
    return Life(
        timedelta(seconds=settings.access_token_s), timedelta(seconds=settings.refresh_token_s)
    )


def _refused(message: str) -> Refused:
    return Refused(ErrorCode.INVALID_GRANT, message, headers={"Cache-Control": "no-store"})


ENDPOINTS = (Endpoint(GET_TOKEN, get_token),)
