"""
Paths that no integration key may reach, including those that do not exist: keys get 403, everyone else 404.

The contract promises 403 for money, members and keys, whatever a key's scopes. These paths have no operation, so the
public API description omits them.
"""

from collections.abc import Iterable
from typing import Any

from sanic import Request, Sanic
from sanic.constants import HTTP_METHODS
from sanic.exceptions import NotFound
from sanic.response import HTTPResponse

from common.contract.operation import Auth, Operation
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
"""First segments after ``/v1/``. Operations with the same prefix take precedence."""

_ANY_OPERATION = Operation(
    id="reserved",
    method="GET",
    path="",
    tag="",
    summary="",
    auth=(Auth.ACCESS_TOKEN,),
)


def add_reserved(
    app: Sanic[Any, Any], control: ControlContext, operations: Iterable[Operation]
) -> None:
    """*operations*: the existing operations, which respond themselves."""
    built = {operation.path for operation in operations}

    async def refuse(request: Request, rest: str = "") -> HTTPResponse:
        if bearer_starts_with(request, "ak_"):
            admission = await admit(control, _ANY_OPERATION, request)
            if admission.principal is not None:
                authorize(_ANY_OPERATION, admission.principal)
        raise NotFound(rest)

    for name in NOT_FOR_INTEGRATION_KEYS:
        methods = sorted(HTTP_METHODS)
        if f"/v1/{name}" not in built:
            app.add_route(refuse, f"/v1/{name}", methods=methods, name=f"reserved_{name}")
        app.add_route(
            refuse, f"/v1/{name}/<rest:path>", methods=methods, name=f"reserved_below_{name}"
        )
