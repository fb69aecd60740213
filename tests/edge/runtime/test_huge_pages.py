"""Huge pages are asked for where memory is in use, and when there is more of it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest

from edge.runtime.huge_pages import HugePages, collapse_steps, count_huge_bytes, full_ranges, rest_s

MIB = 1024 * 1024
ALLOWED = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def a_mapping(
    start: int, size: int, *, used: float = 1.0, rights: str = "rw-p", of: str = ""
) -> str:
    """As /proc/PID/smaps has it."""
    head = f"{start:x}-{start + size:x} {rights} 00000000 00:00 0 {of}".rstrip()
    return f"{head}\nSize: {size // 1024} kB\nRss: {int(size * used) // 1024} kB\nAnonymous: 0 kB\n"


def test_a_range_in_use_is_collapsed_in_whole_pages() -> None:
    smaps = a_mapping(3 * MIB, 8 * MIB) + a_mapping(20 * MIB, 4 * MIB, of="[heap]")
    assert list(full_ranges(smaps)) == [(4 * MIB, 10 * MIB), (20 * MIB, 24 * MIB)]


@pytest.mark.parametrize(
    "smaps",
    [
        pytest.param(a_mapping(4 * MIB, 8 * MIB, used=0.1), id="an empty stack of a thread"),
        pytest.param(a_mapping(4 * MIB, 8 * MIB, rights="r-xp"), id="code"),
        pytest.param(a_mapping(4 * MIB, 8 * MIB, rights="rw-s"), id="shared"),
        pytest.param(a_mapping(4 * MIB, 8 * MIB, of="/usr/lib/some.so"), id="a file"),
        pytest.param(a_mapping(4 * MIB, 8 * MIB, of="[stack]"), id="the stack"),
        pytest.param(a_mapping(5 * MIB, 2 * MIB), id="less than a page"),
    ],
)
def test_unused_and_foreign_memory_is_left_alone(smaps: str) -> None:
    assert list(full_ranges(smaps)) == []


def test_memory_keeps_its_content_and_never_disables_huge_pages() -> None:
    words = [str(number) for number in range(200_000)]
    requested: set[int] = set()
    steps = sum(1 for _ in collapse_steps(requested))
    assert len(requested) <= steps
    assert all(page % (2 * MIB) == 0 for page in requested)
    assert words == [str(number) for number in range(200_000)]
    assert "[never]" not in ALLOWED.read_text() or (steps, count_huge_bytes()) == (0, 0)


async def test_huge_pages_are_requested_again_only_when_the_process_has_grown() -> None:
    requested: list[bool] = []

    def steps(_asked: set[int]) -> Iterator[None]:
        requested.append(True)
        return iter(())

    sizes = iter([100 * MIB, 101 * MIB, 90 * MIB, 107 * MIB])
    pages = HugePages(steps, lambda: next(sizes))
    counts = []
    for _ in range(4):
        await pages.refresh()
        counts.append(len(requested))
    assert counts == [1, 1, 1, 2]


async def test_all_huge_pages_are_requested_with_requests_served_in_between() -> None:
    turns: list[int] = []
    done = 0

    def steps(_asked: set[int]) -> Iterator[None]:
        nonlocal done
        for _ in range(20):
            until_s = perf_counter() + 0.001
            while perf_counter() < until_s:
                pass
            done += 1
            yield

    async def watch() -> None:
        while True:
            turns.append(done)
            await asyncio.sleep(0)

    watching = asyncio.create_task(watch())
    await HugePages(steps, lambda: 100 * MIB).refresh()
    watching.cancel()
    assert done == 20
    assert set(range(1, 20)) <= set(turns)


def test_slow_pages_take_a_fiftieth_of_a_core_and_quick_ones_a_sixth() -> None:
    assert rest_s(0.001) == pytest.approx(0.005)
    assert rest_s(0.006) == pytest.approx(0.3)
