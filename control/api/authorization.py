"""Authorization: the scope or permission that an operation needs, and the environment in which it acts."""

from typing import assert_never

from common.contract.operation import Auth, Operation
from common.contract.permissions import PLATFORM, Permission
from common.contract.validation_errors import with_faults_of
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused, invalid
from common.values.messages import Message
from control.api.authentication import wrong_environment
from control.api.call import Call, PreTransactionCall
from control.foundation.principal import Principal


def authorize(operation: Operation, principal: Principal) -> None:
    """Raises `Refused` (403)."""
    if principal.auth not in operation.auth:
        raise Refused(
            ErrorCode.NOT_AVAILABLE_TO_INTEGRATION_KEYS,
            Message(
                "Integration keys cannot do this, whatever their scopes. Sign in and use an access "
                "token."
            ),
        )
    needed = operation.needs.get(principal.auth)
    if needed is not None:
        check_has(principal, needed)


def check_has(principal: Principal, needed: Permission) -> None:
    """Raises `Refused` (403). For a permission that only some calls of an operation need."""
    match principal.auth:
        case Auth.INTEGRATION_KEY:
            _check_key(principal, needed)
        case Auth.ACCESS_TOKEN:
            _check_role(principal, needed)
        case Auth.SECRET_KEY | Auth.PUBLISHABLE_KEY:
            raise RuntimeError(f"a call needs {needed} of a key that carries no scopes")
        case _:
            assert_never(principal.auth)


def environment_of(call: Call | PreTransactionCall, requested: Environment | None) -> Environment:
    """
    Returns the environment of a list or a new object: a key's own, or the query parameter *requested* of a signed-in
    user.

    Raises `Refused`: 422 where a user sends none, ``wrong_environment`` where a key names another than its own.
    """
    own = call.principal.environment
    if own is None:
        if requested is None:
            missing = invalid(
                "environment",
                "required",
                Message(
                    "The query parameter `environment` is missing. Send `environment=live` or "
                    "`environment=test`."
                ),
            )
            raise with_faults_of(missing, call.parsed_body)
        return requested
    if requested is not None and requested is not own:
        raise wrong_environment(own)
    return own


def _check_key(principal: Principal, needed: Permission) -> None:
    if needed not in principal.scopes:
        raise Refused(
            ErrorCode.INSUFFICIENT_SCOPE,
            Message(
                "The key lacks the scope `{scope}`. Scopes cannot be changed: create a key that has "
                "it.",
                scope=needed,
            ),
        )
    if needed in principal.lost:
        raise Refused(
            ErrorCode.PERMISSION_LOST,
            Message(
                "The key has the scope `{scope}`, but the user who created it no longer has that "
                "permission. Give the user the permission again, or create a key as another user.",
                scope=needed,
            ),
        )


def _check_role(principal: Principal, needed: Permission) -> None:
    if needed in principal.permissions:
        return
    raise Refused(
        ErrorCode.PERMISSION_DENIED,
        Message(
            "The permission `{permission}` is reserved for the operator of this installation. No "
            "role has it.",
            permission=needed,
        )
        if needed in PLATFORM
        else Message(
            "Your role `{role}` lacks the permission `{permission}`. Ask an owner of the account.",
            role=str(principal.role),
            permission=needed,
        ),
    )
