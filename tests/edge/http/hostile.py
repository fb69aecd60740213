"""Callers that waste a server's time, and honest ones beside them that must not notice."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from common.snapshot.model import RateLimits
from common.values.keys import KeyKind
from tests.support.builders import a_key, a_property, a_snapshot, a_stock
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import connection, neighbour, read_answer

SLOW_HEAD = b"GET /v1/serve?slot=top HTTP/1.1\r\nHost: edge\r\nX-Slow: "
SLOW_BODY = "POST /v1/track?key={} HTTP/1.1\r\nHost: edge\r\nContent-Length: 10000\r\n\r\n{{"
NO_LIMITS = RateLimits(10**6, 10**6, 10**6, 10**6)
BEHIND_A_PROXY = 1
"""Of the edge's trusted proxies, so that a test may speak for many addresses."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who may call an edge, wherever that runs."""

    port: int
    key: str

    def serve(self, address: str = "192.0.2.1") -> bytes:
        """A whole call, as by a visitor at *address*."""
        lines = (
            f"GET /v1/serve?slot=top&key={self.key} HTTP/1.1",
            "Host: edge",
            f"X-Forwarded-For: {address}",
        )
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def honest(self, calls: int, *, pause_s: float = 0) -> list[int]:
        """The statuses of *calls* made one after the other, each by another visitor; 0 where none came."""
        statuses = []
        async with connection(self.port) as (reader, writer):
            for number in range(calls):
                writer.write(self.serve(f"198.51.{number >> 8 & 255}.{number & 255}"))
                answer = await read_answer(reader)
                statuses.append(answer.status)
                if pause_s:
                    await asyncio.sleep(pause_s)
        return statuses


@dataclass(frozen=True, slots=True)
class Place(Caller):
    """An edge in this process with a stock that fills, and a key for it."""

    edge: RunningEdge


@asynccontextmanager
async def a_place(limits: RateLimits = NO_LIMITS, **settings: Any) -> AsyncIterator[Place]:
    """*settings* of the edge; behind a proxy unless they say otherwise."""
    text, row = a_key(KeyKind.PUBLISHABLE)
    snapshot = a_snapshot(row, a_property(rate_limits=limits), *a_stock().objects)
    async with running_edge(snapshot, **{"proxies_count": BEHIND_A_PROXY} | settings) as edge:
        yield Place(edge.port, text.text, edge)


@asynccontextmanager
async def idle_connections(port: int, count: int) -> AsyncIterator[None]:
    """Open, and silent."""
    async with AsyncExitStack() as stack:
        for number in range(count):
            await stack.enter_async_context(connection(port, neighbour(number)))
        yield


async def drip(port: int, start: bytes, *, every_s: float) -> int:
    """Sends *start*, then a byte now and then until the server has enough; the status it says then, 0 for none."""
    async with connection(port) as (reader, writer):
        writer.write(start)
        answering = asyncio.create_task(read_answer(reader))
        for byte in _endless():
            done, _ = await asyncio.wait([answering], timeout=every_s)
            if done:
                break
            writer.write(byte)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            return (await answering).status
    return 0


def _endless() -> Iterator[bytes]:
    while True:
        yield b"a"
