"""The door of every management call, in the order of the promised refusals: who, how often; `authorize` comes next."""

from dataclasses import dataclass

from sanic import Request

from common.contract.operation import Operation
from common.http.client_address import client_address, network_of, peer_of
from control.authentication import authenticate
from control.context import ControlContext
from control.principal import Principal
from control.rate_limit import Rate, RateStanding, check_rate


@dataclass(frozen=True, slots=True)
class Admission:
    """``principal`` is None where the operation is public: then the address is what a rate is counted for."""

    principal: Principal | None
    rate: RateStanding
    client_ip: str


async def admit(control: ControlContext, operation: Operation, request: Request) -> Admission:
    """Raises `Refused`. What the caller may do is not asked yet."""
    client_ip = client_address(peer_of(request), request.headers, control.settings.trusted_proxies)
    principal = await authenticate(control, operation, request) if operation.auth else None
    caller = principal.identity if principal else f"address:{network_of(client_ip)}"
    count = control.settings.management_per_key_s
    rate = Rate(count, 1.0, burst=3 * count)
    standing = check_rate(control.limiter, caller, rate, control.clock.monotonic_s())
    return Admission(principal, standing, client_ip)
