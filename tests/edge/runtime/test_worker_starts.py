"""A worker is started again, whatever was missing on the machine when it was to be."""

import asyncio
import errno
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest
import uvloop

from common.values.clock import SystemClock
from edge.snapshots.sync_state import SyncState
from edge.snapshots.worker_feed import WorkerFeed
from edge.supervisor.worker_pool import WorkerPool
from edge.supervisor.worker_process import WorkerProcess
from tests.support.waiting import until

_LIVES = [sys.executable, "-c", "import time; time.sleep(600)"]


async def test_a_worker_that_died_while_no_file_could_be_opened_is_started_later() -> None:
    worker = _make(0)
    keeping = asyncio.create_task(worker.supervise())
    await until(lambda: _runs(worker))
    before = worker.pid
    with _no_file_to_be_opened():
        worker.kill()
        await until(lambda: _was_restarted(worker, times=2))
    await until(lambda: _runs(worker))
    assert worker.pid != before
    worker.stop()
    await keeping


def _make(number: int) -> WorkerProcess:
    return WorkerProcess(
        number,
        _LIVES,
        WorkerFeed(SyncState(), on_status=lambda _: None),
        share_port=socket.socket,
        clock=SystemClock(),
        mute_s=600,
    )


async def test_workers_are_renewed_after_a_time_when_no_file_could_be_opened() -> None:
    pool = WorkerPool(1, _make)
    stopping, renewing = asyncio.Event(), asyncio.Event()
    keeping = asyncio.create_task(pool.supervise(stopping, renewing))
    await until(lambda: _runs(pool.workers[0]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "dup", lambda _: _refuse())
        renewing.set()
        await until(lambda: _was_heard(renewing))
    renewing.set()
    await until(lambda: _are_renewed(pool))
    stopping.set()
    await keeping


async def _was_heard(renewing: asyncio.Event) -> bool:
    return not renewing.is_set()


async def _are_renewed(pool: WorkerPool) -> bool:
    """A successor stands beside each."""
    return len(list(pool.all_workers())) > 1


async def _runs(worker: WorkerProcess) -> bool:
    return worker.pid is not None


async def _was_restarted(worker: WorkerProcess, times: int) -> bool:
    return worker.restarts >= times


@contextmanager
def _no_file_to_be_opened() -> Iterator[None]:
    """For what a worker is started with; the whole process without one could not even warn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "socketpair", _refuse)
        yield


def _refuse() -> NoReturn:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def test_nothing_is_written_to_a_worker_whose_connection_is_closed() -> None:
    """Between the end of a worker and the end of its feed. A write would fail on uvloop."""

    async def run() -> None:
        feed = WorkerFeed(SyncState(), on_status=lambda _: None)
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours)
        running = asyncio.create_task(feed.run(reader, writer))
        await asyncio.sleep(0)
        writer.transport.abort()
        await asyncio.sleep(0)
        feed.send_shares(b"shares")
        assert await feed.collect_metrics(1.0) is None
        await running
        theirs.close()

    uvloop.run(run())
