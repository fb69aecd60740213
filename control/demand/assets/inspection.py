"""
Inspects an uploaded file. Decoding runs in a separate process, which is killed if it takes too long.

A file that crashes that process, or exceeds its memory or time, is rejected like any other bad one.
"""

import asyncio
import base64
import hashlib
import tempfile
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import orjson

from common.service.asset_folder import MEDIA_TYPES, object_name
from common.service.child_process import run_module
from common.service.rendition_pack import EXTENSION
from common.values.enums import AssetKind
from common.values.errors import Unavailable
from common.values.messages import Message
from control.demand.assets.sniff import Sniffed

_CHUNK_BYTES = 1 << 20
_GIB = 1 << 30
_STILL_BYTES = 64 << 20
"""Limit of an image while it is encoded; the cap of its kind is checked afterwards."""
_QUEUE_S = 20.0
_SLACK_S = 5.0


@dataclass(frozen=True, slots=True)
class Accepted:
    """``file`` holds the bytes to be served: those that were uploaded, or the re-encoded image."""

    file: BinaryIO
    name: str
    size_bytes: int
    digest: bytes
    media_type: str
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    media: dict[str, Any] = field(default_factory=dict)
    thumbnail: bytes | None = None
    poster: bytes | None = None
    renditions: BinaryIO | None = None
    """The pack of a sound's renditions, see `common.service.rendition_pack`; the receiver closes it."""

    @property
    def renditions_name(self) -> str | None:
        return None if self.renditions is None else object_name(self.digest, EXTENSION)


@dataclass(frozen=True, slots=True)
class Rejected:
    reason: Message


Finding = Accepted | Rejected


class Inspector:
    """Inspects at most *at_once* files at a time; others wait for `_QUEUE_S`, then get 503."""

    def __init__(self, *, at_once: int = 2, image_cpu_s: int = 20, stream_cpu_s: int = 180) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._image_cpu_s = image_cpu_s
        self._stream_cpu_s = stream_cpu_s

    async def inspect(self, file: BinaryIO, sniffed: Sniffed, kind: AssetKind) -> Finding:
        """*file* must have a descriptor. Raises `Unavailable` if no place becomes free."""
        if kind is AssetKind.HTML:
            return await asyncio.to_thread(_inspect_html, file)
        try:
            async with asyncio.timeout(_QUEUE_S):
                await self._places.acquire()
        except TimeoutError:
            raise Unavailable(
                Message("Too many files are being inspected. Try again shortly."), retry_after_s=5
            ) from None
        try:
            return await self._decode(file, sniffed, kind)
        finally:
            self._places.release()

    async def _decode(self, file: BinaryIO, sniffed: Sniffed, kind: AssetKind) -> Finding:
        target = tempfile.TemporaryFile()  # noqa: SIM115 - given to the caller, who closes it
        is_image = kind is AssetKind.IMAGE
        cpu_s = self._image_cpu_s if is_image else self._stream_cpu_s
        job = {
            "kind": kind.value,
            "container": sniffed.container,
            "source": file.fileno(),
            "target": target.fileno(),
            "memory_bytes": 2 * _GIB,
            "cpu_s": cpu_s,
            "output_bytes": _STILL_BYTES,
        }
        file.flush()
        found = await _run(job, wall_s=cpu_s + _SLACK_S)
        if found is None:
            target.close()
            return Rejected(
                Message(
                    "The file could not be decoded within the limits of time and memory. Send a simpler "
                    "one."
                )
            )
        if "refused" in found:
            target.close()
            return Rejected(Message.from_json(found["refused"]))
        if is_image:
            return await asyncio.to_thread(_accept, target, found)
        accepted = await asyncio.to_thread(_accept, file, found)
        if found["media"].get("renditions"):
            return replace(accepted, renditions=target)
        target.close()
        return accepted


async def _run(job: dict[str, Any], *, wall_s: float) -> dict[str, Any] | None:
    """Run the inspection process. Returns None if the process died or had to be killed."""
    output = await run_module(
        "control.demand.media_inspection",
        orjson.dumps(job).decode(),
        wall_s=wall_s,
        descriptors=(job["source"], job["target"]),
    )
    if output is None:
        return None
    found: dict[str, Any] = orjson.loads(output)
    return found


def _inspect_html(file: BinaryIO) -> Finding:
    file.seek(0)
    text = file.read()
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return Rejected(
            Message(
                "The file is not UTF-8: byte {byte} is invalid. Save it as UTF-8.", byte=error.start
            )
        )
    if b"\0" in text:
        return Rejected(Message("The file contains the NUL character (U+0000). Remove it."))
    return _accept(file, {"extension": "html"})


def _accept(file: BinaryIO, found: dict[str, Any]) -> Accepted:
    digest, size = digest_of(file)
    media_type = MEDIA_TYPES[found["extension"]]
    return Accepted(
        file=file,
        name=object_name(digest, found["extension"]),
        size_bytes=size,
        digest=digest,
        media_type=media_type,
        width=found.get("width"),
        height=found.get("height"),
        duration_ms=found.get("duration_ms"),
        media=found.get("media", {}),
        thumbnail=_picture(found, "thumbnail"),
        poster=_picture(found, "poster"),
    )


def _picture(found: dict[str, Any], name: str) -> bytes | None:
    return base64.b64decode(found[name]) if name in found else None


def digest_of(file: BinaryIO) -> tuple[bytes, int]:
    """SHA-256 and length of all of *file*, and rewinds it to its start. Blocks."""
    digest, size = hashlib.sha256(), 0
    file.seek(0)
    while chunk := file.read(_CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
    file.seek(0)
    return digest.digest(), size
