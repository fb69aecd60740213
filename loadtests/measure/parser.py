"""A parser of untrusted bytes, and how its worst time is measured."""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any

import h11
from pydantic import BaseModel
from pydantic_core import PydanticCustomError

from common.http.head import HeadInvalid
from common.values.errors import ApiError
from control.foundation.http.multipart import MultipartInvalid
from loadtests.measure.shapes import QUERY

_REFUSALS = (
    ApiError,
    HeadInvalid,
    h11.RemoteProtocolError,
    MultipartInvalid,
    PydanticCustomError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Parser:
    """
    *where*: ``loop``, or ``thread`` or ``process`` if it runs off the loop. *salt*: appended to make an input distinct,
    because some parsers cache their input. *clock*: what its time is measured by, in seconds. *tries*: of each shape.
    *model*: of a request body.
    """

    name: str
    parse: Callable[[bytes], object]
    shapes: Iterable[bytes]
    max_bytes: int = QUERY
    where: str = "loop"
    salt: bytes = b" "
    clock: Callable[[], float] = perf_counter
    tries: int = 3
    model: type[BaseModel] | None = None


class LongestTurn:
    """Runs coroutines on an event loop; as a clock, it counts the loop's processor time in the longest turn of each."""

    def __init__(self) -> None:
        self._counted_s = 0.0

    def __call__(self) -> float:
        return self._counted_s

    def run(self, work: Coroutine[Any, None, None]) -> None:
        steps = _Steps(work)
        try:
            asyncio.run(_awaited(steps))
        finally:
            self._counted_s += steps.longest_s


class _Steps:
    def __init__(self, work: Coroutine[Any, None, None]) -> None:
        self._work = work
        self.longest_s = 0.0

    def __await__(self) -> Generator[Any, None, None]:
        steps = self._work.__await__()
        while True:
            started = thread_time()
            try:
                waits_for = next(steps)
            except StopIteration:
                return
            finally:
                self.longest_s = max(self.longest_s, thread_time() - started)
            yield waits_for


async def _awaited(steps: _Steps) -> None:
    await steps


def as_text(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda raw: parse(raw.decode("latin-1"))


def as_utf8(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda raw: parse(raw.decode("utf-8", "replace"))


def worst_ms(parser: Parser) -> tuple[float, bytes]:
    """The slowest shape, each timed by the fastest of some tries, so that other load on the machine does not count."""
    worst = (0.0, b"")
    for shape in parser.shapes:
        best_s = min(
            _seconds(parser, shape + parser.salt * number) for number in range(parser.tries)
        )
        worst = max(worst, (best_s * 1000, shape[:24]))
    return worst


def _seconds(parser: Parser, raw: bytes) -> float:
    started = parser.clock()
    with suppress(*_REFUSALS):
        parser.parse(raw)
    return parser.clock() - started
