"""The workers of a machine: all kept running, and replaced one after the other without a call lost."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress

import structlog

from edge.runtime.process_exit import STOP_S
from edge.snapshots.worker_feed import WorkerFeed
from edge.supervisor.worker_process import WorkerProcess

RENEW_S = 60.0
"""A new worker that does not serve by then is given up, and the old one stays."""
_LOOK_S = 0.02

_log = structlog.get_logger(__name__)


class WorkerPool:
    """``workers`` and ``feeds`` are lists by number, and change when a worker is replaced."""

    def __init__(self, count: int, make: Callable[[int], WorkerProcess]) -> None:
        """*make*: a worker of that number, not started."""
        self.workers: list[WorkerProcess] = [make(number) for number in range(count)]
        self.feeds: list[WorkerFeed] = [worker.feed for worker in self.workers]
        self._make = make
        self._keeping: dict[WorkerProcess, asyncio.Task[None]] = {}

    def everybody(self) -> Iterator[WorkerProcess]:
        """Those too that are starting, or about to leave."""
        return iter((*self.workers, *(one for one in self._keeping if one not in self.workers)))

    async def keep(self, stopping: asyncio.Event, renewing: asyncio.Event) -> None:
        """Until *stopping*, then all end, at the latest after `STOP_S`. Each *renewing* replaces every worker once."""
        for worker in self.workers:
            self._keep(worker)
        renewals = asyncio.create_task(self._renew_when(renewing))
        try:
            await stopping.wait()
            renewals.cancel()
            _log.info("edge_stopping")
            for worker in self._keeping:
                worker.stop()
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await asyncio.gather(*self._keeping.values())
        finally:
            tasks = [renewals, *self._keeping.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _renew_when(self, renewing: asyncio.Event) -> None:
        while True:
            await renewing.wait()
            renewing.clear()
            for number in range(len(self.workers)):
                try:
                    await self._renew(number)
                except OSError as error:
                    _log.error("worker_restart_failed", worker=number, reason=str(error))

    async def _renew(self, number: int) -> None:
        """The old one leaves when the new one serves; both take connections from the same queue meanwhile."""
        before, after = self.workers[number], self._make(number)
        after.succeed(before)
        self._keep(after)
        try:
            async with asyncio.timeout(RENEW_S):
                while not after.feed.serving:  # noqa: ASYNC110 - two events of two connections make it so
                    await asyncio.sleep(_LOOK_S)
        except TimeoutError:
            after.stop()
            _log.error("worker_restart_failed", worker=number, waited_s=RENEW_S)
            return
        self.workers[number], self.feeds[number] = after, after.feed
        before.retire()
        _log.info("worker_restarted", worker=number)

    def _keep(self, worker: WorkerProcess) -> None:
        task = self._keeping[worker] = asyncio.create_task(worker.keep())
        task.add_done_callback(lambda _: self._keeping.pop(worker))
