"""Background tasks go on after their errors, and end with the body beside which they run."""

import asyncio

from common.service.background_tasks import background_tasks
from tests.support.spools import until


async def test_a_task_that_fails_is_started_again_and_others_go_on() -> None:
    runs, beside = 0, asyncio.Event()

    async def fail() -> None:
        nonlocal runs
        runs += 1
        raise RuntimeError("a fault")

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            beside.set()

    async with background_tasks(fail, wait):
        await until(lambda: runs == 2)
        assert not beside.is_set()
    assert beside.is_set()
