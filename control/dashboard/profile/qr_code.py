"""
A QR code (ISO/IEC 18004) as a square of dark and light, and as the path of an SVG: for the one text that a person would
have to type from the screen into their telephone.
"""

from collections.abc import Iterator
from itertools import groupby

from control.dashboard.profile.qr_codewords import aligned_at, codewords, version_for

Square = list[list[bool]]
"""Rows of modules; True is dark."""

QUIET = 4
"""Light modules that stand around a code."""
_MASK = 3
"""The standard weighs eight; a text as mixed as ours reads well by any, and every reader knows all."""
_NAMES_VERSION_FROM = 7


def qr_square(text: str) -> Square:
    """Raises `ValueError` for more than 666 bytes."""
    data = text.encode()
    version = version_for(data)
    size = version * 4 + 17
    square = [[False] * size for _ in range(size)]
    taken = [[False] * size for _ in range(size)]
    for y, x, dark in _patterns(version, size):
        square[y][x], taken[y][x] = dark, True
    bits = _bits(codewords(data, version))
    for y, x in _way(size):
        if not taken[y][x]:
            square[y][x] = next(bits, False) ^ ((y + x) % 3 == 0)
    return square


def svg_path(square: Square) -> str:
    """The dark modules as the ``d`` of a path, a unit each, the quiet zone left around them."""
    return "".join(
        f"M{x + QUIET} {y + QUIET}h{length}v1h-{length}z"
        for y, row in enumerate(square)
        for x, length in _dark_runs(row)
    )


def _dark_runs(row: list[bool]) -> Iterator[tuple[int, int]]:
    at = 0
    for dark, run in groupby(row):
        length = len(list(run))
        if dark:
            yield at, length
        at += length


def _bits(words: bytes) -> Iterator[bool]:
    for word in words:
        for bit in range(7, -1, -1):
            yield bool(word >> bit & 1)


def _way(size: int) -> Iterator[tuple[int, int]]:
    """In pairs of columns from the right, up and down in turns, around the column of the timing pattern."""
    for turn, right in enumerate([*range(size - 1, 6, -2), *range(5, 0, -2)]):
        rows = range(size - 1, -1, -1) if turn % 2 == 0 else range(size)
        for y in rows:
            yield from ((y, right), (y, right - 1))


def _patterns(version: int, size: int) -> Iterator[tuple[int, int, bool]]:
    """What no datum may take; of a module that two draw, the later counts."""
    for at in range(size):
        yield from ((6, at, at % 2 == 0), (at, 6, at % 2 == 0))
    for y, x in ((3, 3), (3, size - 4), (size - 4, 3)):
        yield from _rings(y, x, 4, size, {2, 4})
    middles = aligned_at(version)
    for y in middles:
        for x in middles:
            if (y, x) not in ((6, 6), (6, size - 7), (size - 7, 6)):
                yield from _rings(y, x, 2, size, {1})
    yield from _format(size)
    if version >= _NAMES_VERSION_FROM:
        yield from _version(version, size)


def _rings(
    y: int, x: int, reach: int, size: int, light: set[int]
) -> Iterator[tuple[int, int, bool]]:
    """Squares around a middle; *light*: at which distances."""
    for down in range(-reach, reach + 1):
        for right in range(-reach, reach + 1):
            if 0 <= y + down < size and 0 <= x + right < size:
                yield y + down, x + right, max(abs(down), abs(right)) not in light


def _format(size: int) -> Iterator[tuple[int, int, bool]]:
    """Level M (00) and the mask, twice, in a BCH code (15, 5)."""
    bits = (_MASK << 10 | _rest(_MASK, 10, 0x537)) ^ 0x5412
    for at in range(15):
        dark = bool(bits >> at & 1)
        if at < 8:  # noqa: PLR2004 - half of the code stands by each edge
            yield (at if at < 6 else at + 1), 8, dark  # noqa: PLR2004 - past the timing pattern
            yield 8, size - 1 - at, dark
        else:
            yield 8, (7 if at == 8 else 14 - at), dark  # noqa: PLR2004 - past the timing pattern
            yield size - 15 + at, 8, dark
    yield size - 8, 8, True


def _version(version: int, size: int) -> Iterator[tuple[int, int, bool]]:
    """Twice, in a BCH code (18, 6)."""
    bits = version << 12 | _rest(version, 12, 0x1F25)
    for at in range(18):
        dark, far, near = bool(bits >> at & 1), size - 11 + at % 3, at // 3
        yield from ((far, near, dark), (near, far, dark))


def _rest(value: int, length: int, generator: int) -> int:
    rest = value
    for _ in range(length):
        rest = (rest << 1) ^ ((rest >> (length - 1)) * generator)
    return rest
