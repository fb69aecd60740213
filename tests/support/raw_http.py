"""HTTP by hand: what a test sends is what goes over the wire, byte for byte."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import orjson
from sanic import Sanic

from common.http.listen import Listener, listen
from tests.support.waiting import PATIENCE_S, until


@dataclass(frozen=True, slots=True)
class RawAnswer:
    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def code(self) -> str:
        """The envelope's ``error.code``."""
        return str(self.json["error"]["code"])


@asynccontextmanager
async def listening(app: Sanic[Any, Any]) -> AsyncIterator[Listener]:
    listener = await listen(app, host="127.0.0.1", port=0)
    try:
        yield listener
    finally:
        await listener.close(drain_s=0)


def neighbour(number: int) -> str:
    """One of the machine's own addresses, 250 connections each, so that none has more than an address may."""
    return f"127.1.{number // 62_500}.{1 + number // 250 % 250}"


@asynccontextmanager
async def connection(
    port: int, source: str | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection, closed for good at the end; *source*: from this address of the machine's own."""
    local = None if source is None else (source, 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=local)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


@asynccontextmanager
async def connections_from(source: str, port: int, count: int) -> AsyncIterator["Opened"]:
    """*count* silent connections of one address of the machine's own."""
    async with AsyncExitStack() as stack:
        yield Opened(
            [await stack.enter_async_context(connection(port, source)) for _ in range(count)]
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """Connections, in the order in which they were opened."""

    streams: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]]

    async def wait_closed(self, count: int) -> None:
        """Until the server has closed *count* of them. Fails where it closed others than the last."""

        async def closed() -> bool:
            return sum(reader.at_eof() for reader, _ in self.streams) == count

        await until(closed)
        kept = self.streams[: len(self.streams) - count]
        assert not any(reader.at_eof() for reader, _ in kept)

    async def ask(self, number: int, request: bytes) -> RawAnswer:
        """One request, and its answer, on a connection that is kept."""
        reader, writer = self.streams[number]
        writer.write(request)
        async with asyncio.timeout(PATIENCE_S):
            return await read_answer(reader)


async def exchange(port: int, *parts: bytes) -> list[RawAnswer]:
    """Sends *parts*, each on its own, and reads every answer until the server closes."""
    async with connection(port) as (reader, writer):
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE_S):
            raw = await read_to_end(reader)
    return parse_answers(raw)


async def ask(port: int, request: bytes) -> RawAnswer:
    """One request, one answer; *request* must ask for ``Connection: close``."""
    answers = await exchange(port, request)
    assert len(answers) == 1, answers
    return answers[0]


async def ask_many(port: int, requests: Sequence[bytes], *, at_once: int = 50) -> list[RawAnswer]:
    """An answer for each of *requests*, over one connection that is kept; *at_once* are sent before one is read."""
    answers = []
    async with connection(port) as (reader, writer), asyncio.timeout(3 * PATIENCE_S):
        for start in range(0, len(requests), at_once):
            some = requests[start : start + at_once]
            writer.write(b"".join(some))
            answers += [await read_answer(reader) for _ in some]
    return answers


async def read_answer(reader: asyncio.StreamReader) -> RawAnswer:
    """The next one; neither a HEAD's nor a 304's, which have no body whatever their length says."""
    head = await reader.readuntil(b"\r\n\r\n")
    (answer,) = parse_answers(head)
    body = await reader.readexactly(int(answer.headers.get("content-length", "0")))
    return RawAnswer(answer.status, answer.headers, body)


def get(path: str, *headers: str, method: str = "GET") -> bytes:
    """A well-formed request without a body that closes the connection."""
    lines = [f"{method} {path} HTTP/1.1", "Host: test", *headers, "Connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def parse_answers(raw: bytes) -> list[RawAnswer]:
    answers = []
    while raw:
        head, _, raw = raw.partition(b"\r\n\r\n")
        status_line, *lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, value in (ln.split(":", 1) for ln in lines)
        }
        length = int(headers.get("content-length", "0"))
        answers.append(RawAnswer(int(status_line.split(" ")[1]), headers, raw[:length]))
        raw = raw[length:]
    return answers


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """What came before the end, also where the end is a reset: it may overtake an answer that was not read yet."""
    chunks = []
    with suppress(ConnectionResetError):
        while chunk := await reader.read(65536):
            chunks.append(chunk)
    return b"".join(chunks)
