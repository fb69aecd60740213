"""Calls at a constant rate whether or not the ones before were answered; how late each answer was is written down."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

import pytest

from loadtests.bench.report import percentile
from tests.support.printing import say
from tests.support.raw_http import RawAnswer, connection, read_answer
from tests.support.waiting import PATIENCE_S


@dataclass(frozen=True, slots=True)
class Timed:
    """``answer`` is None where the connection ended before it came; ``late_s`` counts from when the call was due."""

    answer: RawAnswer | None
    late_s: float

    @property
    def status(self) -> int:
        return 0 if self.answer is None else self.answer.status


async def paced(
    port: int, requests: Sequence[bytes], *, rate: float, connections: int = 32
) -> list[Timed]:
    """In the order of *requests*, which keep their connections."""
    found = [Timed(None, PATIENCE_S)] * len(requests)
    start = perf_counter()
    numbers = iter(range(len(requests)))

    async def call() -> None:
        for number in numbers:
            async with connection(port) as (reader, writer):
                await _call(reader, writer, number)
                for following in numbers:
                    await _call(reader, writer, following)
                    if found[following].answer is None:
                        break

    async def _call(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> None:
        due = start + number / rate
        await asyncio.sleep(max(0.0, due - perf_counter()))
        answer = None
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            writer.write(requests[number])
            async with asyncio.timeout(PATIENCE_S):
                answer = await read_answer(reader)
        found[number] = Timed(answer, perf_counter() - due)

    await asyncio.gather(*(call() for _ in range(connections)))
    return found


def report(capsys: pytest.CaptureFixture[str], what: str, calls: Sequence[Timed]) -> None:
    """Prints what a person wants to compare with the bar; no outcome depends on it."""
    late_ms = [1_000 * one.late_s for one in calls]
    shown = " ".join(
        f"p{name} {percentile(late_ms, share):.1f} ms"
        for name, share in (("50", 0.5), ("99", 0.99), ("99.9", 0.999))
    )
    say(capsys, f"{what}: {len(calls)} calls, {shown}, slowest {max(late_ms):.1f} ms")
