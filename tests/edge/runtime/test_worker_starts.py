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

from common.clock import SystemClock
from edge.snapshots.feed import WorkerFeed
from edge.snapshots.receiver import Receiver
from edge.workers import Worker
from tests.support.waiting import until

_LIVES = [sys.executable, "-c", "import time; time.sleep(600)"]


async def test_a_worker_that_died_while_no_file_could_be_opened_is_started_later() -> None:
    worker = Worker(
        0,
        _LIVES,
        WorkerFeed(Receiver(), told=lambda _: None),
        share_port=socket.socket,
        clock=SystemClock(),
        mute_s=600,
    )
    keeping = asyncio.create_task(worker.keep())
    await until(lambda: _runs(worker))
    before = worker.pid
    with _no_file_to_be_opened():
        worker.kill()
        await until(lambda: _was_restarted(worker, times=2))
    await until(lambda: _runs(worker))
    assert worker.pid != before
    worker.stop()
    await keeping


async def _runs(worker: Worker) -> bool:
    return worker.pid is not None


async def _was_restarted(worker: Worker, times: int) -> bool:
    return worker.restarts >= times


@contextmanager
def _no_file_to_be_opened() -> Iterator[None]:
    """For what a worker is started with; the whole process without one could not even warn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "socketpair", _refuse)
        yield


def _refuse() -> NoReturn:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
