"""
Counting what happened within a window that ends now, kept as one number for each tenth of it.

What lies within the window is always counted, and with it at most the tenth in which it began: a cap is never exceeded,
and opens at most a tenth of its window late. Two numbers a window would be less to keep, and could count half.
"""

from collections.abc import Mapping

PARTS = 10


def part_ms(window_s: int) -> int:
    """How long one part is; windows have at least a minute."""
    return window_s * 1000 // PARTS


def part_at(window_s: int, now_ms: int) -> int:
    """The number of the part *now_ms* lies in."""
    return now_ms // part_ms(window_s)


def oldest_part(window_s: int, now_ms: int) -> int:
    """The first part that may hold something of the window that ends at *now_ms*."""
    return part_at(window_s, now_ms) - PARTS


def counted(parts: Mapping[int, int], window_s: int, now_ms: int) -> int:
    """*parts*: number of a part to what happened in it. One that lies ahead counts: an edge's clock may."""
    oldest = oldest_part(window_s, now_ms)
    return sum(count for number, count in parts.items() if number >= oldest)
