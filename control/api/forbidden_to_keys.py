"""
What no integration key may ever reach, where it is not built: refused to them already, absent to everyone else.

The contract promises 403 for money, members and keys whatever a key's scopes. No operation stands behind these paths,
so the public description names none of them.
"""

from collections.abc import Iterable
from typing import Any

from sanic import Request, Sanic
from sanic.constants import HTTP_METHODS
from sanic.exceptions import NotFound
from sanic.response import HTTPResponse

from common.contract.operation import Auth, Operation, Plane
from control.api.admission import admit
from control.api.authentication import bearer_starts_with
from control.api.authorization import authorize
from control.api.context import ControlContext

NOT_FOR_INTEGRATION_KEYS = (
    "billing",
    "wallet",
    "payouts",
    "members",
    "sdk-keys",
    "integration-keys",
)
"""First segments behind ``/v1/``. Operations of the same start go first."""

_DOOR = Operation(
    id="reserved",
    method="GET",
    path="",
    plane=Plane.CONTROL,
    tag="",
    summary="",
    auth=(Auth.ACCESS_TOKEN,),
)


def add_reserved(
    app: Sanic[Any, Any], control: ControlContext, operations: Iterable[Operation]
) -> None:
    """*operations*: what is built, and answers for itself."""
    built = {operation.path for operation in operations}

    async def refuse(request: Request, rest: str = "") -> HTTPResponse:
        if bearer_starts_with(request, "ak_"):
            admission = await admit(control, _DOOR, request)
            if admission.principal is not None:
                authorize(_DOOR, admission.principal)
        raise NotFound(rest)

    for name in NOT_FOR_INTEGRATION_KEYS:
        methods = sorted(HTTP_METHODS)
        if f"/v1/{name}" not in built:
            app.add_route(refuse, f"/v1/{name}", methods=methods, name=f"reserved_{name}")
        app.add_route(
            refuse, f"/v1/{name}/<rest:path>", methods=methods, name=f"reserved_below_{name}"
        )
