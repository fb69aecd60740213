"""How many new callers a turn of the event loop answers, and when the others have theirs."""

import asyncio

from common.values.clock import FixedClock
from edge.fastpath.http1.uncached_throttle import SLICE_S, UncachedThrottle

_A_CALL_MS = 3


class Turns:
    """Calls that take three milliseconds of the clock each; ``answered`` in order, with the turn it was."""

    def __init__(self) -> None:
        self.clock = FixedClock(1_000_000)
        self.answered: list[tuple[int, int]] = []
        self.cold = UncachedThrottle(self._answer, asyncio.get_running_loop(), self.clock)
        self.turn = 0

    def ask(self, number: int) -> None:
        if self.cold.serve_uncached(b"", number, 0, "") is None:
            assert self.cold.was_put_off
            self.cold.put_off(lambda: self.ask(number))

    async def next_slice(self) -> None:
        self.turn += 1
        await asyncio.sleep(0)

    def _answer(self, _data: bytes, start: int, _end: int, _peer: str, /) -> bytes:
        self.clock.advance(ms=_A_CALL_MS)
        self.answered.append((self.turn, start))
        return b"answer"


async def test_an_iteration_answers_its_share_and_later_ones_the_rest_in_order() -> None:
    turns = Turns()
    assert 2 * _A_CALL_MS > SLICE_S * 1000 > _A_CALL_MS
    for number in range(5):
        turns.ask(number)
    assert turns.answered == [(0, 0), (0, 1)]
    await turns.next_slice()
    turns.ask(5)  # behind those who wait already
    for _ in range(3):
        await turns.next_slice()
    assert turns.answered == [(0, 0), (0, 1), (1, 2), (1, 3), (2, 4), (2, 5)]
    assert not turns.cold.waiting


async def test_a_request_that_exceeds_the_share_is_answered_all_the_same() -> None:
    turns = Turns()
    turns.clock.advance(ms=1)
    for number in range(2):
        turns.ask(number)
        turns.clock.advance(ms=100)
    await turns.next_slice()
    await turns.next_slice()
    assert [number for _, number in turns.answered] == [0, 1]


async def test_an_iteration_without_new_clients_leaves_the_next_its_whole_share() -> None:
    turns = Turns()
    turns.ask(0)
    turns.clock.advance(ms=1000)
    await turns.next_slice()
    await turns.next_slice()
    turns.ask(1)
    assert [number for _, number in turns.answered] == [0, 1]
