"""
Redeems tokens in groups, from the lookup in the token store to the claim. A group shares one lookup, one append to the
spool and one claim. Attempts that arrive during a lookup form the next group, because a group costs as much as several
attempts; where it has room for all, an attempt waits for at most one lookup before its own. Of several attempts at the
same token and kind, the later ones wait for the first.

A claim follows only after the event is durable. With a crash between the two, the retry would get 204 and the event
would be lost.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from common.tracking.event import EventRecord
from common.tracking.token import TokenPayload
from common.values.enums import EventKind
from common.values.generation_cache import GenerationCache
from edge.ports import TokenClaim, TokenKey, TokenStore, TokenStoreUnavailable
from edge.snapshots.handle import SnapshotHandle
from edge.spool.spool import Spool, SpoolFull
from edge.state.frequency_caps import FrequencyCaps

_AT_ONCE = 500
_REMEMBERED = 10_000


@dataclass(slots=True)
class RedeemCounts:
    """Counts for metrics; they only grow."""

    counted: int = 0
    invalid: int = 0
    """Of those counted: stored, but marked as invalid traffic."""
    duplicate: int = 0
    refused: int = 0
    """The token is not ours, or of another environment or property."""
    expired: int = 0
    exceeded: int = 0
    """Calls beyond the rate of their address: stored as invalid one by one, or summed."""
    summed: int = 0
    """Of the exceeded calls, events that were summed."""
    lost_spool_full: int = 0
    """Events that could not be stored. Track reported that to its client; a pixel or redirect could not."""
    store_unavailable: int = 0
    """Lookups and claims that went without the token store."""


class Redeemed(StrEnum):
    COUNTED = "counted"
    """Stored now, whatever its verdict."""
    DUPLICATE = "duplicate"
    """Redeemed before: not stored again."""


OnDone = Callable[[Redeemed | Exception], None]
"""
Called once with the result of an attempt, on the event loop. An exception is `SpoolFull` or a
fault. Must not raise.
"""


@dataclass(slots=True, init=False)
class Attempt:
    """
    A judged event in progress. ``token_key`` is the token's own; ``claim`` is looked up before and claimed after.

    An invalid event never uses up its token; it claims its reason instead. A robot that keeps coming is thus stored
    once a reason, and a valid event of the same token can still follow.
    """

    record: EventRecord
    payload: TokenPayload
    token_key: TokenKey
    claim: TokenClaim
    done: OnDone | None
    """None: it was called."""

    def __init__(
        self,
        record: EventRecord,
        payload: TokenPayload,
        token_key: TokenKey,
        claim: TokenClaim,
        done: OnDone,
    ) -> None:
        self.record = record
        self.payload = payload
        self.token_key = token_key
        self.claim = claim
        self.done = done

    @property
    def token_keys(self) -> tuple[TokenKey, ...]:
        """The keys that must not have been redeemed before."""
        own = self.claim[0]
        return (own,) if own == self.token_key else (self.token_key, own)


class RedemptionPipeline:
    """The attempts in progress in this process. Belongs to one event loop."""

    def __init__(
        self,
        tokens: TokenStore,
        spool: Spool,
        frequency_caps: FrequencyCaps,
        snapshots: SnapshotHandle,
    ) -> None:
        self.counts = RedeemCounts()
        self._tokens = tokens
        self._spool = spool
        self._frequency_caps = frequency_caps
        self._snapshots = snapshots
        self._running: dict[TokenKey, list[Attempt]] = {}
        """Token keys in progress, and the attempts that wait for each to end."""
        self._claimed = GenerationCache(_REMEMBERED)
        """Keys claimed by this process: they are known even while the token store is unavailable."""
        self._gathered: list[Attempt] = []
        self._is_looking_up = False
        """Whether a group waits for the token store."""
        self._groups: set[asyncio.Task[None]] = set()

    def begin(self, attempt: Attempt) -> None:
        """Never waits; the result is passed to ``attempt.done``. The attempt goes on even if the client disconnects."""
        waiting = self._running.get(attempt.token_key)
        if waiting is not None:
            waiting.append(attempt)
            return
        self._running[attempt.token_key] = []
        self._gathered.append(attempt)
        if len(self._gathered) == 1 and not self._is_looking_up:
            asyncio.get_running_loop().call_soon(self._start)

    def claim_here(self, token_key: TokenKey, own: TokenKey) -> bool:
        """Marks *own* as redeemed in this process's memory. False if it or *token_key* was redeemed before."""
        if self._claimed.get(token_key) or self._claimed.get(own):
            return False
        self._remember([own])
        return True

    def _start(self) -> None:
        """Starts the attempts that have arrived, together, unless a group is looked up; they then start after it."""
        if self._is_looking_up or not self._gathered:
            return
        self._is_looking_up = True
        group, self._gathered = self._gathered[:_AT_ONCE], self._gathered[_AT_ONCE:]
        task = asyncio.create_task(self._redeem(group))
        self._groups.add(task)
        task.add_done_callback(self._groups.discard)

    async def _redeem(self, group: list[Attempt]) -> None:
        try:
            try:
                seen = await self._seen(group)
            finally:
                self._is_looking_up = False
                asyncio.get_running_loop().call_soon(self._start)
            fresh = self._fresh(group, seen) if seen else group
            kept = await self._store(fresh) if fresh else []
            claimed = await self._claim([attempt.claim for attempt in kept])
            for attempt, is_first in zip(kept, claimed, strict=True):
                self._finish_stored(attempt, is_first=is_first)
        except Exception as error:  # noqa: BLE001 - each caller receives it, and answers as for any fault
            for attempt in group:
                self._finish(attempt, error)

    async def _seen(self, group: list[Attempt]) -> set[TokenKey]:
        """The keys that were redeemed. Without the token store, those that this process has cached."""
        requested = [token_key for attempt in group for token_key in attempt.token_keys]
        here = {token_key for token_key in requested if self._claimed.get(token_key)}
        try:
            found = await self._tokens.seen(requested)
        except TokenStoreUnavailable:
            self.counts.store_unavailable += len(group)
            return here
        return here | {token_key for token_key, seen in zip(requested, found, strict=True) if seen}

    def _fresh(self, group: list[Attempt], seen: set[TokenKey]) -> list[Attempt]:
        fresh = []
        for attempt in group:
            if seen.isdisjoint(attempt.token_keys):
                fresh.append(attempt)
            else:
                self._finish(attempt, Redeemed.DUPLICATE, claimed=attempt.token_key in seen)
        return fresh

    async def _store(self, fresh: list[Attempt]) -> list[Attempt]:
        """The attempts that are on disk now; the others are finished."""
        try:
            results = await self._spool.append_all(
                [(attempt.record, partition_key_of(attempt.record)) for attempt in fresh]
            )
        except SpoolFull as full:
            self.counts.lost_spool_full += len(fresh)
            for attempt in fresh:
                self._finish(attempt, full)
            return []
        kept = []
        for attempt, result in zip(fresh, results, strict=True):
            if isinstance(result, Exception):
                self._finish(attempt, result)
                continue
            kept.append(attempt)
        return kept

    def _finish_stored(self, attempt: Attempt, *, is_first: bool) -> None:
        """
        If several workers stored one event at once, the first to claim counts it. Ingest collapses
        the others into it.
        """
        if is_first:
            self._count(attempt)
        result = Redeemed.COUNTED if is_first else Redeemed.DUPLICATE
        self._finish(attempt, result, claimed=attempt.record.reason.valid)

    def _count(self, attempt: Attempt) -> None:
        record = attempt.record
        self.counts.counted += 1
        if not record.reason.valid:
            self.counts.invalid += 1
        elif isinstance(record.kind, EventKind):
            snapshot = self._snapshots.current()
            self._frequency_caps.count(snapshot, attempt.payload, record.kind, record.at_ms)

    async def _claim(self, claims: list[TokenClaim]) -> list[bool]:
        """Which claims were new. Without the token store all count as new, because nothing shows the opposite."""
        if not claims:
            return []
        self._remember([token_key for token_key, _ in claims])
        try:
            return await self._tokens.claim(claims)
        except TokenStoreUnavailable:
            self.counts.store_unavailable += len(claims)
            return [True] * len(claims)

    def _remember(self, token_keys: list[TokenKey]) -> None:
        for token_key in token_keys:
            self._claimed.put(token_key, token_key)

    def _finish(
        self, attempt: Attempt, result: Redeemed | Exception, *, claimed: bool = False
    ) -> None:
        """
        Called once an attempt. Attempts that wait for its token_key are duplicates if it was *claimed*, else they start
        anew.
        """
        done, attempt.done = attempt.done, None
        if done is None:
            return
        waiting = self._running.pop(attempt.token_key)
        self._report(done, result)
        for other in waiting:
            if claimed and other.done is not None:
                other_done, other.done = other.done, None
                self._report(other_done, Redeemed.DUPLICATE)
            else:
                self.begin(other)

    def _report(self, done: OnDone, result: Redeemed | Exception) -> None:
        self.counts.duplicate += result is Redeemed.DUPLICATE
        done(result)


def partition_key_of(record: EventRecord) -> bytes:
    """All records of one client carry the same key."""
    client = record.facts.client_hash
    return record.token_id.bytes if client is None else bytes.fromhex(client)
