"""
Why a file is rejected, and which audio file is truncated: where the container states a length that the decoder does not
check.
"""

import struct
from typing import BinaryIO

from common.values.messages import Message

_HEAD_BYTES = 65_536
_UNKNOWN = 0xFFFF_FFFF
_LAST_PAGE = 0x04


class FileRefused(Exception):
    """The file is no valid asset. The message states what is wrong and what to send instead."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def looks_cut_off(file: BinaryIO, container: str) -> bool:
    """Reads both ends of *file*, and rewinds it to its start."""
    size = file.seek(0, 2)
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    file.seek(max(0, size - _HEAD_BYTES))
    tail = file.read(_HEAD_BYTES)
    file.seek(0)
    match container:
        case "wav":
            return _wav_is_short(head, size)
        case "ogg":
            return not _ogg_has_end(tail)
        case _:
            return False


def find_promised_frames(head: bytes) -> int | None:
    """The number of frames in the Xing or Info header of an MP3; None without such a header."""
    place = max(head.find(b"Xing"), head.find(b"Info"))
    if place < 0 or len(head) < place + 12:
        return None
    flags, frames = struct.unpack_from(">II", head, place + 4)
    return int(frames) if flags & 1 else None


def _wav_is_short(head: bytes, size: int) -> bool:
    (promised,) = struct.unpack_from("<I", head, 4)
    return bool(promised != _UNKNOWN and promised + 8 > size + 1)


def _ogg_has_end(tail: bytes) -> bool:
    """RFC 3533: the last page of a stream is marked as the last."""
    page = tail.rfind(b"OggS")
    return page >= 0 and len(tail) > page + 5 and bool(tail[page + 5] & _LAST_PAGE)
