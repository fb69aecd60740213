"""What one address may have open at the API: connections or, behind trusted proxies, requests in progress."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.control_api import ControlApi, running_control
from tests.support.raw_http import RawAnswer, ask, connections_from, get
from tests.support.waiting import until

GREEDY = "127.0.0.9"
BOUND = 3
DESCRIPTION = "/v1/openapi.json"
KEPT = f"HEAD {DESCRIPTION} HTTP/1.1\r\nHost: test\r\n\r\n".encode()


@asynccontextmanager
async def an_api(database_url: str, folder: Path, **settings: Any) -> AsyncIterator[ControlApi]:
    async with running_control(
        database_url, folder, connections_per_address=BOUND, **settings
    ) as api:
        yield api


async def test_an_address_has_no_more_connections_than_the_setting(
    database_url: str, servers_folder: Path
) -> None:
    async with (
        an_api(database_url, servers_folder) as api,
        connections_from(GREEDY, api.port, BOUND + 2) as greedy,
    ):
        await greedy.wait_closed(2)
        for _, writer in greedy.streams[:BOUND]:
            writer.write(KEPT)
        for reader, _ in greedy.streams[:BOUND]:
            assert (await reader.readline()).split()[1] == b"200"
        assert (await ask(api.port, get("/readyz"))).status == 200


async def test_an_address_that_opens_600_connections_costs_no_other_an_answer(
    api: ControlApi,
) -> None:
    async with connections_from(GREEDY, api.port, 600) as greedy:
        await greedy.wait_closed(600 - 512)
        for path in ("/readyz", DESCRIPTION, "/sign-in"):
            assert (await ask(api.port, get(path))).status == 200


async def test_behind_a_proxy_an_address_has_no_more_requests_in_progress_than_the_setting(
    database_url: str, servers_folder: Path
) -> None:
    begun = (
        b"POST /v1/auth/token HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n"
        b"X-Forwarded-For: 192.0.2.1\r\n\r\n"
    )
    async with (
        an_api(database_url, servers_folder, trusted_proxies=1) as api,
        connections_from(GREEDY, api.port, BOUND + 1) as proxy,
    ):
        for _, writer in proxy.streams[:BOUND]:
            writer.write(begun)

        async def asked(path: str, address: str) -> RawAnswer:
            return await ask(api.port, get(path, f"X-Forwarded-For: {address}"))

        async def refused() -> bool:
            return (await asked(DESCRIPTION, "192.0.2.1")).status == 429

        await until(refused)
        assert (await asked("/v1/me", "192.0.2.1")).code == "rate_limited"
        assert (await asked("/v1/me", "192.0.2.2")).status == 401
        for path in ("/livez", "/readyz"):
            assert (await asked(path, "192.0.2.1")).status == 200
