"""Stacks name the code that runs and what tasks wait for, and no values."""

import asyncio
import threading

from common.service.stacks import MAX_SECONDS, describe_stacks


async def _wait_for_ever(_secret: str) -> None:
    await asyncio.Event().wait()


async def _wait_outside() -> None:
    await _wait_for_ever("hunter2")


async def test_a_task_is_shown_with_all_that_it_waits_for() -> None:
    waiting = asyncio.create_task(_wait_outside(), name="the-waiting")
    await asyncio.sleep(0)
    text = await describe_stacks(0)
    waiting.cancel()

    shown = text.partition("Task the-waiting:\n")[2].split("\n\n")[0]
    assert [line.split(",")[0].strip() for line in shown.splitlines()[:3]] == [
        "test_stacks.py:_wait_outside",
        "test_stacks.py:_wait_for_ever",
        "locks.py:wait",
    ]
    assert "Thread MainThread:" in text
    assert "hunter2" not in text


async def test_a_profile_counts_what_a_thread_was_doing() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait, name="the-thread")
    thread.start()
    text = await describe_stacks(0.1)
    ended.set()
    thread.join()

    (line,) = [one for one in text.splitlines() if one.startswith("the-thread;")]
    stack, _, count = line.rpartition(" ")
    assert stack.endswith("threading.py:run;threading.py:wait;threading.py:wait")
    assert int(count) >= 1


async def test_a_process_that_ends_does_not_wait_for_a_profile() -> None:
    async def end_early() -> None:
        profile = asyncio.create_task(describe_stacks(MAX_SECONDS))
        await asyncio.sleep(0.1)
        assert not profile.done()

    async with asyncio.timeout(MAX_SECONDS / 2):
        await asyncio.to_thread(asyncio.run, end_early())
