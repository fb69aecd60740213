"""
A closed-loop HTTP generator: one process, keep-alive connections, each sends its next request when answered.

Run as ``python -m loadtests.bench.generator PORT SECONDS CONNECTIONS FILE``; FILE holds ready requests, each preceded
by its length as four big-endian bytes. Prints one JSON line: requests, seconds, statuses, errors, latencies in µs.
Requests are taken round the file from different places by each connection, so every head is sent about equally often.
"""

import asyncio
import struct
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import cast

import orjson
import uvloop

from loadtests.bench.report import percentile

_SAMPLE_EVERY = 16


def write_requests(path: Path, requests: list[bytes]) -> None:
    path.write_bytes(b"".join(struct.pack(">I", len(item)) + item for item in requests))


def read_requests(path: Path) -> list[bytes]:
    raw, place, found = path.read_bytes(), 0, []
    while place < len(raw):
        (length,) = struct.unpack_from(">I", raw, place)
        found.append(raw[place + 4 : place + 4 + length])
        place += 4 + length
    return found


class Tally:
    """What all connections of a run saw."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.errors = 0
        self.latencies_us: list[float] = []


class Connection(asyncio.Protocol):
    """One keep-alive connection."""

    def __init__(self, requests: list[bytes], start: int, tally: Tally) -> None:
        self._requests = requests
        self._next = start
        self._tally = tally
        self._buffer = b""
        self._sent_at = 0.0
        self.running = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(
            asyncio.Transport, transport
        )  # uvloop's own class is none of asyncio's
        self._send()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = _end_of_answer(self._buffer)
        if end is None:
            return
        status = self._buffer[9:12].decode()
        self._buffer = self._buffer[end:]
        self._tally.statuses[status] += 1
        if self._next % _SAMPLE_EVERY == 0:
            self._tally.latencies_us.append((perf_counter() - self._sent_at) * 1e6)
        if self.running:
            self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.running or exc is not None:
            self._tally.errors += 1

    def close(self) -> None:
        self.running = False
        self._transport.close()

    def _send(self) -> None:
        self._next = (self._next + 1) % len(self._requests)
        self._sent_at = perf_counter()
        self._transport.write(self._requests[self._next])


def _end_of_answer(buffer: bytes) -> int | None:
    """Where the first answer in *buffer* ends, or None while it is incomplete."""
    head_end = buffer.find(b"\r\n\r\n")
    if head_end < 0:
        return None
    place = buffer.lower().find(b"content-length:", 0, head_end)
    length = int(buffer[place + 15 : buffer.find(b"\r", place)]) if place >= 0 else 0
    end = head_end + 4 + length
    return end if len(buffer) >= end else None


def _same(connection: Connection) -> Connection:
    return connection


async def run(
    port: int, seconds: float, connections: int, requests: list[bytes]
) -> dict[str, object]:
    loop = asyncio.get_running_loop()
    tally = Tally()
    started = perf_counter()
    opened: list[Connection] = []
    for number in range(connections):
        first = number * len(requests) // connections
        connection = Connection(requests, first, tally)
        await loop.create_connection(partial(_same, connection), "127.0.0.1", port)
        opened.append(connection)
    await asyncio.sleep(seconds)
    elapsed = perf_counter() - started
    for connection in opened:
        connection.close()
    return {
        "requests": sum(tally.statuses.values()),
        "seconds": elapsed,
        "statuses": dict(tally.statuses),
        "errors": tally.errors,
        "p50_us": percentile(tally.latencies_us or [0.0], 0.5),
        "p99_us": percentile(tally.latencies_us or [0.0], 0.99),
    }


if __name__ == "__main__":
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    result = asyncio.run(
        run(
            int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), read_requests(Path(sys.argv[4]))
        )
    )
    print(orjson.dumps(result).decode())
