"""The door of every management call, in the order of the promised refusals: who, how often, may they."""

from sanic import Request

from common.contract.operation import Operation
from control.authentication import authenticate
from control.authorization import authorize
from control.context import ControlContext
from control.principal import Principal
from control.rate_limit import Rate, check_rate
from control.second_factors.enrolment import check_enrolled


async def admit(
    control: ControlContext, operation: Operation, request: Request
) -> Principal | None:
    """None where the operation is public: then the address is what a rate is counted for. Raises `Refused`."""
    principal = await authenticate(control, operation, request) if operation.auth else None
    caller = principal.identity if principal else f"address:{request.ip}"
    count = control.settings.management_per_key_s
    rate = Rate(count, 1.0, burst=3 * count)
    check_rate(control.limiter, caller, rate, control.clock.monotonic_s())
    if principal is not None:
        authorize(operation, principal)
        check_enrolled(operation, principal)
    return principal
