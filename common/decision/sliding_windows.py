"""
Counts events within a window that ends now, stored as one number for each tenth of the window.

Everything within the window is counted, plus at most the tenth in which the window begins. So a cap is never exceeded,
and opens at most a tenth of its window late. Two numbers a window would take less space, but could count only half.
"""

from collections.abc import Mapping

PARTS = 10


def part_ms(window_s: int) -> int:
    """Returns the length of one part; windows have at least a minute."""
    return window_s * 1000 // PARTS


def part_at(window_s: int, now_ms: int) -> int:
    """Returns the number of the part that contains *now_ms*."""
    return now_ms // part_ms(window_s)


def oldest_part(window_s: int, now_ms: int) -> int:
    """Returns the first part that may overlap the window that ends at *now_ms*."""
    return part_at(window_s, now_ms) - PARTS


def counted(parts: Mapping[int, int], window_s: int, now_ms: int) -> int:
    """*parts*: part number to its count. Parts in the future count as well: an edge's clock may be ahead."""
    oldest = oldest_part(window_s, now_ms)
    return sum(count for number, count in parts.items() if number >= oldest)
