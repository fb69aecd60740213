"""
The lower bound for Python: uvloop and httptools alone, every request parsed completely, constant bytes as the response.
No server that runs Python for each request is faster.

Run as ``python -m loadtests.bench.baselines.floor PORT BODY_BYTES``.
"""

import asyncio
import sys
from typing import cast

import httptools
import uvloop


class Floor(asyncio.Protocol):
    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._parser = httptools.HttpRequestParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        """Parsed, but ignored."""

    def on_header(self, name: bytes, value: bytes) -> None:
        """Parsed, but ignored."""

    def on_message_complete(self) -> None:
        self._transport.write(self._answer)


async def serve(port: int, body_bytes: int) -> None:
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {body_bytes}\r\n\r\n"
    )
    answer = head.encode() + b"x" * body_bytes
    server = await asyncio.get_running_loop().create_server(
        lambda: Floor(answer), "127.0.0.1", port, backlog=1024
    )
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), int(sys.argv[2])))
