"""
The worker's side of its feed. It adopts what the supervisor sends by swapping one reference, and acknowledges it.

The event loop runs between two slices of a build, so requests go on while a large state is read.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from itertools import islice
from typing import Any, Protocol

import structlog

from common.decision.rules.gates import Ranking
from common.service.background_tasks import background_tasks
from common.service.cooperative import TimeSlice
from common.service.stacks import describe_stacks
from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import (
    Delta,
    Heartbeat,
    parse_chunk,
    parse_full_header,
    parse_heartbeat,
    parse_message,
)
from common.snapshot.model import ObjectType, SnapshotObject
from common.snapshot.snapshot import (
    Snapshot,
    apply_entries,
    build_snapshot,
    parse_entries,
    take_back,
)
from common.snapshot.status import WorkerStatus, encode_status
from common.values.clock import Clock
from common.values.environment import Environment
from edge.runtime.gc_policy import gc_paused
from edge.snapshots.frames import FeedBroken, FrameKind, pack, read_frame
from edge.snapshots.handle import SnapshotHandle
from edge.snapshots.incremental_free import MAX_WAIT_S, RetiredSnapshot, RetiredSnapshots
from edge.snapshots.prepare import prepare, refresh_schedules

_AT_ONCE = 20
"""Objects read before the clock is checked: a fifth of a millisecond."""
_log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


async def no_metrics() -> bytes:
    return b""


class Leases(Protocol):
    """Budget leases: besides a snapshot, a worker needs them to serve campaigns that are new in it."""

    @property
    def is_settled(self) -> bool:
        """Whether every expected lease is answered."""
        ...

    def expect(self, snapshot: Snapshot, campaign_ids: Iterable[str]) -> None:
        """*campaign_ids* changed in *snapshot*, the current one."""
        ...

    async def settle(self) -> None:
        """Waits for expected leases, for a second at most."""
        ...


def no_demand(_shares: bytes) -> bytes:
    return b"[]"


class FeedClient:
    """`run` until the supervisor is gone. `handle` always holds the newest state that could be adopted."""

    def __init__(
        self,
        worker: str,
        environment: Environment,
        clock: Clock,
        ranking: Ranking = Ranking.GREEDY,
        *,
        boot: str = "",
        alive_s: float = 1.0,
        max_wait_s: float = MAX_WAIT_S,
    ) -> None:
        """
        *boot* distinguishes this process from others of its name. *alive_s*: interval of the ALIVE frames sent while a
        large state is read, which takes longer than a worker may be silent. *max_wait_s*: of `RetiredSnapshots`.
        """
        self.handle = SnapshotHandle()
        self.render_metrics: Callable[[], Coroutine[Any, Any, bytes]] = no_metrics
        """Set by wiring when there are metrics to render."""
        self.trade_shares: Callable[[bytes], bytes] = no_demand
        """Takes shares of rate limits and returns this worker's demand; set by wiring."""
        self.leases: Leases | None = None
        """Set by wiring where budgets are spent."""
        self._worker = worker
        self._boot = boot
        self._environment = environment
        self._clock = clock
        self._ranking = ranking
        self._alive_s = alive_s
        self._retired = RetiredSnapshots(max_wait_s=max_wait_s)
        self._first = asyncio.Event()
        self._no_full_state = asyncio.Event()
        """Cleared while a full state is being read."""
        self._no_full_state.set()
        self._digest = ""
        self._refusal: str | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._rendering: asyncio.Task[None] | None = None
        self._profiling: asyncio.Task[None] | None = None
        self._acknowledging: asyncio.Task[None] | None = None

    async def run(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Returns when the connection ends: a worker without its supervisor has to stop."""
        self._writer = writer
        slices = TimeSlice()
        try:
            while True:
                kind, payload = await read_frame(reader)
                answer = await self._handle_frame(kind, payload, reader)
                # Frames that have already arrived are read without waiting: a hundred deltas after a long build, for
                # example.
                await slices.checkpoint()
                if answer:
                    writer.write(answer)
                    await writer.drain()
        except (FeedBroken, OSError):
            return
        finally:
            for task in (self._rendering, self._acknowledging):
                if task is not None:
                    task.cancel()
            self._retired.close()
            writer.close()

    def report_listening(self) -> None:
        """Reports that the worker takes requests from now on."""
        if self._writer is not None:
            self._writer.write(pack(FrameKind.LISTENING))

    async def wait_adopted(self, timeout_s: float) -> bool:
        """
        Whether a snapshot was adopted: within *timeout_s*, or, where a full state is being read then, at its end.

        A large state takes longer than an edge without any state should wait before it listens.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._first.wait()
        if not self._first.is_set():
            await self._no_full_state.wait()
        return self._first.is_set()

    async def _handle_frame(
        self, kind: FrameKind, payload: bytes, reader: asyncio.StreamReader
    ) -> bytes | None:
        answered = self._answer_out_of_band(kind, payload)
        if answered is not None:
            return answered
        try:
            await self._adopt_frame(kind, payload, reader)
        except (FeedBroken, OSError):
            raise
        except SnapshotInvalid as error:
            self._refusal = str(error)
        except Exception as error:  # noqa: BLE001 - one object that cannot be indexed must not end every worker
            _log.exception("snapshot_not_adopted")
            self._refusal = f"{type(error).__name__}: {error}"
            await self._prepare_current()
        finally:
            self._no_full_state.set()
        if self._refusal is None and self._awaits_leases():
            return None
        return self._status_frame()

    async def _adopt_frame(
        self, kind: FrameKind, payload: bytes, reader: asyncio.StreamReader
    ) -> None:
        match kind:
            case FrameKind.FULL:
                self._no_full_state.clear()
                async with background_tasks(self._send_heartbeat):
                    await self._take_full(payload, reader)
            case FrameKind.DELTA | FrameKind.BEAT:
                await self._take_message(payload)
            case _:
                raise FeedBroken(f"{kind.name} is not for workers")

    async def _prepare_current(self) -> None:
        """Builds the indexes of the current snapshot again, where a delta that failed left it without them."""
        current = self.handle.find_current()
        if current is not None:
            await prepare(current, self._ranking)

    def _awaits_leases(self) -> bool:
        """
        Whether the status is sent later. A worker acknowledges only what it can serve, and a campaign with a budget
        serves only once it is leased.
        """
        if self._acknowledging is not None and not self._acknowledging.done():
            return True
        if self.leases is None or self.leases.is_settled or not self._first.is_set():
            return False
        self._acknowledging = asyncio.create_task(self._acknowledge(self.leases))
        return True

    async def _acknowledge(self, leases: Leases) -> None:
        await leases.settle()
        if self._writer is not None:
            self._writer.write(self._status_frame())

    def _status_frame(self) -> bytes:
        return pack(FrameKind.STATUS, encode_status(self._status()))

    async def _send_heartbeat(self) -> None:
        while self._writer is not None:
            await asyncio.sleep(self._alive_s)
            self._writer.write(pack(FrameKind.ALIVE))

    def _answer_out_of_band(self, kind: FrameKind, payload: bytes) -> bytes | None:
        """
        The response to a frame that may come between any two others; empty if it is sent later.
        None for other kinds.
        """
        if kind is FrameKind.COLLECT:
            self._rendering = asyncio.create_task(self._send_metrics())
            return b""
        if kind is FrameKind.PROFILE:
            self._profiling = asyncio.create_task(self._send_stacks(float(payload)))
            return b""
        if kind is FrameKind.SHARES:
            return pack(FrameKind.DEMAND, self.trade_shares(payload))
        return None

    async def _send_metrics(self) -> None:
        text = await self.render_metrics()
        if self._writer is not None:
            self._writer.write(pack(FrameKind.METRICS, text))

    async def _send_stacks(self, seconds: float) -> None:
        text = await describe_stacks(seconds)
        if self._writer is not None:
            self._writer.write(pack(FrameKind.STACKS, text.encode()))

    async def _take_full(self, payload: bytes, reader: asyncio.StreamReader) -> None:
        header = parse_full_header(payload)
        objects: list[SnapshotObject] = []
        with gc_paused():
            for _ in range(header.chunks):
                objects += await _parse_chunk(await self._read(reader, FrameKind.CHUNK))
            beat = parse_heartbeat(await self._read(reader, FrameKind.BEAT))
            # One pass over everything: in a thread, so that the loop keeps running.
            snapshot = await asyncio.to_thread(
                build_snapshot, self._environment, header.epoch, header.version, objects
            )
            del objects
            await prepare(snapshot, self._ranking)
            await refresh_schedules(snapshot, self._ranking, self._clock.now_ms())
            before = self.handle.find_current()
            retired = None if before is None else RetiredSnapshot(before, whole=True)
            self.handle.adopt(snapshot, confirmed_ms=beat.at_ms)
        self._adopted(header.digest)
        if retired is not None:
            self._retired.add(retired)

    async def _read(self, reader: asyncio.StreamReader, expected: FrameKind) -> bytes:
        while True:
            kind, payload = await read_frame(reader)
            if kind is expected:
                return payload
            answered = self._answer_out_of_band(kind, payload)
            if answered is None or self._writer is None:
                raise FeedBroken(f"{kind.name} came where {expected.name} was due")
            self._writer.write(answered)

    async def _take_message(self, payload: bytes) -> None:
        message = parse_message(payload)
        if isinstance(message, Delta):
            await self._take_delta(message)
        else:
            self._take_beat(message)

    async def _take_delta(self, delta: Delta) -> None:
        before = self.handle.find_current()
        if before is None or (before.epoch, before.version + 1) != (delta.epoch, delta.version):
            raise SnapshotInvalid(f"delta {delta.version} does not follow what this worker holds")
        after = apply_entries(before, delta.version, delta.entries)
        try:
            await prepare(after, self._ranking)
        except Exception:
            take_back(before, after)
            raise
        self._retired.add(RetiredSnapshot(before, whole=False))
        self.handle.swap(after)
        if self.leases is not None:
            self.leases.expect(after, _campaigns_in(delta))
        self._adopted(delta.digest)

    def _take_beat(self, beat: Heartbeat) -> None:
        ours = self.handle.find_current()
        if ours is not None and (ours.epoch, ours.version) == (beat.epoch, beat.version):
            self.handle.confirm(beat.at_ms)

    def _adopted(self, digest: str) -> None:
        self._digest = digest
        self._refusal = None
        self._first.set()

    def _status(self) -> WorkerStatus:
        now_ms = self._clock.now_ms()
        ours = self.handle.find_current()
        return WorkerStatus(
            worker=self._worker,
            epoch=ours.epoch if ours else "",
            version=ours.version if ours else 0,
            digest=self._digest,
            ok=self._refusal is None,
            reason=self._refusal,
            age_s=round(self.handle.age_s(now_ms), 3),
            at_ms=now_ms,
            boot=self._boot,
        )


def _campaigns_in(delta: Delta) -> list[str]:
    """Ids of campaigns that are new or changed."""
    return [
        entry.id
        for entry in delta.entries
        if entry.type is ObjectType.CAMPAIGN and entry.body is not None
    ]


async def _parse_chunk(chunk: bytes) -> list[SnapshotObject]:
    """Parses a chunk in slices. Raises `SnapshotInvalid`."""
    objects: list[SnapshotObject] = []
    slices = TimeSlice()
    entries = parse_chunk(chunk)
    while some := list(islice(entries, _AT_ONCE)):
        objects += parse_entries(some)
        await slices.checkpoint()
    return objects
