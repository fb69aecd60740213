"""Restricts a user who must have a second factor, and has none, to setting one up."""

from common.contract.operation import Operation
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.foundation.principal import Principal

_ALLOWED = frozenset(
    {
        "getMe",
        "signOut",
        "createSecondFactor",
        "confirmSecondFactor",
        "switchAccount",  # an operation of the dashboard; the other account then makes its own demands
    }
)


def check_enrolled(operation: Operation, principal: Principal) -> None:
    """Raises `Refused` (``permission_denied``)."""
    if principal.must_enrol and operation.id not in _ALLOWED:
        raise Refused(
            ErrorCode.PERMISSION_DENIED,
            Message(
                "This account requires a second factor for the role `{role}`. Set yours up at POST "
                "/v1/auth/totp, confirm it at POST /v1/auth/totp/confirm, then try again.",
                role=str(principal.role),
            ),
        )
