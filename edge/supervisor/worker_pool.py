"""
The workers of a machine: keeps all of them running, and replaces them one after the other without
losing a request.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

import structlog

from edge.runtime.process_exit import STOP_S
from edge.snapshots.worker_feed import WorkerFeed
from edge.supervisor.worker_process import WorkerProcess

RENEW_S = 60.0
"""A new worker that does not serve by then is stopped, and the old one stays."""
_CHECK_S = 0.02

_log = structlog.get_logger(__name__)


class WorkerPool:
    """``workers`` and ``feeds`` are lists by number. They change when a worker is replaced."""

    def __init__(self, count: int, make: Callable[[int], WorkerProcess]) -> None:
        """*make* creates a worker of a number, not started."""
        self.workers: list[WorkerProcess] = [make(number) for number in range(count)]
        self.feeds: list[WorkerFeed] = [worker.feed for worker in self.workers]
        self._make = make
        self._supervised: dict[WorkerProcess, asyncio.Task[None]] = {}

    def all_workers(self) -> Iterator[WorkerProcess]:
        """All workers, including those that are starting or draining."""
        return iter((*self.workers, *(one for one in self._supervised if one not in self.workers)))

    async def supervise(self, stopping: asyncio.Event, restarting: asyncio.Event) -> None:
        """
        Supervises until *stopping*, then stops all workers within `STOP_S`. Each *restarting* replaces every worker
        once.
        """
        for worker in self.workers:
            self._supervise(worker)
        restarts = asyncio.create_task(self._restart_all_when(restarting))
        try:
            await stopping.wait()
            restarts.cancel()
            _log.info("edge_stopping")
            for worker in self._supervised:
                worker.stop()
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await asyncio.gather(*self._supervised.values())
        finally:
            tasks = [restarts, *self._supervised.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _restart_all_when(self, restarting: asyncio.Event) -> None:
        while True:
            await restarting.wait()
            restarting.clear()
            for number in range(len(self.workers)):
                try:
                    await self._restart(number)
                except OSError as error:
                    _log.error("worker_restart_failed", worker=number, reason=str(error))

    async def _restart(self, number: int) -> None:
        """The old worker drains when the new one serves. Until then both accept connections from the same queue."""
        before, after = self.workers[number], self._make(number)
        after.take_over(before)
        self._supervise(after)
        try:
            async with asyncio.timeout(RENEW_S):
                while not after.feed.serving:  # noqa: ASYNC110 - two events of two connections make it so
                    await asyncio.sleep(_CHECK_S)
        except TimeoutError:
            after.stop()
            _log.error("worker_restart_failed", worker=number, waited_s=RENEW_S)
            return
        self.workers[number], self.feeds[number] = after, after.feed
        before.drain()
        _log.info("worker_restarted", worker=number)

    def _supervise(self, worker: WorkerProcess) -> None:
        task = self._supervised[worker] = asyncio.create_task(worker.supervise())
        task.add_done_callback(lambda _: self._supervised.pop(worker))
