"""
One worker's event loop: it follows its feed and serves the app on the port all workers share.

It stops when told to, or when the supervisor is gone.
"""

import argparse
import asyncio
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from sanic import Sanic

from common.clock import SystemClock
from common.http.listen import listen
from edge.processes import REQUESTS_S, STOP_S, end_within
from edge.settings import EdgeSettings
from edge.snapshots.link import SnapshotLink

_FIRST_SNAPSHOT_S = 2.0
"""How long a worker keeps off the port while it has no snapshot; then it listens, and says that it is not ready."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerPlace:
    """What the supervisor tells a worker: its number, the port, and its end of the feed."""

    number: int
    port: int
    parent: int
    feed: int


def parse_place(arguments: Sequence[str]) -> WorkerPlace:
    """Ends the process with a message where they are not the supervisor's."""
    parser = argparse.ArgumentParser(
        "python -m edge.worker", description="Started by `python -m edge`, not by hand."
    )
    for name in ("number", "port", "parent", "feed"):
        parser.add_argument(f"--{name}", type=int, required=True)
    return WorkerPlace(**vars(parser.parse_args(arguments)))


async def serve(
    settings: EdgeSettings,
    place: WorkerPlace,
    make_app: Callable[[SnapshotLink], Sanic[Any, Any]],
) -> None:
    """Returns when all that was asked before the end is answered and kept."""
    stopping = _listen_for_signals()
    name = f"{settings.edge_name}/{place.number}"
    link = SnapshotLink(name, settings.environment, SystemClock(), settings.ranking)
    feed = socket.socket(fileno=place.feed)
    feeding = asyncio.create_task(link.run(*await asyncio.open_connection(sock=feed)))
    feeding.add_done_callback(lambda _: stopping.set())
    if not await link.wait_adopted(_FIRST_SNAPSHOT_S):
        _log.warning("worker_without_snapshot", worker=place.number)
    listener = await listen(
        make_app(link), host=settings.edge_host, port=place.port, reuse_port=True
    )
    link.say_listening()
    await stopping.wait()
    end_within(STOP_S)
    await listener.close(drain_s=REQUESTS_S)
    feeding.cancel()
    await asyncio.gather(feeding, return_exceptions=True)


def _listen_for_signals() -> asyncio.Event:
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping
