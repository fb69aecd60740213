"""
One record on disk: length u32, CRC32C u32 (both big-endian), payload. Reading recovers from crashes and flipped bits:
it skips damaged bytes up to the next frame with a correct checksum.
"""

import struct
from dataclasses import dataclass

import google_crc32c

_HEADER = struct.Struct(">II")
HEADER_BYTES = _HEADER.size
MAX_PAYLOAD_BYTES = 1 << 20
_PAYLOAD_START = b'{"v":'
"""The first bytes of every payload. Searching for them makes resynchronising cheap."""


@dataclass(slots=True)
class Frame:
    """``data[start:end]`` is the whole frame."""

    start: int
    end: int
    payload: bytes


def encode_frame(payload: bytes) -> bytes:
    """Raises ValueError if *payload* is larger than `MAX_PAYLOAD_BYTES`, which readers reject."""
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise ValueError(f"a record of {len(payload)} bytes is over {MAX_PAYLOAD_BYTES}")
    return _HEADER.pack(len(payload), google_crc32c.value(payload)) + payload


def find_frame(data: bytes, offset: int) -> Frame | None:
    """
    The first intact frame at or after *offset*; None if there is none.

    ``start > offset`` means that the bytes between are damaged. None with bytes left means a torn tail, or damage at
    the end.
    """
    here = _frame_at(data, offset)
    while here is None:
        found = data.find(_PAYLOAD_START, offset + HEADER_BYTES + 1)
        if found < 0:
            return None
        offset = found - HEADER_BYTES
        here = _frame_at(data, offset)
    return here


def _frame_at(data: bytes, start: int) -> Frame | None:
    if start + HEADER_BYTES > len(data):
        return None
    length, checksum = _HEADER.unpack_from(data, start)
    end = start + HEADER_BYTES + length
    if not 0 < length <= MAX_PAYLOAD_BYTES or end > len(data):
        return None
    payload = data[start + HEADER_BYTES : end]
    if google_crc32c.value(payload) != checksum:
        return None
    return Frame(start, end, payload)
