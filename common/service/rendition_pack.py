"""
The renditions of one uploaded sound in one file, which edges put into content: an index, then the bytes of each.

Layout: 8 bytes `MAGIC`, 4 bytes length of the index (big-endian), the index as JSON, the renditions. The file has the
name of the uploaded sound with its own extension, so one follows from the other.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import orjson

MAGIC: Final = b"PLCRND1\n"
EXTENSION: Final = "renditions"
MAX_INDEX_BYTES: Final = 1_048_576
HEAD_BYTES: Final = len(MAGIC) + 4


class PackInvalid(ValueError):
    """The bytes are no pack of this version."""


@dataclass(frozen=True, slots=True)
class Rendition:
    """
    ``codec``: ``mp3`` and ``aac`` are plain frames, ``ts`` is AAC in MPEG-TS, whose ``segments`` are pairs of length in
    bytes and duration in ms. ``start``: of its bytes in the file. ``loudness_lufs``: as encoded.
    """

    codec: str
    sample_rate_hz: int
    channels: int
    bitrate_kbps: int
    loudness_lufs: float
    start: int
    size_bytes: int
    segments: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True)
class RenditionPack:
    duration_ms: int
    renditions: Sequence[Rendition]


def build_pack(duration_ms: int, encoded: Sequence[tuple[Rendition, bytes]]) -> bytes:
    """*encoded*: renditions, whose ``start`` and ``size_bytes`` are set here, and their bytes."""
    index: dict[str, Any] = {"duration_ms": duration_ms, "renditions": []}
    start = 0
    for rendition, body in encoded:
        index["renditions"].append(
            asdict(rendition) | {"start": start, "size_bytes": len(body)},
        )
        start += len(body)
    text = orjson.dumps(index)
    return b"".join((MAGIC, len(text).to_bytes(4, "big"), text, *[body for _, body in encoded]))


def index_bytes(head: bytes) -> int:
    """Length of the index, by the first `HEAD_BYTES`. Raises `PackInvalid`."""
    size = int.from_bytes(head[len(MAGIC) : HEAD_BYTES], "big")
    if head[: len(MAGIC)] != MAGIC or len(head) < HEAD_BYTES or size > MAX_INDEX_BYTES:
        raise PackInvalid("not a pack of renditions")
    return size


def parse_index(text: bytes) -> RenditionPack:
    """*text*: the index alone. ``start`` of the result counts from the start of the file. Raises `PackInvalid`."""
    first = HEAD_BYTES + len(text)
    try:
        index = orjson.loads(text)
        found = [
            Rendition(
                **one
                | {
                    "start": first + one["start"],
                    "segments": tuple((size, ms) for size, ms in one["segments"]),
                }
            )
            for one in index["renditions"]
        ]
        return RenditionPack(int(index["duration_ms"]), tuple(found))
    except (ValueError, KeyError, TypeError) as error:
        raise PackInvalid(f"the index cannot be read: {error}") from error
