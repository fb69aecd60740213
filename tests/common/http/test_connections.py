"""What a server does with connections it cannot keep: too many, and such as never read; and that it counts them."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sanic import Request, Sanic

from common.http.app import IDLE_S, bare_app
from common.http.connections import (
    MAX_CONNECTIONS,
    MAX_HELD_BYTES,
    MAX_HELD_BYTES_PER_ADDRESS,
    MAX_PER_ADDRESS,
    STALLED_S,
    Connections,
)
from common.http.responses import json_response
from tests.support.raw_http import ask, connection, get, listening, read_answer
from tests.support.waiting import PATIENCE_S, until

PLAIN = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"
LARGE = "x" * 8_000_000
"""More than the sockets between a client and a server hold."""


def an_app(**settings: Any) -> tuple[Sanic[Any, Any], Connections]:
    app = bare_app("crowd", max_body_bytes=1024, **settings)

    async def small(_: Request) -> Any:
        return json_response({})

    async def large(_: Request) -> Any:
        return json_response({"large": LARGE})

    async def stream(request: Request) -> None:
        response = await request.respond(content_type="text/plain")
        while True:
            await response.send("x" * 100_000)

    app.add_route(small, "/", methods=["GET"])
    app.add_route(large, "/large", methods=["GET"])
    app.add_route(stream, "/stream", methods=["GET"])
    return app, app.config.CONNECTIONS


async def test_refused_connections_beyond_the_bound_are_counted() -> None:
    app, counted = an_app(max_connections=1)
    async with listening(app) as listener, asyncio.timeout(PATIENCE_S):
        async with connection(listener.port) as (reader, writer):
            writer.write(PLAIN)
            await read_answer(reader)
            for _ in range(3):
                async with connection(listener.port) as (refused, _):
                    assert await refused.read() == b""
            assert (counted.open, counted.refused) == (1, 3)

        async def closed() -> bool:
            return counted.open == 0

        await until(closed)


async def test_each_address_has_its_own_connection_bound() -> None:
    app, counted = an_app()
    counted.max_per_address = 2
    async with listening(app) as listener, asyncio.timeout(PATIENCE_S), AsyncExitStack() as stack:
        for _ in range(2):
            one = await stack.enter_async_context(connection(listener.port, "127.0.0.2"))
        for _ in range(3):
            async with connection(listener.port, "127.0.0.2") as (refused, _):
                assert await refused.read() == b""
        other = await stack.enter_async_context(connection(listener.port, "127.0.0.3"))
        for reader, writer in (one, other):
            writer.write(PLAIN)
            assert (await read_answer(reader)).status == 200
        assert counted.refused == 3
        one[1].close()

        async def left() -> bool:
            return counted.open == 2

        await until(left)
        async with connection(listener.port, "127.0.0.2") as (reader, writer):
            writer.write(PLAIN)
            assert (await read_answer(reader)).status == 200


async def test_behind_a_proxy_requests_in_progress_count_for_the_forwarded_address() -> None:
    app, counted = an_app()
    counted.max_per_address, counted.proxies_count = 2, 1
    gate = asyncio.Event()

    async def wait(_: Request) -> Any:
        await gate.wait()
        return json_response({})

    app.add_route(wait, "/wait", methods=["GET"])

    def requested(path: str, address: str) -> bytes:
        return get(path, f"X-Forwarded-For: {address}")

    async with listening(app) as listener, asyncio.timeout(PATIENCE_S):
        waiting = [
            asyncio.create_task(ask(listener.port, requested("/wait", "192.0.2.1")))
            for _ in range(2)
        ]

        async def both_wait() -> bool:
            return (await ask(listener.port, requested("/", "192.0.2.1"))).status == 429

        await until(both_wait)
        refused = await ask(listener.port, requested("/", "192.0.2.1"))
        assert (refused.code, refused.headers["retry-after"]) == ("rate_limited", "1")
        assert (await ask(listener.port, requested("/", "192.0.2.2"))).status == 200
        gate.set()
        assert [(await one).status for one in waiting] == [200, 200]
        assert (await ask(listener.port, requested("/", "192.0.2.1"))).status == 200


@pytest.mark.parametrize("path", ["/large", "/stream"])
async def test_a_client_that_never_reads_is_disconnected(path: str) -> None:
    app, counted = an_app(stalled_s=0.2)
    async with listening(app) as listener, asyncio.timeout(PATIENCE_S):
        async with connection(listener.port) as (_, writer):
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # of the reading side, too
            writer.write(get(path))
            writer.write(PLAIN)

            async def cut() -> bool:
                return counted.stalled == 1

            await until(cut)
        assert (await ask(listener.port, get("/"))).status == 200
        assert counted.open == 0


async def test_a_client_that_keeps_sending_without_reading_is_disconnected() -> None:
    """A byte now and then keeps Sanic's own timeouts away."""
    app, counted = an_app(stalled_s=0.2)
    async with listening(app) as listener, connection(listener.port) as (_, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # of the reading side, too
        writer.write(get("/stream"))

        async def cut() -> bool:
            writer.write(b"G")
            return counted.stalled == 1

        await until(cut)


async def test_a_long_pipeline_lets_other_clients_in_between() -> None:
    app, _ = an_app()
    order: list[str] = []

    async def note(request: Request) -> Any:
        order.append(request.args.get("who"))
        return json_response({})

    app.add_route(note, "/note", methods=["GET"])
    async with (
        listening(app) as listener,
        connection(listener.port) as (one, greedy),
        connection(listener.port) as (other, patient),
    ):
        greedy.write(b"GET /note?who=greedy HTTP/1.1\r\nHost: test\r\n\r\n" * 300)
        patient.write(b"GET /note?who=patient HTTP/1.1\r\nHost: test\r\n\r\n")
        await read_answer(other)
        for _ in range(300):
            await read_answer(one)
    assert order.index("patient") < 100


async def test_a_slow_reading_client_receives_everything() -> None:
    app, counted = an_app(stalled_s=1.0)
    async with listening(app) as listener, asyncio.timeout(PATIENCE_S):
        async with connection(listener.port) as (reader, writer):
            writer.write(get("/large"))
            received = 0
            while chunk := await reader.read(262_144):
                received += len(chunk)
                await asyncio.sleep(0.05)
        assert received > len(LARGE)
        assert counted.stalled == 0


@pytest.mark.parametrize("requested", [b"", PLAIN])
async def test_an_idle_connection_is_closed(requested: bytes) -> None:
    app, counted = an_app(idle_s=0.2)
    async with listening(app) as listener, asyncio.timeout(PATIENCE_S):
        async with connection(listener.port) as (reader, writer):
            writer.write(requested)
            received = await reader.read()
        assert received.count(b"HTTP/1.1 200") == bool(requested)
        assert counted.open == 0


def test_the_bounds_are_as_promised() -> None:
    assert (MAX_CONNECTIONS, MAX_PER_ADDRESS) == (12_000, 512)
    assert (MAX_HELD_BYTES, MAX_HELD_BYTES_PER_ADDRESS) == (64 << 20, 8 << 20)
    used = Connections()
    assert (used.most, used.max_per_address) == (MAX_CONNECTIONS, MAX_PER_ADDRESS)
    assert used.max_held_bytes == MAX_HELD_BYTES
    assert used.max_held_bytes_per_address == MAX_HELD_BYTES_PER_ADDRESS
    assert (STALLED_S, IDLE_S) == (30.0, 30.0)
