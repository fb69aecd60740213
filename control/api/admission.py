"""
First checks of every management request, in the documented order of refusals: authentication, then the rate limit;
`authorize` comes next. The body is read after that, and its bytes count for the client's address.
"""

import math
from dataclasses import dataclass

from sanic import Request

from common.contract.operation import Operation
from common.http.client_address import client_address, network_of, peer_of
from common.http.request_body import read_body
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.authentication import authenticate
from control.api.context import ControlContext
from control.foundation.principal import Principal
from control.foundation.rate_limit import Rate, RateStatus, check_rate

_BYTES_BURST_S = 8
"""Seconds' worth of bytes that an address may send at once after a rest."""


@dataclass(frozen=True, slots=True)
class Admission:
    """``principal`` is None where the operation is public; the rate is then counted by address."""

    principal: Principal | None
    rate: RateStatus
    client_ip: str


async def admit(control: ControlContext, operation: Operation, request: Request) -> Admission:
    """Authenticates the request and counts it. Raises `Refused`. It does not check permissions."""
    client_ip = client_address(peer_of(request), request.headers, control.settings.trusted_proxies)
    principal = await authenticate(control, operation, request) if operation.auth else None
    caller = principal.identity if principal else f"address:{network_of(client_ip)}"
    rate_status = check_rate(
        control.limiter, caller, rate_of_caller(control), control.clock.monotonic_s()
    )
    return Admission(principal, rate_status, client_ip)


def rate_of_caller(control: ControlContext) -> Rate:
    """Of the API calls of one caller; pages have the same rate of their own."""
    count = control.settings.management_per_key_s
    return Rate(count, 1.0, burst=3 * count)


async def receive_body(
    control: ControlContext, request: Request, client_ip: str, *, max_bytes: int
) -> None:
    """Reads the body into ``request.body``. Raises `ApiError`: 400, 413, 415, 429, 503."""
    count = control.settings.management_bytes_per_ip_s
    rate = Rate(count, 1.0, burst=_BYTES_BURST_S * count)
    caller = f"bytes:{network_of(client_ip)}"

    def charge(cost: int) -> None:
        now_s = control.clock.monotonic_s()
        wait_s = control.limiter.admit(caller, rate, now_s, cost=cost) if cost else 0.0
        if wait_s > 0:
            raise Refused(
                ErrorCode.RATE_LIMITED,
                Message(
                    "Too much data: at most {max_bytes:,} bytes per second are allowed. Wait {wait_s} s.",
                    max_bytes=count,
                    wait_s=math.ceil(wait_s),
                ),
                retry_after_s=math.ceil(wait_s),
            )

    await read_body(request, max_bytes=max_bytes, charge=charge)
