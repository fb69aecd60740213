"""Long work gives the loop its turn when a slice is over, and not before."""

import asyncio
from collections.abc import Generator

from common.service.cooperative import SLICE_S, SharedSlice, TimeSlice, run_cooperatively


class Steps:
    """Work whose every step takes *step_s* of a clock of its own."""

    def __init__(self, step_s: float) -> None:
        self._step_s = step_s
        self.now_s = 100.0
        self.turns_of_others = 0
        self._is_done = False

    async def take(self, count: int) -> None:
        slices = TimeSlice(lambda: self.now_s)
        asyncio.get_running_loop().call_soon(self._other)
        for _ in range(count):
            self.now_s += self._step_s
            await slices.checkpoint()
        self._is_done = True

    async def take_generated(self, count: int) -> str:
        """What the work gives."""
        slices = TimeSlice(lambda: self.now_s)
        asyncio.get_running_loop().call_soon(self._other)
        found = await run_cooperatively(self._generated(count), slices)
        self._is_done = True
        return found

    def _generated(self, count: int) -> Generator[None, None, str]:
        for _ in range(count):
            self.now_s += self._step_s
            yield
        return "done"

    def _other(self) -> None:
        if not self._is_done:
            self.turns_of_others += 1
            asyncio.get_running_loop().call_soon(self._other)


async def test_a_step_longer_than_a_slice_yields_to_other_tasks() -> None:
    steps = Steps(SLICE_S)
    await steps.take(5)
    assert steps.turns_of_others == 5


async def test_steps_within_a_slice_delay_no_other_task() -> None:
    steps = Steps(SLICE_S / 10)
    await steps.take(9)
    assert steps.turns_of_others == 0


async def test_a_generator_yields_to_other_tasks_and_its_result_is_returned() -> None:
    steps = Steps(SLICE_S)
    assert await steps.take_generated(5) == "done"
    assert steps.turns_of_others == 5


class Turns:
    """Tasks that share a slice, each one step of *step_s*; ``ran`` has each turn's tasks."""

    def __init__(self, step_s: float) -> None:
        self._step_s = step_s
        self._now_s = 100.0
        self._slice = SharedSlice(lambda: self._now_s)
        self.ran: list[list[int]] = [[]]

    async def run(self, count: int) -> None:
        tasks = [asyncio.ensure_future(self._step(number)) for number in range(count)]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0)
            self.ran.append([])

    async def _step(self, number: int) -> None:
        await self._slice.checkpoint()
        self._now_s += self._step_s
        self.ran[-1].append(number)


async def test_tasks_that_are_ready_together_take_one_slice_of_each_turn_in_their_order() -> None:
    turns = Turns(SLICE_S / 2)
    await turns.run(7)
    assert [ran for ran in turns.ran if ran] == [[0, 1], [2, 3], [4, 5], [6]]


async def test_a_turn_without_such_tasks_leaves_the_next_its_whole_slice() -> None:
    turns = Turns(SLICE_S)
    await turns.run(1)
    await asyncio.sleep(0)
    await turns.run(2)
    assert [ran for ran in turns.ran if ran] == [[0], [0], [1]]
