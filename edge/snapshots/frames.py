"""Frames between the supervisor and a worker, over a pair of Unix sockets: length, kind, payload."""

import asyncio
import struct
from enum import IntEnum

_HEAD = struct.Struct(">IB")
_MAX_BYTES = 256_000_000


class FrameKind(IntEnum):
    """To the worker: FULL to COLLECT, SHARES and PROFILE. To the supervisor: all others."""

    FULL = 1
    """Header of a full state (`common.snapshot.messages`); its chunks and a BEAT follow."""
    CHUNK = 2
    DELTA = 3
    BEAT = 4
    """The current state is the head; ``at_ms`` is when that was confirmed, by this machine's clock."""
    COLLECT = 5
    """Requests the worker's metrics."""
    STATUS = 6
    """A worker's `WorkerStatus`: its ACK or NACK, and its sign of life."""
    METRICS = 7
    """Prometheus text."""
    LISTENING = 8
    """The worker takes requests."""
    SHARES = 9
    """The worker's shares of rate limits (`edge.state.quota_allocator`); requests its DEMAND."""
    DEMAND = 10
    ALIVE = 11
    """The worker is busy loading a large state, and does not hang."""
    PROFILE = 12
    """Requests the worker's stacks; holds the seconds of `describe_stacks` as text."""
    STACKS = 13
    """What `describe_stacks` returned."""


class FeedBroken(Exception):
    """The other side is gone, or sent bytes that are no frame."""


def pack(kind: FrameKind, payload: bytes = b"") -> bytes:
    return _HEAD.pack(len(payload), kind) + payload


async def read_frame(reader: asyncio.StreamReader) -> tuple[FrameKind, bytes]:
    """Reads one frame. Raises `FeedBroken`."""
    try:
        length, kind = _HEAD.unpack(await reader.readexactly(_HEAD.size))
        if length > _MAX_BYTES:
            raise FeedBroken(f"a frame of {length} bytes")
        return FrameKind(kind), await reader.readexactly(length)
    except (asyncio.IncompleteReadError, OSError, ValueError) as error:
        raise FeedBroken(str(error)) from error
