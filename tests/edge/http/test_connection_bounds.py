"""What one address may have open at an edge: connections or, behind trusted proxies, requests in progress."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from common.contract.edge import EDGE_OPERATIONS
from common.contract.operation import Operation
from common.values.errors import ErrorCode
from tests.edge.http.hostile import Place, a_place
from tests.support.raw_http import RawAnswer, ask, connections_from, get
from tests.support.waiting import until

GREEDY = "127.0.0.9"
BOUND = 3
HEALTH = ("/livez", "/readyz")


async def from_another(place: Place, path: str = "/v1/serve?slot=top") -> RawAnswer:
    return await ask(place.port, get(path, f"X-Service-Key: {place.key}"))


def without_its_body(place: Place, forwarded_for: str) -> bytes:
    """A request that stays in progress: its body does not arrive."""
    lines = (
        f"POST /v1/track?key={place.key} HTTP/1.1",
        "Host: edge",
        f"X-Forwarded-For: {forwarded_for}",
        "Content-Length: 100",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def test_an_address_has_no_more_connections_than_the_setting() -> None:
    async with (
        a_place(proxies_count=0, connections_per_address=BOUND) as place,
        connections_from(GREEDY, place.port, BOUND + 2) as greedy,
    ):
        await greedy.wait_closed(2)
        for number in range(BOUND):
            assert (await greedy.ask(number, place.serve())).status == 200
        assert (await from_another(place)).status == 200


async def test_an_address_that_opens_600_connections_costs_no_other_an_answer() -> None:
    async with (
        a_place(proxies_count=0) as place,
        connections_from(GREEDY, place.port, 600) as greedy,
    ):
        await greedy.wait_closed(600 - 512)
        assert await place.honest(100) == [200] * 100
        assert (await from_another(place, "/v1/features")).status == 200


async def test_behind_a_proxy_an_address_has_no_more_requests_in_progress_than_the_setting() -> (
    None
):
    async with (
        a_place(connections_per_address=BOUND) as place,
        connections_from(GREEDY, place.port, BOUND + 2) as proxy,
    ):
        for _, writer in proxy.streams[:BOUND]:
            writer.write(without_its_body(place, "192.0.2.1"))

        async def features(address: str) -> RawAnswer:
            headers = (f"X-Service-Key: {place.key}", f"X-Forwarded-For: {address}")
            return await ask(place.port, get("/v1/features", *headers))

        async def refused() -> bool:
            return (await features("192.0.2.1")).status == 429

        await until(refused)
        answer = await features("192.0.2.1")
        assert (answer.code, answer.headers["retry-after"]) == ("rate_limited", "1")
        assert (await features("192.0.2.2")).status == 200
        assert (await proxy.ask(BOUND, place.serve("192.0.2.2"))).status == 200


@asynccontextmanager
async def at_the_bound() -> AsyncIterator[Place]:
    """Behind a proxy; every address has as many requests in progress as it may."""
    async with a_place() as place:
        place.edge.app.config.CONNECTIONS.max_per_address = 0
        yield place


@pytest.mark.parametrize("operation", EDGE_OPERATIONS, ids=lambda one: one.id)
async def test_an_operation_is_refused_at_the_bound_only_if_it_may_be(
    operation: Operation,
) -> None:
    path = re.sub(r"{\w+}", "x", operation.path)
    async with at_the_bound() as place:
        answer = await ask(place.port, get(path, method=operation.method))
        preflight = await ask(place.port, get(path, method="OPTIONS"))
    may_be = ErrorCode.RATE_LIMITED in operation.all_errors
    assert (answer.status == 429) is may_be
    assert preflight.status == 204


@pytest.mark.parametrize("path", HEALTH)
async def test_health_checks_are_never_refused(path: str) -> None:
    async with at_the_bound() as place:
        assert (await ask(place.port, get(path))).status == 200


@pytest.mark.parametrize("path", [one.path for one in EDGE_OPERATIONS if not one.is_rate_limited])
async def test_a_pixel_with_a_body_is_counted(path: str) -> None:
    """Bodies take memory until they are read."""
    async with at_the_bound() as place:
        request = get(re.sub(r"{\w+}", "x", path), "Content-Length: 2")
        assert (await ask(place.port, request + b"{}")).status == 429
