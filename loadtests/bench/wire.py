"""Requests in a file, and where a response ends: shared by the generators."""

import struct
from pathlib import Path


def write_requests(path: Path, requests: list[bytes]) -> None:
    path.write_bytes(b"".join(struct.pack(">I", len(item)) + item for item in requests))


def read_requests(path: Path) -> list[bytes]:
    raw, place, found = path.read_bytes(), 0, []
    while place < len(raw):
        (length,) = struct.unpack_from(">I", raw, place)
        found.append(raw[place + 4 : place + 4 + length])
        place += 4 + length
    return found


def end_of_answer(received: bytes) -> int:
    """Where the first response in *received* ends, or -1 while it is incomplete."""
    head_end = received.find(b"\r\n\r\n")
    if head_end < 0:
        return -1
    place = received.find(b"ength: ", 0, head_end)  # of Content-Length, in any of its spellings
    length = int(received[place + 7 : received.find(b"\r", place)]) if place >= 0 else 0
    end = head_end + 4 + length
    return end if len(received) >= end else -1
