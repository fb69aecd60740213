"""The fast path answers on a waiting connection, and only there; what is not for it is left untouched."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from common.contract.operation import MAX_HEAD_BYTES
from common.http.answer import RawResponse
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import EdgeContext
from edge.fastpath.http1.fast_serve import FastServeProtocol
from edge.fastpath.http1.serve_path import ServeFastPath
from edge.request.call import Call
from tests.support.builders import a_key, a_snapshot, a_stock
from tests.support.collecting_transport import CollectingTransport
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import connection, parse_answers
from tests.support.waiting import PATIENCE_S


class Served:
    """A running edge, and connections to it that need no network."""

    def __init__(self, edge: RunningEdge, request: bytes) -> None:
        self.edge = edge
        self.request = request

    async def connect(self) -> tuple[FastServeProtocol, CollectingTransport]:
        """A connection whose task waits for its first byte."""
        protocol, transport = self.accept()
        await asyncio.sleep(0)
        return protocol, transport

    def accept(self) -> tuple[FastServeProtocol, CollectingTransport]:
        """A connection whose task has not run yet."""
        protocol = FastServeProtocol(loop=asyncio.get_running_loop(), app=self.edge.app)
        transport = CollectingTransport()
        protocol.connection_made(transport)
        return protocol, transport

    @property
    def at_once(self) -> int:
        return self.edge.context.metrics.fast_path_requests


@pytest_asyncio.fixture
async def served() -> AsyncIterator[Served]:
    stock = a_stock()
    text, key = a_key()
    head = f"GET /v1/serve?slot={stock.slot.key} HTTP/1.1\r\nHost: a\r\nX-Service-Key: {text.text}\r\n\r\n"
    async with running_edge(a_snapshot(*stock.objects, key)) as edge:
        yield Served(edge, head.encode())


async def test_a_complete_request_is_answered_before_any_task_runs(served: Served) -> None:
    protocol, transport = await served.connect()
    protocol.data_received(served.request)
    (answer,) = parse_answers(transport.written)
    assert (answer.status, served.at_once) == (200, 1)
    assert answer.headers["connection"] == "keep-alive"
    assert protocol.state["requests_count"] == 1


async def test_pipelined_requests_are_answered_in_order(served: Served) -> None:
    protocol, transport = await served.connect()
    protocol.data_received(served.request * 3)
    assert [answer.status for answer in parse_answers(transport.written)] == [200] * 3
    assert served.at_once == 3


async def test_no_client_blocks_the_loop_with_a_long_pipeline(served: Served) -> None:
    protocol, transport = await served.connect()
    protocol.data_received(served.request * 50)
    assert served.at_once == 16
    await _settled(transport, answers=50)
    assert served.at_once == 16


async def test_an_answer_resets_the_timer_of_the_connection(served: Served) -> None:
    protocol, _ = await served.connect()
    protocol._time = 0.0
    protocol.data_received(served.request)
    assert protocol._time > 0


@pytest.mark.parametrize("cut", range(1, 40))
async def test_a_request_in_two_pieces_is_answered_once(served: Served, cut: int) -> None:
    protocol, transport = await served.connect()
    protocol.data_received(served.request[:-cut])
    protocol.data_received(served.request[-cut:])
    await _settled(transport, answers=1)
    assert served.at_once == 0


async def test_after_a_request_handled_by_sanic_the_next_takes_the_fast_path(
    served: Served,
) -> None:
    protocol, transport = await served.connect()
    protocol.data_received(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    await _settled(transport, answers=1)
    protocol.data_received(served.request)
    assert served.at_once == 1
    assert len(parse_answers(transport.written)) == 2


async def test_a_request_waits_while_sanic_handles_the_one_before(served: Served) -> None:
    protocol, transport = await served.connect()
    protocol.data_received(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    protocol.data_received(served.request)
    assert transport.written == b""
    await _settled(transport, answers=2)
    assert served.at_once == 0
    assert [a.headers["content-type"] for a in parse_answers(transport.written)][1] == (
        "application/json"
    )


async def test_a_slow_request_after_a_fast_one_is_handled_by_sanic(served: Served) -> None:
    protocol, transport = await served.connect()
    protocol.data_received(served.request + b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
    assert served.at_once == 1
    await _settled(transport, answers=2)


async def test_the_rest_of_a_body_is_never_parsed_as_a_request(served: Served) -> None:
    """The handler refused before it read the body, so the stage is idle again."""
    protocol, transport = await served.connect()
    body = served.request
    head = f"POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n"
    protocol.data_received(head.encode())
    await _settled(transport, answers=1)
    protocol.data_received(body)
    await asyncio.sleep(0)
    assert served.at_once == 0
    assert len(parse_answers(transport.written)) == 1


async def test_nothing_is_answered_while_the_client_does_not_read(served: Served) -> None:
    protocol, transport = await served.connect()
    protocol.pause_writing()
    protocol.data_received(served.request)
    await asyncio.sleep(0)
    assert transport.written == b""
    protocol.resume_writing()
    await _settled(transport, answers=1)
    assert served.at_once == 0


async def test_a_pipeline_pauses_when_the_client_stops_reading(served: Served) -> None:
    protocol, transport = await served.connect()
    transport.on_write = protocol.pause_writing
    protocol.data_received(served.request * 3)
    assert served.at_once == 1
    transport.on_write = None
    protocol.resume_writing()
    await _settled(transport, answers=3)


async def test_a_closing_connection_answers_nothing(served: Served) -> None:
    protocol, transport = await served.connect()
    transport.close()
    protocol.data_received(served.request)
    assert (served.at_once, transport.written) == (0, b"")


async def test_at_shutdown_the_last_answer_announces_the_close(served: Served) -> None:
    protocol, transport = await served.connect()
    protocol.signal.stopped = True
    protocol.data_received(served.request)
    await _settled(transport, answers=1)
    assert parse_answers(transport.written)[0].headers["connection"] == "close"
    assert served.at_once == 0


async def test_before_the_connection_s_task_runs_sanic_answers(served: Served) -> None:
    protocol, transport = served.accept()
    protocol.data_received(served.request)
    assert served.at_once == 0
    await _settled(transport, answers=1)


async def test_an_asynchronous_answer_is_left_to_sanic(served: Served) -> None:
    def must_wait(_edge: EdgeContext, _call: Call) -> RawResponse | None:
        return None

    way = ServeFastPath(served.edge.app, must_wait)
    assert way.find_answer(served.request, 0, len(served.request) - 4, "127.0.0.1") is None
    assert served.at_once == 0


async def test_an_internal_error_is_an_envelope_and_keeps_the_connection(served: Served) -> None:
    def fail(_edge: EdgeContext, _call: Call) -> RawResponse | None:
        raise RuntimeError("the secret inside")

    whole = ServeFastPath(served.edge.app, fail).find_answer(
        served.request, 0, len(served.request) - 4, "127.0.0.1"
    )
    assert whole is not None
    (answer,) = parse_answers(whole)
    assert (answer.status, answer.code) == (500, "internal")
    assert b"secret inside" not in whole


async def test_an_invalid_header_is_an_internal_error_not_a_split_answer(served: Served) -> None:
    def inject(_edge: EdgeContext, _call: Call) -> RawResponse | None:
        raise Refused(
            ErrorCode.INVALID_KEY, Message("No."), headers={"Location": "/\r\nSet-Cookie: x=1"}
        )

    whole = ServeFastPath(served.edge.app, inject).find_answer(
        served.request, 0, len(served.request) - 4, "127.0.0.1"
    )
    assert whole is not None
    assert parse_answers(whole)[0].status == 500
    assert b"Set-Cookie" not in whole


@pytest.mark.parametrize(
    "field",
    [
        "Connection: close",
        "Connection: upgrade",
        "Upgrade: websocket",
        "Content-Length: 0",
        "Transfer-Encoding: chunked",
        "Expect: 100-continue",
        "Host: other",
        "X-A: b\r\n folded",
        "X-A : b",
        "X-A: b\nX-B: c",
        "X-A: é",
        "X-A: " + "a" * MAX_HEAD_BYTES,
    ],
)
async def test_an_unusual_head_is_handled_by_sanic(served: Served, field: str) -> None:
    request = served.request[:-2] + field.encode() + b"\r\n\r\n"
    protocol, _ = await served.connect()
    protocol.data_received(request)
    assert served.at_once == 0


async def test_real_connections_take_the_fast_path(served: Served) -> None:
    async with connection(served.edge.port) as (reader, writer), asyncio.timeout(PATIENCE_S):
        for number in range(1, 4):
            writer.write(served.request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
            assert served.at_once >= number - 1


async def _settled(transport: CollectingTransport, *, answers: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while len(parse_answers(transport.written)) < answers:
            transport.more.clear()
            await transport.more.wait()
    assert len(parse_answers(transport.written)) == answers
