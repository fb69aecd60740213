"""
Receives bodies that are too large for memory, into an unnamed temporary file that ends with the process.

A slow client gets time in proportion to the length of its body, instead of the few seconds of other bodies.
"""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from sanic import Request

from common.http.protocol import StrictHttp
from common.http.request_body import body_pieces
from common.values.errors import ErrorCode, Refused, Unavailable, invalid
from common.values.messages import Message
from control.foundation.http.multipart import (
    MultipartInvalid,
    MultipartParser,
    Part,
    parse_boundary,
)

HEAD_BYTES = 4096
"""First bytes of a file, from which its maximum size is determined."""
FORM = "multipart/form-data"
_FORM_BYTES = 64 * 1024
"""Bytes that a form may have in addition to its file."""
_FIELD_BYTES = 4096
_WRITE_BYTES = 256 * 1024

CapOf = Callable[[bytes], int]
"""Maps the first bytes of a file to its maximum size in bytes. Raises `Refused`."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A client may take *grace_s*, and one more second for every *min_bytes_s*."""

    grace_s: float
    min_bytes_s: int

    def deadline_s(self, size_bytes: int) -> float:
        return self.grace_s + size_bytes / self.min_bytes_s


class Upload:
    """A file that is being received; ``size_bytes`` and ``digest`` (SHA-256) cover the bytes received so far."""

    def __init__(self, file: BinaryIO, cap_of: CapOf) -> None:
        self.file = file
        self.head = b""
        self.size_bytes = 0
        self._cap_of = cap_of
        self._cap: int | None = None
        self._digest = hashlib.sha256()
        self._waiting = bytearray()

    @property
    def digest(self) -> bytes:
        return self._digest.digest()

    async def add(self, data: bytes) -> None:
        """Adds *data*. Raises `Refused` as soon as the file is certain to be refused."""
        self.size_bytes += len(data)
        if len(self.head) < HEAD_BYTES:
            self.head += data[: HEAD_BYTES - len(self.head)]
            if len(self.head) == HEAD_BYTES:
                self._cap = self._cap_of(self.head)
        if self._cap is not None and self.size_bytes > self._cap:
            raise too_large(self._cap)
        self._waiting += data
        if len(self._waiting) >= _WRITE_BYTES:
            await self._write()

    async def finish(self) -> None:
        """Writes the remaining bytes to the file. Raises `Refused`."""
        await self._write()
        if self._cap is None:
            self._cap = self._cap_of(self.head)
            if self.size_bytes > self._cap:
                raise too_large(self._cap)

    async def _write(self) -> None:
        data, self._waiting = bytes(self._waiting), bytearray()
        try:
            await asyncio.to_thread(self._write_now, data)
        except OSError:
            raise Unavailable(
                Message("There is no disk space for the file at the moment. Try again shortly.")
            ) from None

    def _write_now(self, data: bytes) -> None:
        self._digest.update(data)
        self.file.write(data)
        self.file.flush()


@dataclass(frozen=True, slots=True)
class Form:
    """A received form; ``fields`` by name, without the file."""

    fields: dict[str, str]
    filename: str | None
    upload: Upload


@asynccontextmanager
async def nameless_file(folder: Path) -> AsyncIterator[BinaryIO]:
    """Opens an unnamed file. It is removed when the block or the process ends, even by a crash."""
    file = await asyncio.to_thread(_open_nameless, folder)
    try:
        yield file
    finally:
        file.close()


async def receive_form(
    request: Request, file: BinaryIO, *, cap_of: CapOf, max_bytes: int, pace: Pace
) -> Form:
    """Receives a form with one part ``file``. Raises `Refused`: 400, 413, 422."""
    try:
        parser = MultipartParser(parse_boundary(request.headers.getone("content-type", "")))
        receiver = _FormReceiver(Upload(file, cap_of))
        async for data in _pieces_of(request, max_bytes=max_bytes + _FORM_BYTES, pace=pace):
            for event in parser.feed(data):
                await receiver.take(event)
        parser.finish()
    except MultipartInvalid as error:
        raise Refused(
            ErrorCode.BAD_REQUEST,
            Message("{problem} Send multipart/form-data as in RFC 7578.", problem=str(error)),
        ) from None
    return await receiver.finish()


async def receive_file(
    request: Request, file: BinaryIO, *, cap_of: CapOf, max_bytes: int, pace: Pace
) -> Upload:
    """Receives a body that is the file itself. Raises `Refused`: 413, and what *cap_of* raises."""
    upload = Upload(file, cap_of)
    async for data in _pieces_of(request, max_bytes=max_bytes, pace=pace):
        await upload.add(data)
    await upload.finish()
    return upload


async def _pieces_of(request: Request, *, max_bytes: int, pace: Pace) -> AsyncIterator[bytes]:
    """Yields the decoded body as it arrives. Raises `Refused` as `body_pieces` does."""
    stream = cast(StrictHttp, request.stream)
    declared = request.headers.getone("content-length", None)
    length = min(int(declared), max_bytes) if declared is not None else max_bytes
    stream.take_large_body(max_bytes=max_bytes, deadline_s=pace.deadline_s(length))
    async for piece in body_pieces(request, max_bytes=max_bytes):
        yield piece


def too_large(max_bytes: int) -> Refused:
    return Refused(
        ErrorCode.PAYLOAD_TOO_LARGE,
        Message(
            "The file may have at most {max_bytes:,} bytes. Send a smaller one.",
            max_bytes=max_bytes,
        ),
    )


class _FormReceiver:
    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._filename: str | None = None
        self._has_file = False
        self._fields: dict[str, bytearray] = {}
        self._current: bytearray | None = None

    async def take(self, event: Part | bytes) -> None:
        if isinstance(event, Part):
            self._begin(event)
        elif self._current is None:
            await self._upload.add(event)
        else:
            self._current += event
            if len(self._current) > _FIELD_BYTES:
                raise too_large(_FIELD_BYTES)

    async def finish(self) -> Form:
        if not self._has_file:
            raise invalid("file", "required", Message("Send the file as the part `file`."))
        await self._upload.finish()
        fields = {}
        for name, value in self._fields.items():
            try:
                fields[name] = value.decode()
            except UnicodeDecodeError:
                raise invalid(name, "format", Message("Send text as UTF-8.")) from None
        return Form(fields, self._filename, self._upload)

    def _begin(self, part: Part) -> None:
        if part.name in self._fields or (part.name == "file" and self._has_file):
            raise invalid(
                part.name[:100],
                "repeated",
                Message("This part was sent more than once. Send it once."),
            )
        if part.name == "file":
            self._has_file, self._filename, self._current = True, part.filename, None
            return
        self._current = self._fields[part.name] = bytearray()


def _open_nameless(folder: Path) -> BinaryIO:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return cast(BinaryIO, tempfile.TemporaryFile(dir=folder))
    except OSError as error:
        raise Unavailable(
            Message("There is no disk space for the file at the moment. Try again shortly.")
        ) from error
