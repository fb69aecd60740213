"""
Authenticates requests: from the bearer token to a `Principal`, in the documented order of refusals.

missing_key, invalid_key (malformed, wrong kind, unknown), wrong_environment, key_revoked, tenant_suspended.
Every request looks the token up, so that a revocation holds from the next request on.
"""

import hashlib
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sanic import Request

from common.contract.operation import Auth, Operation
from common.contract.permissions import Permission, Role, permissions_of
from common.values.enums import AccountState
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused
from common.values.keys import KeyKind, KeyText, find_key_text
from common.values.messages import Message
from control.api.context import ControlContext
from control.api.last_used import SessionUse
from control.api.session_limits import limits_of
from control.foundation.principal import Principal

ACCESS_PREFIX = "at_"
REFRESH_PREFIX = "rt_"
COOKIE_PREFIX = "st_"
_RANDOM_BYTES = 32
_TOKEN_CHARS = 3 + 43
_NEVER_IN_A_URL = ("sk_", "ak_", ACCESS_PREFIX, REFRESH_PREFIX, COOKIE_PREFIX)
NEEDS_SECOND_FACTOR = frozenset({Role.OWNER, Role.ADMIN, Role.FINANCE})
"""Roles for which an account may require a second factor: they can grant rights, or move money."""
_USABLE = frozenset({AccountState.ACTIVE, AccountState.PAST_DUE})
_AUTH_OF = {
    KeyKind.PUBLISHABLE: Auth.PUBLISHABLE_KEY,
    KeyKind.SECRET: Auth.SECRET_KEY,
    KeyKind.INTEGRATION: Auth.INTEGRATION_KEY,
}
_NAME_OF = {
    Auth.PUBLISHABLE_KEY: "a publishable key (pk_…)",
    Auth.SECRET_KEY: "a secret key (sk_…)",
    Auth.INTEGRATION_KEY: "an integration key (ak_…)",
    Auth.ACCESS_TOKEN: "an access token (at_…)",
}


async def authenticate(
    control: ControlContext, operation: Operation, request: Request
) -> Principal:
    """Raises `Refused`. *operation* requires authentication."""
    token = _bearer(request, operation)
    if token.startswith(ACCESS_PREFIX):
        return await _signed_in(control, operation, token)
    key = find_key_text(token)
    if key is None:
        raise _malformed(token, operation)
    auth = _AUTH_OF[key.kind]
    if auth not in operation.auth and key.kind is not KeyKind.INTEGRATION:
        raise _invalid(
            Message(
                "This operation does not accept {credential}. {accepted}",
                credential=_NAME_OF[auth],
                accepted=_takes(operation),
            )
        )
    requested = request.args.get("environment")
    if requested in tuple(Environment) and requested != key.environment:
        raise wrong_environment(key.environment)
    return await _key_holder(control, key, auth)


def bearer_starts_with(request: Request, prefix: str) -> bool:
    """Whether the request has a bearer token of this kind, valid or not."""
    scheme, _, token = str(request.headers.getone("authorization", "")).strip().partition(" ")
    return scheme.lower() == "bearer" and token.strip().startswith(prefix)


def new_token(prefix: str) -> str:
    """Returns an access or refresh token: its prefix and 256 random bits."""
    return prefix + secrets.token_urlsafe(_RANDOM_BYTES)


def token_hash(token: str) -> bytes:
    """Hash under which a token is stored and looked up: SHA-256, enough for 256 random bits."""
    return hashlib.sha256(token.encode()).digest()


def check_account(state: str) -> None:
    """Raises `Refused` (``tenant_suspended``) unless the account may act."""
    if state not in _USABLE:
        raise Refused(
            ErrorCode.TENANT_SUSPENDED,
            Message(
                "The account is suspended. Pay what is due or contact support, then try again."
            ),
        )


def wrong_environment(own: Environment) -> Refused:
    return Refused(
        ErrorCode.WRONG_ENVIRONMENT,
        Message(
            "This is a {environment} key, which reads and writes only {environment} objects. Use "
            "a key of the other environment.",
            environment=own,
        ),
        param="environment",
    )


async def _signed_in(control: ControlContext, operation: Operation, token: str) -> Principal:
    if Auth.ACCESS_TOKEN not in operation.auth:
        raise _invalid(
            Message(
                "This operation does not accept an access token. {accepted}",
                accepted=_takes(operation),
            )
        )
    if len(token) != _TOKEN_CHARS:
        raise _malformed(token, operation)
    row = await _find(control, "find_access_token", token_hash(token))
    if row is None or row["kind"] != "access" or row["role"] is None:
        raise _invalid(Message("The access token is unknown. Get one at POST /v1/auth/token."))
    if _has_ended(control, row):
        raise _invalid(
            Message(
                "The access token has expired or was revoked. Refresh it or sign in at POST "
                "/v1/auth/token."
            )
        )
    check_account(row["account_state"])
    return _member(control, row)


async def find_cookie_holder(
    control: ControlContext, token: str, *, is_use: bool = True
) -> Principal | None:
    """
    Returns the principal of a browser's session cookie, or None where its session does not exist or has ended.

    Raises `Refused` for a suspended account. The cookie is valid for pages only: as a bearer token it is unknown.
    *is_use*: False for an automatic check, which does not prolong the session.
    """
    row = await _find_cookie(control, token)
    if row is None:
        return None
    check_account(row["account_state"])
    return _member(control, row, is_use=is_use)


