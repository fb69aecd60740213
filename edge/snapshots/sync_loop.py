"""
Drives the receiver: follows the source's notifications, pulls when something is missing, and calls *changed*. If the
source cannot provide or confirm a state, the fallback is used.

One instance a machine. Failures here never reach a request: the received snapshot goes on being served.
"""

import asyncio
import random
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

import structlog

from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import Heartbeat
from common.values.clock import Clock
from edge.ports import SnapshotPull, SnapshotSource, SnapshotSourceUnavailable
from edge.runtime.gc_policy import gc_paused
from edge.snapshots.fallback import Fallback
from edge.snapshots.state import SnapshotState, parse_state
from edge.snapshots.sync_state import SyncResult, SyncState

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_UNSUBSCRIBED_PULL_S = 1.0
_SOURCE_AWAY_S = 1.0
_NOTHING_THERE_S = 0.5

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class ReceiveCounts:
    """Counts for metrics."""

    pulls: int = 0
    pulls_failed: int = 0
    fallback_pulls: int = 0
    """Pulls from the fallback."""
    subscription_losses: int = 0
    refused: int = 0
    subscribed: bool = False


class SnapshotSync:
    """`run` until cancelled. *changed* is called after every adoption or confirmation."""

    def __init__(
        self,
        source: SnapshotSource,
        receiver: SyncState,
        *,
        clock: Clock,
        rng: random.Random,
        silence_s: float,
        changed: Callable[[], None],
        fallback: Fallback | None = None,
    ) -> None:
        self.receiver = receiver
        self.counts = ReceiveCounts()
        self.checked = asyncio.Event()
        """Set once the sources were tried, whether that succeeded or not."""
        self.by_fallback = False
        """The current state was last confirmed by the fallback, because the source could not confirm it."""
        self._source = source
        self._fallback = fallback
        self._fallback_epoch: str | None = None
        """The epoch that came from the fallback. The source may not know it, and may offer an older one."""
        self._clock = clock
        self._rng = rng
        self._silence_s = silence_s
        self._changed = changed
        self._wanted = asyncio.Event()
        self._why: dict[SnapshotPull, str] = {}
        self._notified_s = clock.monotonic_s()

    async def run(self) -> None:
        self.want_pull()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            tasks.create_task(self._pull_when_wanted())
            tasks.create_task(self._watch())

    def want_pull(self) -> None:
        self._wanted.set()

    async def _listen(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await self._follow_subscription()
                reason = "it ended"
            except SnapshotSourceUnavailable as error:
                reason = str(error)
            if self.counts.subscribed:
                pause_s = _FIRST_PAUSE_S
                self.counts.subscription_losses += 1
                _log.warning("snapshot_subscription_lost", reason=reason)
            self.counts.subscribed = False
            self.want_pull()
            await asyncio.sleep(pause_s * self._rng.uniform(0.5, 1.0))
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _follow_subscription(self) -> None:
        async with aclosing(self._source.subscribe()) as notifications:
            async for message in notifications:
                if not self.counts.subscribed:
                    _log.info("snapshot_subscription_restored")
                self.counts.subscribed = True
                self._notified_s = self._clock.monotonic_s()
                self._record(self.receiver.take(message, self._clock.now_ms()))

    def _record(self, result: SyncResult) -> None:
        match result:
            case SyncResult.APPLIED | SyncResult.CONFIRMED:
                self._changed()
            case SyncResult.PULL:
                self.want_pull()
            case SyncResult.IGNORED:
                pass

    async def _watch(self) -> None:
        """Requests a pull when no notification arrives for a while, and each second while the subscription is lost."""
        while True:
            step_s = self._silence_s if self.counts.subscribed else _UNSUBSCRIBED_PULL_S
            await asyncio.sleep(min(step_s, self._silence_s) / 2)
            if self._clock.monotonic_s() - self._notified_s >= step_s:
                self.want_pull()

    async def _pull_when_wanted(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            self.counts.pulls += 1
            longest_s = await self._pull()
            if longest_s == 0.0:
                pause_s = _FIRST_PAUSE_S
                continue
            self.counts.pulls_failed += 1
            self._wanted.set()
            pause_s = min(pause_s, longest_s)
            await asyncio.sleep(pause_s * self._rng.uniform(0.5, 1.0))
            pause_s *= 2

    async def _pull(self) -> float:
        """0 if we hold what a source reports as the head; else the longest pause before the next attempt."""
        longest_s = await self._pull_from(self._source)
        unconfirmed = longest_s > 0.0 or self._is_silent()
        if not unconfirmed:
            self.by_fallback = False
        if self._fallback is not None and unconfirmed and self._fallback.due():
            self.counts.fallback_pulls += 1
            fallback_s = await self._pull_from(self._fallback.source)
            self._fallback.done(well=fallback_s == 0.0)
            self.by_fallback = fallback_s == 0.0
            longest_s = min(longest_s, fallback_s)
        if not unconfirmed or self._fallback is None or self._fallback.was_used:
            self.checked.set()
        return longest_s

    def _is_silent(self) -> bool:
        """The state was not confirmed as the head for long, though the source can be read: its writer may be gone."""
        silent_ms = self._clock.now_ms() - self.receiver.confirmed_ms
        return silent_ms > self._silence_s * 1000

    async def _pull_from(self, source: SnapshotPull) -> float:
        try:
            head = await source.head()
            if head is None:
                self._log_reason(source, "nothing was published yet")
                return _NOTHING_THERE_S
            if self._leads_back(source, head):
                self._log_reason(source, "the source is in an epoch that is over")
                return _SOURCE_AWAY_S
            if self._take_head(source, head) is SyncResult.PULL:
                await self._catch_up(source, head)
        except SnapshotSourceUnavailable as error:
            self._log_reason(source, str(error))
            return _SOURCE_AWAY_S
        except SnapshotInvalid as error:
            self._refuse(str(error))
            return _LONGEST_PAUSE_S
        self._changed()
        self._why.pop(source, None)
        return _LONGEST_PAUSE_S if self._behind(head) else 0.0

    def _leads_back(self, source: SnapshotPull, head: Heartbeat) -> bool:
        """Whether *source* does not know the epoch that the fallback provided."""
        state = self.receiver.state
        if source is not self._source or state is None or self._fallback_epoch != state.epoch:
            return False
        if head.epoch == state.epoch:
            self._fallback_epoch = None
            return False
        return head.at_ms <= self.receiver.head_at_ms

    async def _catch_up(self, source: SnapshotPull, head: Heartbeat) -> None:
        before = self.receiver.state
        await self._take_deltas(source, head)
        if self._behind(head):
            await self._take_full(source, head)
            await self._take_deltas(source, head)
        after = self.receiver.state
        if source is not self._source and after is not None:
            self._fallback_epoch = _led_into(before, after) or self._fallback_epoch
        self._take_head(source, head)

    def _take_head(self, source: SnapshotPull, head: Heartbeat) -> SyncResult:
        from_fallback = source is not self._source
        return self.receiver.take_head(head, self._clock.now_ms(), from_fallback=from_fallback)

    async def _take_deltas(self, source: SnapshotPull, head: Heartbeat) -> None:
        """Applies the deltas between our state and *head*, as far as they are available and consistent."""
        state = self.receiver.state
        if state is None or state.epoch != head.epoch:
            return
        try:
            deltas = await source.deltas(state.version, head.version)
        except SnapshotInvalid as error:
            self._refuse(str(error))
            return
        for delta in deltas or ():
            if self.receiver.take_pulled(delta) is SyncResult.PULL:
                self._refuse(self.receiver.refusal or "a pulled delta does not follow")
                return

    async def _take_full(self, source: SnapshotPull, head: Heartbeat) -> None:
        with gc_paused():
            full = await source.full()
            if full is None or full.epoch != head.epoch:
                return
            state = await asyncio.to_thread(parse_state, full)
        if self.receiver.replace(state):
            _log.info("snapshot_received", version=state.version, objects=len(state))

    def _behind(self, head: Heartbeat) -> bool:
        """Whether *head* differs from our state and is not older."""
        state = self.receiver.state
        if state is None or state.epoch != head.epoch or state.version < head.version:
            return True
        return state.version == head.version and state.digest != head.digest

    def _log_reason(self, source: SnapshotPull, reason: str) -> None:
        """Logs why nothing can be pulled from *source*, once until a pull succeeds again."""
        if source not in self._why:
            state = self.receiver.state
            version = None if state is None else state.version
            _log.warning("snapshot_pull_failed", reason=reason, version=version)
        self._why[source] = reason

    def _refuse(self, reason: str) -> None:
        self.counts.refused += 1
        self.receiver.refuse(reason)
        self._changed()
        _log.error("snapshot_rejected", reason=reason)


def _led_into(before: SnapshotState | None, after: SnapshotState) -> str | None:
    """The new epoch; None if it is the epoch we were in."""
    return None if before is not None and before.epoch == after.epoch else after.epoch
