"""
Runs one edge machine: the workers, the port they share, and the one receiver of snapshots that feeds them.

It serves no ads itself. When it ends, however that happens, its workers end, too.
"""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial

import structlog

from common.http.listen import listen
from common.service.background_tasks import background_tasks
from common.service.compiled import compiled_mode
from common.snapshot.status import WorkerStatus
from common.values.clock import Clock
from edge.ports import SnapshotPull, SnapshotSource
from edge.runtime.gc_policy import gc_paused
from edge.settings import EdgeSettings
from edge.snapshots.disk_store import SnapshotDiskStore
from edge.snapshots.fallback import Fallback
from edge.snapshots.persister import SnapshotPersister
from edge.snapshots.reports import SnapshotReports
from edge.snapshots.sync_loop import SnapshotSync
from edge.snapshots.sync_state import SyncState
from edge.snapshots.worker_feed import WorkerFeed
from edge.spool.replay import Replayer
from edge.state.limit_store import LimitStore
from edge.state.machine_exchange import MachineExchange
from edge.state.quota_exchange import QuotaLender
from edge.supervisor.admin_server import internal_app
from edge.supervisor.listening_socket import PortTaken, hold_port, share_port
from edge.supervisor.snapshot_overview import Overview
from edge.supervisor.worker_pool import WorkerPool
from edge.supervisor.worker_process import WorkerProcess

_FIRST_CHECK_S = 1.0
"""How long workers wait for the first attempt to read published snapshots."""

_log = structlog.get_logger(__name__)


async def supervise(
    settings: EdgeSettings,
    source: SnapshotSource,
    fallback: SnapshotPull | None,
    replayer: Replayer,
    limits: LimitStore,
    *,
    clock: Clock,
    rng: random.Random,
    worker_command: Sequence[str],
) -> None:
    """
    Runs the machine until SIGTERM or SIGINT, then lets the workers finish; returns about
    `edge.runtime.process_exit.STOP_S` later. SIGHUP replaces the workers one after the other.

    *fallback* is used for snapshots that *source* cannot provide, and for reports that it cannot take. *limits*: where
    this machine and the others of its environment divide rate limits. *worker_command*
    starts a worker; the arguments of `_worker_arguments` and of `WorkerProcess` are appended. Raises `PortTaken`.
    """
    stopping, renewing = _listen_for_signals()
    held = await hold_port(settings.edge_host, settings.edge_port)
    port = held.getsockname()[1]
    receiver, disk = await _load(settings)

    def on_status(_: WorkerStatus) -> None:
        reports.notify()

    quotas = QuotaLender(settings.edge_workers)

    def make_worker(number: int) -> WorkerProcess:
        return WorkerProcess(
            number,
            [*worker_command, *_worker_arguments(number)],
            WorkerFeed(
                receiver, on_status=on_status, demanded=partial(quotas.receive_demand, number)
            ),
            share_port=partial(share_port, held),
            clock=clock,
            mute_s=settings.worker_heartbeat_timeout_s,
        )

    pool = WorkerPool(settings.edge_workers, make_worker)
    quotas.feeds = pool.feeds

    keep = SnapshotPersister(disk, receiver)

    def changed() -> None:
        keep.changed()
        for worker in pool.all_workers():
            worker.feed.changed()
        # A rejected state reaches no worker, whose status would else cause the report.
        reports.notify()

    receive = SnapshotSync(
        source,
        receiver,
        clock=clock,
        rng=rng,
        silence_s=settings.snapshot_heartbeat_timeout_s,
        changed=changed,
        fallback=None if fallback is None else Fallback(fallback, clock, rng),
    )

    async def leave(statuses: Mapping[str, bytes]) -> bool:
        if fallback is not None and receive.by_fallback:
            return await fallback.report(statuses)
        return await source.report(statuses)

    reports = SnapshotReports(partial(_list_statuses, pool), lambda: receiver.refusal, leave)
    exchange = MachineExchange(settings.edge_name, quotas, limits, clock)
    overview = Overview(settings, clock, receive, keep, pool.workers, replayer, exchange)
    with held:
        async with (
            _listening(overview, port),
            background_tasks(
                receive.run, reports.run, keep.run, quotas.run, exchange.run, replayer.run
            ),
        ):
            await _first_check(receive)
            await pool.supervise(stopping, renewing)
    await keep.save()
    disk.close()


async def _load(settings: EdgeSettings) -> tuple[SyncState, SnapshotDiskStore]:
    disk = SnapshotDiskStore(settings.snapshot_dir, settings.environment)
    with gc_paused():
        loaded = await asyncio.to_thread(disk.load)
    if loaded is None:
        return SyncState(), disk
    for file in loaded.damaged:
        _log.error("snapshot_file_damaged", file=file)
    _log.info("snapshot_loaded_from_disk", version=loaded.state.version, objects=len(loaded.state))
    return SyncState(loaded.state, confirmed_ms=loaded.confirmed_ms), disk


async def _first_check(receive: SnapshotSync) -> None:
    """
    Waits for the first attempt to read a newer snapshot. A restarted machine should not use its old one at once,
    because others may sign with secrets that it does not hold. If it reaches no source, it does use the old one.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(_FIRST_CHECK_S):
            await receive.checked.wait()


def _list_statuses(pool: WorkerPool) -> list[WorkerStatus]:
    found = (worker.feed.status for worker in pool.all_workers())
    return [status for status in found if status is not None]


def _worker_arguments(number: int) -> list[str]:
    return ["--number", str(number), "--parent", str(os.getpid())]


def _listen_for_signals() -> tuple[asyncio.Event, asyncio.Event]:
    """Two events: the machine is to stop, and its workers are to be replaced."""
    stopping, renewing = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    loop.add_signal_handler(signal.SIGHUP, renewing.set)
    return stopping, renewing


@asynccontextmanager
async def _listening(overview: Overview, port: int) -> AsyncIterator[None]:
    settings = overview.settings
    tls = settings.internal_tls()
    try:
        listener = await listen(
            internal_app(overview),
            host=settings.internal_host,
            port=settings.internal_port,
            tls=None if tls is None else tls.open_server(),
        )
    except OSError as error:
        raise PortTaken(f"PLACARD_INTERNAL_PORT: {error}") from error
    _log.info(
        "edge_started",
        environment=settings.environment.value,
        address=f"{settings.edge_host}:{port}",
        internal=f"{settings.internal_host}:{listener.port}",
        workers=settings.edge_workers,
        compiled=compiled_mode(sys.meta_path),
    )
    try:
        yield
    finally:
        await listener.close(drain_s=0.2)
