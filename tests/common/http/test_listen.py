"""Listening starts what the app needs, and closing drops no answer."""

import asyncio
from typing import Any

import pytest
from sanic import Request

from common.http.app import bare_app
from common.http.listen import listen
from common.http.responses import json_response
from tests.support.raw_http import ask, connection, get, listening
from tests.support.waiting import PATIENCE_S, until

REQUEST = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"


async def test_start_and_stop_listeners_run_around_the_serving() -> None:
    app = bare_app("lifecycle", max_body_bytes=1024)
    seen: list[str] = []

    async def handle(_: Request) -> Any:
        seen.append("request")
        return json_response({})

    async def started(_: Any) -> None:
        seen.append("start")

    async def stopped(_: Any) -> None:
        seen.append("stop")

    app.add_route(handle, "/", methods=["GET"])
    app.register_listener(started, "before_server_start")
    app.register_listener(stopped, "after_server_stop")
    async with listening(app) as listener:
        await ask(listener.port, get("/"))
    assert seen == ["start", "request", "stop"]


async def test_a_failed_start_leaves_no_listener() -> None:
    app = bare_app("broken-start", max_body_bytes=1024)

    async def broken(_: Any) -> None:
        raise RuntimeError("no database")

    async def handle(_: Request) -> Any:
        return json_response({})

    app.add_route(handle, "/", methods=["GET"])
    app.register_listener(broken, "before_server_start")
    with pytest.raises(RuntimeError, match="no database"):
        await listen(app, host="127.0.0.1", port=0)


async def test_a_taken_port_is_named() -> None:
    async with listening(_app_of("first", asyncio.Event())) as listener:
        with pytest.raises(OSError, match=f"127.0.0.1:{listener.port}"):
            await listen(_app_of("second", asyncio.Event()), host="127.0.0.1", port=listener.port)


async def test_two_listeners_share_a_port_when_asked() -> None:
    gate = asyncio.Event()
    gate.set()
    first = await listen(_app_of("a", gate), host="127.0.0.1", port=0, reuse_port=True)
    second = await listen(_app_of("b", gate), host="127.0.0.1", port=first.port, reuse_port=True)
    await first.close(drain_s=0)
    answer = await ask(second.port, get("/"))
    await second.close(drain_s=0)
    assert answer.status == 200


async def test_closing_lets_a_running_request_finish() -> None:
    gate, entered = asyncio.Event(), asyncio.Event()
    listener = await listen(_app_of("drain", gate, entered), host="127.0.0.1", port=0)
    async with connection(listener.port) as (reader, writer), asyncio.timeout(PATIENCE_S):
        writer.write(REQUEST)
        await entered.wait()
        closing = asyncio.create_task(listener.close(drain_s=PATIENCE_S))
        await asyncio.sleep(0)
        gate.set()
        answer = await reader.read()
        await closing
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in answer.lower()


async def test_closing_cuts_what_outlasts_the_drain() -> None:
    entered = asyncio.Event()
    listener = await listen(_app_of("cut", asyncio.Event(), entered), host="127.0.0.1", port=0)
    async with connection(listener.port) as (reader, writer), asyncio.timeout(PATIENCE_S):
        writer.write(REQUEST)
        await entered.wait()
        await listener.close(drain_s=0)
        assert await _until_end(reader) == b""


async def test_closing_closes_idle_connections_at_once() -> None:
    gate = asyncio.Event()
    gate.set()
    listener = await listen(_app_of("idle", gate), host="127.0.0.1", port=0)
    async with connection(listener.port) as (reader, writer), asyncio.timeout(PATIENCE_S):
        writer.write(REQUEST)
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        await listener.close(drain_s=PATIENCE_S)
        assert (await _until_end(reader)).endswith(b"{}")


async def _until_end(reader: asyncio.StreamReader) -> bytes:
    """What came until the server closed or cut."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


def _app_of(name: str, gate: asyncio.Event, entered: asyncio.Event | None = None) -> Any:
    """An app whose one route answers when *gate* opens."""
    app = bare_app(name, max_body_bytes=1024)

    async def handle(_: Request) -> Any:
        if entered is not None:
            entered.set()
        await gate.wait()
        return json_response({})

    app.add_route(handle, "/", methods=["GET"])
    return app


async def test_an_answer_left_to_sanic_has_no_empty_header() -> None:
    app = bare_app("plain", max_body_bytes=1024)

    async def handle(_: Request) -> Any:
        return json_response({}, status=412)

    app.add_route(handle, "/", methods=["GET"])
    async with listening(app) as listener:
        answer = await ask(listener.port, get("/"))
    assert answer.status == 412
    assert "" not in answer.headers.values()


async def test_past_the_bound_a_connection_is_closed_and_the_others_go_on() -> None:
    app = bare_app("crowded", max_body_bytes=1024, max_connections=2)

    async def handle(_: Request) -> Any:
        return json_response({})

    app.add_route(handle, "/", methods=["GET"])
    async with listening(app) as listener, asyncio.timeout(PATIENCE_S):
        async with connection(listener.port) as first, connection(listener.port) as second:
            for reader, writer in (first, second):
                writer.write(REQUEST)
                assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            async with connection(listener.port) as (reader, _):
                assert await reader.read() == b""
            first[1].write(REQUEST)
            assert b"HTTP/1.1 200" in await first[0].readuntil(b"{}HTTP/1.1 200")

        async def nobody_is_left() -> bool:
            return not listener.connections_count

        await until(nobody_is_left)
        answer = await ask(listener.port, get("/"))
    assert answer.status == 200
