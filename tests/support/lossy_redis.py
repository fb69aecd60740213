"""A proxy before Redis that understands its protocol: it loses, repeats or delays snapshot notifications only."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

_READ_BYTES = 65_536
_LINES = b"+-:_#,("
_LENGTHS = b"$=!"
_ITEMS = {b"*": 1, b">": 1, b"~": 1, b"%": 2}

Fate = Callable[[bytes], Sequence[bytes]]
"""The messages forwarded in place of one notification, as received: none, one or several."""


def passed_on(frame: bytes) -> Sequence[bytes]:
    return (frame,)


class LossyRedis:
    """``fate`` may be changed at any time."""

    def __init__(self, server_url: str, folder: Path) -> None:
        self._server = urlsplit(server_url).path
        self._socket = folder / "lossy.sock"
        self.fate: Fate = passed_on
        self.seen = 0
        """Notifications received so far."""

    @property
    def url(self) -> str:
        return f"unix://{self._socket}?db=0"

    @asynccontextmanager
    async def running(self) -> AsyncIterator["LossyRedis"]:
        server = await asyncio.start_unix_server(self._serve, str(self._socket))
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_unix_connection(self._server)
        tasks = [
            asyncio.create_task(_copy(reader, to_server)),
            asyncio.create_task(self._copy_frames(from_server, writer)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for end in (writer, to_server):
                end.close()

    async def _copy_frames(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        waiting = b""
        while received := await reader.read(_READ_BYTES):
            waiting += received
            while (end := frame_end(waiting, 0)) > 0:
                frame, waiting = waiting[:end], waiting[end:]
                for part in self._judge(frame):
                    writer.write(part)
            await writer.drain()

    def _judge(self, frame: bytes) -> Sequence[bytes]:
        if b"\r\n$7\r\nmessage\r\n" not in frame[:24]:
            return (frame,)
        self.seen += 1
        return self.fate(frame)


def frame_end(raw: bytes, start: int) -> int:
    """Behind the frame of RESP2 or RESP3 that begins at *start*; -1 where it is not whole yet."""
    line = raw.find(b"\r\n", start)
    if line < 0:
        return -1
    kind, head = raw[start : start + 1], line + 2
    if kind in _LINES:
        return head
    count = int(raw[start + 1 : line])
    if kind in _LENGTHS:
        end = head if count < 0 else head + count + 2
        return end if len(raw) >= end else -1
    for _ in range(max(0, count) * _ITEMS[kind]):
        head = frame_end(raw, head)
        if head < 0:
            return -1
    return head


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while received := await reader.read(_READ_BYTES):
            writer.write(received)
            await writer.drain()
