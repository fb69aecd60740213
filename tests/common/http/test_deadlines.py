"""A head and a body have so long to arrive, and no byte of them buys more."""

import asyncio
from typing import Any

from sanic import Request

from common.http.app import bare_app
from common.http.protocol import BODY_DEADLINE_S, HEAD_DEADLINE_S
from common.http.responses import json_response
from tests.support.raw_http import connection, listening, read_to_end
from tests.support.waiting import PATIENCE_S


async def test_a_slow_head_is_cut_however_steadily_it_drips() -> None:
    app = bare_app("slow-head", max_body_bytes=1024, head_deadline_s=0.2)
    app.add_route(_nothing, "/", methods=["GET"])
    async with listening(app) as listener:
        answer = await _drip(listener.port, b"GET / HTTP/1.1\r\n", b"X-A: b\r\n")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"request_timeout"' in answer


async def test_a_slow_body_is_cut_however_steadily_it_drips() -> None:
    app = bare_app("slow-body", max_body_bytes=100_000, body_deadline_s=0.2)

    async def handle(_: Request) -> Any:
        raise AssertionError("a handler must not run before the body is there")

    app.add_route(handle, "/", methods=["POST"])
    head = b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 90000\r\n\r\n"
    async with listening(app) as listener:
        answer = await _drip(listener.port, head, b"x")
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_the_deadlines_are_as_promised() -> None:
    assert (HEAD_DEADLINE_S, BODY_DEADLINE_S) == (5.0, 10.0)


async def _nothing(_: Request) -> Any:
    return json_response({})


async def _drip(port: int, first: bytes, then: bytes) -> bytes:
    """Sends *first*, then *then* again and again. Returns what the server sent until it closed."""
    async with connection(port) as (reader, writer), asyncio.timeout(PATIENCE_S):
        sending = asyncio.create_task(_keep_sending(writer, first, then))
        try:
            return await read_to_end(reader)
        finally:
            sending.cancel()


async def _keep_sending(writer: asyncio.StreamWriter, first: bytes, then: bytes) -> None:
    writer.write(first)
    while True:
        await asyncio.sleep(0.01)
        writer.write(then)
