"""A bucket that does not respond delays its own callers only."""

import asyncio
import threading

from control.adapters.bucket import Bucket, BucketPrefix
from control.ports.assets import StoreUnavailable

_MANY = 40
"""More than the threads of an event loop."""


async def test_calls_that_hang_leave_the_threads_of_the_loop_free() -> None:
    bucket = Bucket(
        BucketPrefix("assets", "", None, None), new_unavailable=StoreUnavailable, read_s=1
    )
    end = threading.Event()
    hanging = [asyncio.ensure_future(bucket.do(lambda: end.wait(10))) for _ in range(_MANY)]
    await asyncio.sleep(0.05)
    try:
        async with asyncio.timeout(5):
            assert await asyncio.to_thread(lambda: 1) == 1
    finally:
        end.set()
        await asyncio.gather(*hanging)
