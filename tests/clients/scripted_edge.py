"""An edge that answers as a conformance case says, and remembers what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from edge.scenario.http import Request, message, read_request, send
from tests.support.raw_http import ask


@dataclass(slots=True)
class ScriptedEdge:
    """
    ``answers``: for each last segment of a path, those of `answers.json` in sequence; the last one repeats. With
    ``upstream``, the port of a real edge, that one answers.
    """

    port: int = 0
    answers: dict[str, list[Any]] = field(default_factory=dict)
    upstream: int | None = None
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def play(self, answers: Mapping[str, Sequence[Any]], *, upstream: int | None = None) -> None:
        self.answers = {name: list(each) for name, each in answers.items()}
        self.upstream = upstream
        self.requests = []

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._answer(await read_request(reader), writer):
                    pass
        finally:
            writer.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection can be used again."""
        self.requests.append(request)
        if self.upstream is not None:
            writer.write(await _forward(request, self.upstream))
            await writer.drain()
            return True
        answer = self._next(request.operation)
        return await send(answer, writer, {})

    def _next(self, name: str) -> Any:
        ahead = self.answers[name]
        return ahead.pop(0) if len(ahead) > 1 else ahead[0]


@asynccontextmanager
async def scripted_edge(port: int = 0) -> AsyncIterator[ScriptedEdge]:
    edge = ScriptedEdge()
    connections: set[asyncio.Task[None]] = set()
    writers: list[asyncio.StreamWriter] = []

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        connections.add(asyncio.ensure_future(edge.handle(reader, writer)))

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    edge.port = server.sockets[0].getsockname()[1]
    try:
        yield edge
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        for writer in writers:
            with suppress(ConnectionError):
                await writer.wait_closed()


async def _forward(request: Request, port: int) -> bytes:
    headers = {**request.headers, "connection": "close"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"{request.method} {request.target} HTTP/1.1\r\n{lines}\r\n"
    answer = await ask(port, head.encode("latin-1") + request.body)
    kept = {name: value for name, value in answer.headers.items() if name != "connection"}
    return message(answer.status, kept, answer.body)
