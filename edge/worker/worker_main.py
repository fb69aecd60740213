"""
One worker's event loop. It follows its feed, and serves the app on its socket of the port that all workers share.

It stops on a signal, or when the supervisor is gone. When another worker took over its socket, it drains open
connections before exiting.
"""

import argparse
import asyncio
import signal
import socket
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from sanic import Sanic

from common.http.listen import Listener, listen_on
from common.values.clock import SystemClock
from edge.runtime.process_exit import HAND_OVER_S, REQUESTS_S, STOP_S, end_within
from edge.settings import EdgeSettings
from edge.snapshots.feed_client import FeedClient

_FIRST_SNAPSHOT_S = 2.0
"""How long a worker without a snapshot waits before it listens. Then it listens, and reports that it is not ready."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Values from the supervisor: the worker's number, its socket of the port, and its end of the feed."""

    number: int
    listener: int
    parent: int
    feed: int


def parse_worker_config(arguments: Sequence[str]) -> WorkerConfig:
    """Ends the process with a message if the arguments are not the supervisor's."""
    parser = argparse.ArgumentParser(
        "python -m edge.worker", description="Started by `python -m edge`, not by hand."
    )
    for name in ("number", "listener", "parent", "feed"):
        parser.add_argument(f"--{name}", type=int, required=True)
    return WorkerConfig(**vars(parser.parse_args(arguments)))


async def serve(
    settings: EdgeSettings,
    place: WorkerConfig,
    make_app: Callable[[FeedClient], Sanic[Any, Any]],
) -> None:
    """Returns when all requests received before the stop are answered and their events stored."""
    stopping, replaced = _listen_for_signals()
    name = f"{settings.edge_name}/{place.number}"
    link = FeedClient(
        name, settings.environment, SystemClock(), settings.ranking, boot=uuid.uuid4().hex
    )
    feed = socket.socket(fileno=place.feed)
    feeding = asyncio.create_task(link.run(*await asyncio.open_connection(sock=feed)))
    feeding.add_done_callback(lambda _: stopping.set())
    if not await link.wait_adopted(_FIRST_SNAPSHOT_S):
        _log.warning("worker_started_without_snapshot", worker=place.number)
    listener = await listen_on(make_app(link), socket.socket(fileno=place.listener))
    link.report_listening()
    await _either(stopping, replaced)
    if not stopping.is_set():
        await _linger(listener, stopping)
    end_within(STOP_S)
    await listener.close(drain_s=REQUESTS_S)
    feeding.cancel()
    await asyncio.gather(feeding, return_exceptions=True)


async def _linger(listener: Listener, stopping: asyncio.Event) -> None:
    """Drains connections until none is open, for `HAND_OVER_S` at most, or until the machine stops."""
    lingering = asyncio.create_task(listener.hand_over(HAND_OVER_S))
    lingering.add_done_callback(lambda _: stopping.set())
    await stopping.wait()
    lingering.cancel()


async def _either(first: asyncio.Event, second: asyncio.Event) -> None:
    waiting = [asyncio.create_task(event.wait()) for event in (first, second)]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()


def _listen_for_signals() -> tuple[asyncio.Event, asyncio.Event]:
    """Two events: the worker is to stop, and another worker has taken its place."""
    stopping, replaced = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    loop.add_signal_handler(signal.SIGHUP, replaced.set)
    return stopping, replaced
