"""A track call in flight on the fast path: what comes behind it waits, what happens to the connection meanwhile."""

import asyncio
from collections.abc import AsyncIterator

import orjson
import pytest
import pytest_asyncio

from common.tracking.event import EventRecord
from common.tracking.token import sign_token
from edge.fastpath.http1.fast_track import FastTrackProtocol
from tests.support.builders import SIGNING_SECRET, a_key, a_snapshot, a_stock
from tests.support.collecting_transport import CollectingTransport
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer, parse_answers
from tests.support.spools import fill_up, until
from tests.support.tokens import a_payload, for_ad
from tests.support.waiting import PATIENCE_S

_ENDS = (b"}", b"\r\n\r\n")
_LIVEZ = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"


class Connection(FastTrackProtocol):
    """With the types that Sanic leaves out."""

    __slots__ = ()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)

    def resume_writing(self) -> None:
        super().resume_writing()


class Transport(CollectingTransport):
    """Says whether it was asked to read no more."""

    def __init__(self) -> None:
        super().__init__()
        self.paused = False

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


class Tracked:
    """A running edge, and connections to it that need no network."""

    def __init__(self, edge: RunningEdge, key: str, ad_ids: dict[str, object], slot: str) -> None:
        self.edge = edge
        self.serve = f"GET /v1/serve?slot={slot} HTTP/1.1\r\nHost: a\r\nX-Service-Key: {key}\r\n\r\n".encode()
        self._key = key
        self._ad_ids = ad_ids

    def call(self, event: str = "impression", *, key: str | None = None) -> bytes:
        """With a token of its own."""
        token = sign_token(a_payload(**self._ad_ids), SIGNING_SECRET).track
        body = orjson.dumps({"token": token, "event": event})
        head = (
            f"POST /v1/track HTTP/1.1\r\nHost: a\r\nX-Service-Key: {key or self._key}\r\n"
            f"User-Agent: Mozilla/5.0 Firefox/132.0\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def serve_reader(self, number: int) -> bytes:
        """A serve call of a reader of its own."""
        return self.serve[:-2] + f"User-Agent: Mozilla/5.0 Firefox/1{number}.0\r\n\r\n".encode()

    async def connect(self) -> tuple[Connection, Transport]:
        protocol = Connection(loop=asyncio.get_running_loop(), app=self.edge.app)
        transport = Transport()
        protocol.connection_made(transport)
        await asyncio.sleep(0)
        return protocol, transport

    async def kinds(self) -> list[str]:
        """Of the events that were kept, in order."""
        records = [record.body for record in await self.edge.context.spool.read(0, 1_000)]
        return [body.kind.value for body in records if isinstance(body, EventRecord)]

    @property
    def at_once(self) -> int:
        return self.edge.context.metrics.fast_path_requests


@pytest_asyncio.fixture
async def tracked() -> AsyncIterator[Tracked]:
    stock = a_stock()
    text, key = a_key()
    async with running_edge(a_snapshot(*stock.objects, key)) as edge:
        yield Tracked(edge, text.text, dict(for_ad(stock.ad)), stock.slot.key)


async def _answers(transport: Transport, count: int) -> list[RawAnswer]:
    async with asyncio.timeout(PATIENCE_S):
        while transport.written.count(b"HTTP/1.1 ") < count or not transport.written.endswith(
            _ENDS
        ):
            transport.more.clear()
            await transport.more.wait()
    found = parse_answers(transport.written)
    assert len(found) == count
    return found


async def test_nothing_is_written_before_the_event_is_on_disk(tracked: Tracked) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(tracked.call())
    assert (transport.written, tracked.at_once) == (b"", 1)
    (answer,) = await _answers(transport, 1)
    assert (answer.status, answer.headers["connection"]) == (204, "keep-alive")
    assert await tracked.kinds() == ["impression"]
    assert protocol.state["requests_count"] == 1


async def test_pipelined_requests_are_answered_and_stored_in_order(tracked: Tracked) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(tracked.call("click") + tracked.call("viewable") + tracked.call("skip"))
    answers = await _answers(transport, 3)
    assert [answer.status for answer in answers] == [204] * 3
    assert await tracked.kinds() == ["click", "viewable", "skip"]
    assert tracked.at_once == 3


async def test_requests_behind_a_track_request_wait_for_its_answer(tracked: Tracked) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(tracked.call())
    protocol.data_received(tracked.serve)
    protocol.data_received(_LIVEZ[:10])
    protocol.data_received(_LIVEZ[10:])
    assert transport.written == b""
    answers = await _answers(transport, 3)
    assert [answer.status for answer in answers] == [204, 200, 200]


async def test_new_clients_beyond_the_share_of_an_iteration_are_answered_in_later_ones(
    tracked: Tracked,
) -> None:
    waiting = []
    for number in range(3):
        protocol, transport = await tracked.connect()
        waiting.append((protocol, transport, tracked.serve_reader(number)))
    for protocol, _, call in waiting:
        protocol.data_received(call)
        tracked.edge.clock.advance(ms=5)
    waiting[1][0].data_received(_LIVEZ)
    assert [bool(transport.written) for _, transport, _ in waiting] == [True, False, False]
    assert [one.status for one in await _answers(waiting[2][1], 1)] == [200]
    first, then = await _answers(waiting[1][1], 2)
    assert (first.status, then.status) == (200, 200)
    assert b"track_token" in first.body
    assert tracked.at_once == 3


async def test_a_request_whose_client_disconnects_while_queued_is_dropped(
    tracked: Tracked,
) -> None:
    (one, _), (other, transport) = await tracked.connect(), await tracked.connect()
    one.data_received(tracked.serve_reader(1))
    tracked.edge.clock.advance(ms=5)
    other.data_received(tracked.serve_reader(2))
    transport.close()
    other.connection_lost(None)
    await until(lambda: not tracked.edge.app.config.UNCACHED_THROTTLE.waiting)
    assert (transport.written, tracked.at_once) == (b"", 1)


async def test_a_long_pipeline_of_refusals_neither_grows_the_stack_nor_blocks_the_loop(
    tracked: Tracked,
) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(tracked.call(key="pk_live_no") * 400)
    assert len(parse_answers(transport.written)) == 1
    assert {answer.status for answer in await _answers(transport, 400)} == {401}


async def test_a_client_that_keeps_sending_is_not_read_meanwhile(tracked: Tracked) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(tracked.call())
    protocol.data_received(_LIVEZ * 2_500)
    assert transport.paused
    await _answers(transport, 1)
    await until(lambda: not transport.paused)


async def test_a_request_waits_while_sanic_handles_the_one_before(tracked: Tracked) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(_LIVEZ)
    protocol.data_received(tracked.call())
    assert [answer.status for answer in await _answers(transport, 2)] == [200, 204]
    assert tracked.at_once == 0


@pytest.mark.parametrize("cut", [1, 10, 150, 270, 330])
async def test_a_request_in_two_pieces_is_answered_once(tracked: Tracked, cut: int) -> None:
    protocol, transport = await tracked.connect()
    call = tracked.call()
    protocol.data_received(call[:-cut])
    protocol.data_received(call[-cut:])
    assert [answer.status for answer in await _answers(transport, 1)] == [204]
    assert await tracked.kinds() == ["impression"]
    assert tracked.at_once == 0


async def test_a_connection_waiting_for_its_answer_is_not_idle(tracked: Tracked) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(tracked.call())
    assert not protocol.close_if_idle()
    await _answers(transport, 1)
    assert protocol.close_if_idle()


async def test_an_answer_during_shutdown_announces_the_close(tracked: Tracked) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(tracked.call())
    protocol.signal.stopped = True
    (answer,) = await _answers(transport, 1)
    assert (answer.status, answer.headers["connection"]) == (204, "close")
    assert transport.is_closing()


async def test_an_event_of_a_disconnected_client_is_stored(tracked: Tracked) -> None:
    protocol, transport = await tracked.connect()
    protocol.data_received(tracked.call())
    transport.close()
    protocol.connection_lost(None)
    counts = tracked.edge.context.redemptions.counts
    await until(lambda: counts.counted == 1)
    assert transport.written == b""
    assert await tracked.kinds() == ["impression"]


async def test_a_full_spool_is_503_and_never_a_false_204(tracked: Tracked) -> None:
    spool = tracked.edge.context.spool
    await fill_up(spool)
    protocol, transport = await tracked.connect()
    call = tracked.call()
    protocol.data_received(call)
    (answer,) = await _answers(transport, 1)
    assert (answer.status, answer.code, answer.headers["retry-after"]) == (503, "unavailable", "5")
    spool.settle(spool.last_sequence)
    protocol.data_received(call)
    assert (await _answers(transport, 2))[1].status == 204
