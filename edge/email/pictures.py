"""PNG images of one colour: the transparent one of a mail without an ad, and the one of the demo ad."""

import struct
import zlib
from functools import lru_cache
from typing import Final

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PALETTE: Final = 3
_DEMO_RGB: Final = b"\xdd\xe3\xf7"
_DEMO_SIDES: Final = (300, 250)


@lru_cache(maxsize=256)
def transparent(width: int, height: int) -> bytes:
    """Some hundred bytes, whatever its size."""
    return _image(width, height, bytes(3), alpha=0)


@lru_cache(maxsize=1)
def demo() -> bytes:
    return _image(*_DEMO_SIDES, _DEMO_RGB, alpha=255)


def _image(width: int, height: int, rgb: bytes, *, alpha: int) -> bytes:
    """One bit a pixel, all of them of the palette's only colour (PNG, third edition, 11.2)."""
    row = bytes(1 + (width + 7) // 8)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 1, _PALETTE, 0, 0, 0)),
        (b"PLTE", rgb),
        (b"tRNS", bytes((alpha,))),
        (b"IDAT", zlib.compress(row * height, 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
