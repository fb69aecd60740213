"""
An open window, and the principal of its bearer.

It is checked again on every call. Revoking the key, suspending the account or demoting the key's creator thus takes
effect on the window's next call.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sanic import Request

from common.contract.operation import Auth
from common.contract.permissions import Permission
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.authentication import check_account, principal_of_key, token_hash
from control.api.context import ControlContext
from control.dashboard.embed_sessions.components import ALLOWED, Component
from control.foundation.principal import Principal

BEARER_PREFIX = "es_"
_MAX_CHARS = 100


@dataclass(frozen=True, slots=True)
class Window:
    principal: Principal
    component: Component
    context: Mapping[str, Any]


async def get_window(control: ControlContext, bearer: str) -> Window:
    """
    Raises `Refused`, with a message for the user of the window: ``token_expired`` where it has ended, ``key_revoked``,
    ``tenant_suspended``.
    """
    row = None
    if bearer.startswith(BEARER_PREFIX) and len(bearer) <= _MAX_CHARS:
        statement = "select * from find_window($1)"
        row = await control.database.find(statement, token_hash(bearer))
    now = control.clock.now()
    if row is None or row["ends_at"] <= now:
        raise Refused(
            ErrorCode.TOKEN_EXPIRED,
            Message("This window's session has ended. Close the window and open it again."),
        )
    if any(over is not None and over <= now for over in (row["revoked_at"], row["expires_at"])):
        raise Refused(
            ErrorCode.KEY_REVOKED,
            Message(
                "The application that opened this window has no valid key any more. Contact the "
                "operator of the application."
            ),
        )
    check_account(row["account_state"])
    control.key_use.record(row["key_id"], now)
    component = Component(row["component"])
    return Window(_principal(row, component), component, row["context"])


def bearer_of(request: Request) -> str:
    scheme, _, token = str(request.headers.getone("authorization", "")).partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _principal(row: Mapping[str, Any], component: Component) -> Principal:
    """The principal of the key, with those scopes that the window's component allows."""
    scopes = frozenset(Permission(scope) for scope in row["scopes"]) & ALLOWED[component]
    environment = Environment(row["environment"])
    return principal_of_key(row, Auth.INTEGRATION_KEY, scopes, environment)
