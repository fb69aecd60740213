"""
Publishes the outbox to edges, in the leading process: deltas in order, heartbeats, full states.

Where PostgreSQL is unavailable, nothing is confirmed and no heartbeat is sent, so edges see their snapshot age. Where
Redis is unavailable, publishing is retried from where it stopped, with growing pauses of at most two seconds. Where
Redis lost its data, full states are published again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

import structlog

from common.snapshot.messages import Delta, FullState, Heartbeat
from common.values.clock import Clock, to_ms
from common.values.environment import Environment
from common.values.errors import Unavailable
from common.values.messages import Message
from control.delivery.snapshot_publishing.metrics import PublishMetrics
from control.outbox.outbox_reader import (
    beat_of,
    delta_of,
    find_edges_ahead,
    find_step,
    find_steps,
    read_head,
)
from control.outbox.state import InconsistentState, begin_epoch, load_full
from control.ports.snapshots import SnapshotChannel, SnapshotChannelUnavailable
from control.storage.database import Database, describe_error
from control.storage.tables.outbox import OutboxRow, SnapshotHeadRow

_POLL_S = 1.0
"""The database announces each new version; this is for an announcement that was lost."""
_PAUSES_S = (0.1, 0.25, 0.5, 1.0, 2.0)
_CONFIRMED_S = 3.0
"""So long after the last step, or the last read without one, a version may no longer be confirmed as the head."""
_BEATS_A_CHECK = 5
"""
Heartbeats between two checks of the versions that edges reported, and of the deltas in Redis: while the full state is
there, single deltas are hardly lost.
"""
_AWAY = (SnapshotChannelUnavailable, Unavailable)

_log: structlog.stdlib.BoundLogger = structlog.get_logger("publish")


class Publisher:
    """Setting ``wakeup`` signals a new version; without it, the outbox is read every second."""

    def __init__(
        self,
        database: Database,
        channel: SnapshotChannel,
        clock: Clock,
        metrics: PublishMetrics,
        *,
        beat_s: float,
        ring: int,
    ) -> None:
        self.wakeup = asyncio.Event()
        self._database = database
        self._channel = channel
        self._clock = clock
        self._metrics = metrics
        self._beat_s = beat_s
        self._ring = ring
        self._aligned = False
        self._at: dict[Environment, Heartbeat] = {}
        """The last published head; valid only once aligned."""
        self._lock = asyncio.Lock()
        """Keeps a heartbeat from overtaking a delta, which would move the head back for a second."""
        self._confirmed_s = 0.0
        self._rounds = 0
        """Of `_keep_full`."""
        self._troubles: dict[str, str] = {}

    @property
    def error(self) -> str | None:
        """Reason of a current failure, or None where all last attempts succeeded."""
        return next(iter(self._troubles.values()), None)

    async def run(self) -> None:
        """Runs until cancelled."""
        self._aligned = False
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._follow())
                tasks.create_task(self._repeat(self._beat, self._beat_s))
                tasks.create_task(self._repeat(self._keep_full, self._beat_s))
                tasks.create_task(self._repeat(self._check_edges, self._beat_s * _BEATS_A_CHECK))
        finally:
            self._troubles.clear()

    async def _follow(self) -> None:
        failures = 0
        while True:
            self.wakeup.clear()
            try:
                if not self._aligned:
                    await self._align()
                await self._catch_up()
                failures = 0
                self._troubles.pop("follow", None)
            except Exception as error:  # noqa: BLE001 - the other tasks of the process go on
                self._failed("follow", error)
                await asyncio.sleep(_PAUSES_S[min(failures, len(_PAUSES_S) - 1)])
                failures += 1
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_S):
                    await self.wakeup.wait()

    async def _align(self) -> None:
        """
        Finds where the last leader stopped. Where that cannot be continued, it publishes a full state first.

        Where Redis holds no head, a new epoch begins: if the database was restored, too, edges may know versions of
        this epoch that it will use again for other changes.
        """
        heads = {one: await self._channel.find_head(one) for one in Environment}
        if None in heads.values():
            _log.info("snapshot_epoch_begun_without_head")
            await begin_epoch(self._database)
        head = await read_head(self._database)
        at: dict[Environment, Heartbeat] = {}
        for environment, there in heads.items():
            if there is not None and there.epoch == head.epoch:
                if await self._forked(head, there, environment):
                    await self._leave_epoch(head.version, there.version)
                    return
                at[environment] = there
            else:
                at[environment] = await self._start_over(environment)
        self._at = at
        self._aligned = True

    async def _leave_epoch(self, version: int, edges_version: int) -> None:
        _log.error("database_restored_to_earlier_version", at=version, edges_at=edges_version)
        await begin_epoch(self._database)

    async def _forked(
        self, head: SnapshotHeadRow, there: Heartbeat, environment: Environment
    ) -> bool:
        """Whether edges have a history that this database lacks, because it was restored to an earlier state."""
        if there.version > head.version:
            return True
        if there.version == head.version:
            return there.digest != beat_of(head, environment, 0).digest
        step = await find_step(self._database, there.version)
        return step is not None and delta_of(step, environment).digest != there.digest

    async def _catch_up(self) -> None:
        while self._aligned:
            steps = await find_steps(self._database, min(b.version for b in self._at.values()))
            if not steps:
                self._confirmed_s = self._clock.monotonic_s()
                return
            for step in steps:
                await self._publish_step(step)
                self._confirmed_s = self._clock.monotonic_s()

    async def _publish_step(self, step: OutboxRow) -> None:
        for environment, at in list(self._at.items()):
            if step.version <= at.version:
                continue
            if step.epoch != at.epoch or step.version != at.version + 1:
                self._at[environment] = await self._start_over(environment)
                continue
            async with self._lock:
                delta = delta_of(step, environment)
                await self._channel.put_delta(environment, delta)
                self._at[environment] = _beat_after(delta)
        self._metrics.published(step.version, self._clock.now_ms() - to_ms(step.at))

    async def _beat(self) -> None:
        silent_s = self._clock.monotonic_s() - self._confirmed_s
        if not self._aligned or silent_s > _CONFIRMED_S:
            return
        for environment in Environment:
            async with self._lock:
                beat = replace(self._at[environment], at_ms=self._clock.now_ms())
                await self._channel.beat(environment, beat)

    async def _keep_full(self) -> None:
        if not self._aligned:
            return
        checks_deltas = self._rounds % _BEATS_A_CHECK == 0
        self._rounds += 1
        for environment, at in list(self._at.items()):
            if await self._lacks_full(environment, at, checks_deltas=checks_deltas):
                await self._publish_full_state(environment)

    async def _lacks_full(
        self, environment: Environment, at: Heartbeat, *, checks_deltas: bool
    ) -> bool:
        version = await self._channel.has_full(environment, at.epoch)
        if version is None or at.version - version > self._ring // 2:
            return True
        return checks_deltas and not await self._channel.has_deltas(
            environment, version, at.version
        )

    async def _check_edges(self) -> None:
        """Where Redis was restored, too, only edges show it. They would ignore the versions of this database."""
        if not self._aligned:
            return
        ahead = await find_edges_ahead(self._database)
        if ahead is not None:
            await self._leave_epoch(*ahead)
            self._aligned = False
            self.wakeup.set()

    async def _start_over(self, environment: Environment) -> Heartbeat:
        full = await self._publish_full_state(environment)
        beat = Heartbeat(full.epoch, full.version, full.digest, self._clock.now_ms())
        async with self._lock:
            await self._channel.beat(environment, beat)
        return beat

    async def _publish_full_state(self, environment: Environment) -> FullState:
        try:
            full = await load_full(self._database, environment)
        except InconsistentState as error:
            _log.exception("snapshot_state_inconsistent", environment=environment.value)
            await begin_epoch(self._database)
            self._aligned = False
            raise Unavailable(
                Message("The stored state was incomplete, so a new epoch begins. Try again.")
            ) from error
        await self._channel.put_full(environment, full)
        self._metrics.fulls.labels(environment.value).inc()
        return full

    async def _repeat(self, act: Callable[[], Awaitable[None]], every_s: float) -> None:
        while True:
            name = act.__name__.strip("_")
            try:
                await act()
                self._troubles.pop(name, None)
            except Exception as error:  # noqa: BLE001 - as above
                self._failed(name, error)
            await asyncio.sleep(every_s)

    def _failed(self, what: str, error: Exception) -> None:
        self._metrics.failures.labels(what).inc()
        self._troubles[what] = describe_error(error)
        if not isinstance(error, _AWAY):
            _log.error("publish_failed", during=what, exc_info=error, retry_in_s=self._beat_s)
            return
        _log.warning(
            "publish_backend_unavailable",
            during=what,
            reason=self._troubles[what],
            retry_in_s=self._beat_s,
        )


def _beat_after(delta: Delta) -> Heartbeat:
    return Heartbeat(delta.epoch, delta.version, delta.digest, delta.at_ms)