async def find_suspended_holder(control: ControlContext, token: str) -> Principal | None:
    """Returns the principal of a session cookie in a suspended account, where the cookie is not accepted; else None."""
    row = await _find_cookie(control, token)
    return None if row is None or row["account_state"] in _USABLE else _member(control, row)


async def _find_cookie(control: ControlContext, token: str) -> Mapping[str, Any] | None:
    if not token.startswith(COOKIE_PREFIX) or len(token) != _TOKEN_CHARS:
        return None
    row = await _find(control, "find_access_token", token_hash(token))
    if row is None or row["kind"] != "cookie" or row["role"] is None or _has_ended(control, row):
        return None
    return row


def _has_ended(control: ControlContext, row: Mapping[str, Any]) -> bool:
    limits = limits_of(control.settings)
    ends_at = limits.ends_at(row["session_created_at"], row["session_used_at"])
    revoked = row["revoked_at"] is not None or row["session_revoked_at"] is not None
    return revoked or min(row["expires_at"], ends_at) <= control.clock.now()


def _member(control: ControlContext, row: Mapping[str, Any], *, is_use: bool = True) -> Principal:
    if is_use:
        control.get(SessionUse).record(row["session_id"], control.clock.now())
    role = Role(row["role"])
    demanded = row["require_second_factor"] and role in NEEDS_SECOND_FACTOR
    return Principal(
        auth=Auth.ACCESS_TOKEN,
        account_id=row["account_id"],
        user_id=row["user_id"],
        role=role,
        is_operator=row["is_operator"],
        permissions=permissions_of(role, operator=row["is_operator"]),
        scopes=frozenset(),
        lost=frozenset(),
        key_id=None,
        environment=None,
        property_id=None,
        session_id=row["session_id"],
        must_enrol=demanded and not row["has_second_factor"],
    )


async def _key_holder(control: ControlContext, key: KeyText, auth: Auth) -> Principal:
    row = await _find(control, "find_key", key.hash)
    now = control.clock.now()
    if row is None:
        raise _invalid(
            Message(
                "The key {key} is unknown. Check that you copied the right key.",
                key=key.redacted,
            )
        )
    if _is_over(row["revoked_at"], now) or _is_over(row["expires_at"], now):
        raise Refused(
            ErrorCode.KEY_REVOKED,
            Message(
                "The key {key} was rotated, revoked or has expired. Use its replacement.",
                key=key.redacted,
            ),
        )
    check_account(row["account_state"])
    control.key_use.record(row["key_id"], now)
    scopes = frozenset(Permission(scope) for scope in row["scopes"])
    return principal_of_key(row, auth, scopes, key.environment)


def principal_of_key(
    row: Mapping[str, Any], auth: Auth, scopes: frozenset[Permission], environment: Environment
) -> Principal:
    """
    *row*: the current key, with the role of its creator.
    The permissions are those in both its scopes and that role.
    """
    role = Role(row["creator_role"]) if row["creator_role"] else None
    held = permissions_of(role, operator=False) if role else frozenset()
    return Principal(
        auth=auth,
        account_id=row["account_id"],
        user_id=row["created_by"],
        role=role,
        is_operator=False,
        permissions=scopes & held,
        scopes=scopes,
        lost=scopes - held,
        key_id=row["key_id"],
        environment=environment,
        property_id=row["property_id"],
    )


async def _find(control: ControlContext, function: str, digest: bytes) -> Mapping[str, Any] | None:
    """*function* is one of the two look-ups that are allowed before the account is known."""
    return await control.database.find(f"select * from {function}($1)", digest)  # noqa: S608 - a name of ours


def _bearer(request: Request, operation: Operation) -> str:
    given: list[Any] = request.headers.getall("authorization", [])
    scheme, _, token = (given[0] if given else "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        _refuse_key_in_url(request, operation)
        raise Refused(
            ErrorCode.MISSING_KEY,
            Message(
                "The `Authorization: Bearer …` header is missing. {accepted}",
                accepted=_takes(operation),
            ),
            headers={"WWW-Authenticate": "Bearer"},
        )
    if len(given) > 1:
        raise _invalid(Message("There is more than one `Authorization` header. Send exactly one."))
    return str(token.strip())


def _refuse_key_in_url(request: Request, operation: Operation) -> None:
    """Refuses a credential in the URL with a message that it is no longer secret, instead of `missing_key`."""
    if any(value.startswith(_NEVER_IN_A_URL) for _, value in request.query_args):
        raise _invalid(
            Message(
                "Never put a key or token in a URL: it is in logs and browser histories now. Rotate "
                "it, and send `Authorization: Bearer …`. {accepted}",
                accepted=_takes(operation),
            )
        )


def _malformed(token: str, operation: Operation) -> Refused:
    if token.startswith(REFRESH_PREFIX):
        return _invalid(
            Message(
                "A refresh token cannot be used here. Exchange it for an access token at POST "
                "/v1/auth/token."
            )
        )
    return _invalid(
        Message(
            "The bearer token is malformed. Copy the complete token again. {accepted}",
            accepted=_takes(operation),
        )
    )


def _invalid(message: Message) -> Refused:
    return Refused(
        ErrorCode.INVALID_KEY, message, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'}
    )


def _takes(operation: Operation) -> Message:
    credentials = " or ".join(_NAME_OF[auth] for auth in operation.auth)
    return Message("It accepts {credentials}.", credentials=credentials)


def _is_over(instant: datetime | None, now: datetime) -> bool:
    return instant is not None and instant <= now
