"""
Frequency caps at one worker: reads what a person saw before a decision, and counts new events in the background.

If the store does not respond in time, the worker's cached counts of the person are used. Without any, no
capped ad serves. Events to be counted are queued, up to a bound. Those of people whose node of the store is unavailable
wait in a queue of their own, so that they delay no others.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Mapping, Sequence

from common.decision.frequency import cap_keys
from common.decision.rules.gates import Lookup
from common.privacy.person import PERSON_BYTES, hash_person, mask_person
from common.snapshot.model import Ad, Campaign
from common.snapshot.snapshot import Snapshot
from common.tracking.token import CAP_COUNTED, TokenPayload
from common.values.enums import EventKind
from edge.ports import CapStore, CapStoreUnavailable, Seen
from edge.state.cap_reservations import Reservations
from edge.state.remembered_counts import RememberedCounts

MAX_WAITING = 20_000
_AT_ONCE = 200
_NOBODY = bytes(PERSON_BYTES)
_AGAIN_S = 1.0


class FrequencyCaps:
    """*key*: 32 bytes of `Purpose.PEOPLE`, the same on every edge. Belongs to one event loop."""

    def __init__(self, store: CapStore, key: bytes) -> None:
        self.lookups = 0
        """Serve calls that needed a person's counts."""
        self.remembered = 0
        """Of those lookups, those answered from this worker's memory because the store did not respond in time."""
        self.unknown = 0
        """Of those lookups, those without any counts."""
        self.lost = 0
        """Events that were not counted because the queue was full."""
        self._store = store
        self._key = key
        self._reserved = Reservations()
        self._known = RememberedCounts()
        self._waiting: deque[Seen] = deque()
        self._held: deque[Seen] = deque()
        """Events that a node of the store did not count, older than those waiting of the same people."""
        self._held_people: Counter[bytes] = Counter()
        self._number = 0
        """Of the event queued last."""
        self._flushing = asyncio.Lock()
        self._uncounted: Counter[tuple[bytes, str]] = Counter()
        """Queued events by person and `cap_key`: the store may not have them yet."""
        self._wakeup = asyncio.Event()

    def person(self, property_id: str, uid: str) -> bytes:
        return hash_person(self._key, property_id, uid)

    def masked(self, person: bytes, token_id: bytes) -> bytes:
        """The person's hash, masked as a token may carry it."""
        return mask_person(self._key, token_id, person)

    def revealed(self, token: TokenPayload) -> bytes | None:
        """The person that *token* was served to; None if it carries none."""
        if not token.person:
            return None
        return self.masked(token.person.to_bytes(PERSON_BYTES, "big"), token.token_id.bytes)

    async def find_cached(
        self, person: bytes, now_ms: int, *, wait_s: float | None = None
    ) -> Lookup | None:
        """
        Counts of *person*, including ads served just now; None if neither the store nor this worker has any. Waits for
        the store *wait_s*, or as long as the slowest of a hundred responses takes, 3 to 15 ms.
        """

        def store(counted: Mapping[str, int]) -> None:
            self._known.store(person, counted, now_ms)

        self.lookups += 1
        try:
            counted = await self._store.counts(person, now_ms, store, wait_s)
            store(counted)
        except CapStoreUnavailable:
            remembered = self._known.find(person, now_ms)
            if remembered is None:
                self.unknown += 1
                return None
            self.remembered += 1
            counted = remembered
        return _CapCounts(counted, self._reserved, self._uncounted, person, now_ms)

    @property
    def wait_s(self) -> float:
        """How long a call waits for the store now."""
        return self._store.wait_s

    def reserve(self, person: bytes, campaign: Campaign, ad: Ad, now_ms: int) -> None:
        """*ad* is being served to *person*: its impression counts before it arrives."""
        known = self._known.find(person, now_ms) or {}

        def counted(key: str) -> int:
            return known.get(key, 0) + self._uncounted.get((person, key), 0)

        self._reserved.add(person, cap_keys(campaign, ad, EventKind.IMPRESSION), now_ms, counted)

    def count(self, snapshot: Snapshot, token: TokenPayload, kind: EventKind, now_ms: int) -> None:
        """
        Queues a valid event. Never waits. Counts nothing for a token without a person, or an ad
        without such a cap.
        """
        person = self.revealed(token)
        keys = () if person is None else _keys_of(snapshot, token, kind)
        if person is None or not keys:
            return
        if kind is EventKind.IMPRESSION:
            if token.marks & CAP_COUNTED:
                return
            self._reserved.release(person, keys)
        self._queue(person, keys, now_ms)

    def count_issued(self, person: bytes, campaign: Campaign, ad: Ad, now_ms: int) -> None:
        """Queues the impression of a token with the mark `CAP_COUNTED`: it counts as shown once it is issued."""
        keys = cap_keys(campaign, ad, EventKind.IMPRESSION)
        if keys:
            self._queue(person, tuple(keys), now_ms)

    def _queue(self, person: bytes, keys: tuple[str, ...], now_ms: int) -> None:
        if self.waiting >= MAX_WAITING:
            self._drop_oldest()
        self._number += 1
        self._waiting.append(Seen(person, keys, now_ms, self._number))
        self._uncounted.update([(person, key) for key in keys])
        self._reserved.note_own(person, keys)
        self._wakeup.set()

    @property
    def waiting(self) -> int:
        return len(self._waiting) + len(self._held)

    async def run(self) -> None:
        """Counts queued events, until cancelled."""
        await self._connect()
        while True:
            await self._wakeup.wait()
            self._wakeup.clear()
            while self.waiting:
                if not await self.flush():
                    await asyncio.sleep(_AGAIN_S)

    async def _connect(self) -> None:
        """
        Reads the counts of a dummy person until that succeeds, because connecting takes longer than a serve call may
        wait.
        """
        while True:
            try:
                await self._store.counts(_NOBODY, 0)
            except CapStoreUnavailable:
                await asyncio.sleep(_AGAIN_S)
            else:
                return

    async def flush(self) -> bool:
        """
        Counts some queued events, and those that are held when no others are queued. Returns False if the store, or the
        node of a held event, is unavailable; what is not counted stays queued.
        """
        async with self._flushing:
            if not self._waiting:
                return await self._flush_held()
            some = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
            sent = [one for one in some if one.person not in self._held_people]
            try:
                uncounted = set(await self._add(sent))
            except (CapStoreUnavailable, asyncio.CancelledError) as error:
                self._waiting.extendleft(reversed(some))
                if isinstance(error, asyncio.CancelledError):
                    raise
                return False
            later = [one for one in some if one.person in self._held_people or one in uncounted]
            self._held.extend(later)
            self._held_people.update(one.person for one in later)
        return True

    async def _flush_held(self) -> bool:
        """Returns False where some of them are still held."""
        some = [self._held.popleft() for _ in range(min(_AT_ONCE, len(self._held)))]
        left: Sequence[Seen] = some
        try:
            left = await self._add(some)
        except CapStoreUnavailable:
            return False
        finally:
            self._held.extendleft(reversed(left))
            self._held_people.update(one.person for one in left)
            for one in some:
                self._let_send(one.person)
        return not left

    async def _add(self, some: Sequence[Seen]) -> Sequence[Seen]:
        """Returns those that a node of the store did not count."""
        left = await self._store.add(some)
        uncounted = set(left)
        for one in some:
            if one not in uncounted:
                self._forget(one)
                self._known.add(one.person, one.keys)
        return left

    def _drop_oldest(self) -> None:
        if self._held:
            one = self._held.popleft()
            self._let_send(one.person)
        else:
            one = self._waiting.popleft()
        self._forget(one)
        self.lost += 1

    def _let_send(self, person: bytes) -> None:
        """An event of *person* is no longer held."""
        self._held_people[person] -= 1
        if not self._held_people[person]:
            del self._held_people[person]

    def _forget(self, seen: Seen) -> None:
        """Removes *seen* from the uncounted events."""
        for key in seen.keys:
            name = (seen.person, key)
            self._uncounted[name] -= 1
            if not self._uncounted[name]:
                del self._uncounted[name]


class _CapCounts:
    """A `Lookup` that sums the counted, the queued and the reserved events."""

    def __init__(
        self,
        counted: Lookup,
        reserved: Reservations,
        uncounted: Mapping[tuple[bytes, str], int],
        person: bytes,
        now_ms: int,
    ) -> None:
        self._counted = counted
        self._reserved = reserved
        self._uncounted = uncounted
        self._person = person
        self._now_ms = now_ms

    def get(self, name: str, default: int, /) -> int:
        counted = self._counted.get(name, default) + self._uncounted.get((self._person, name), 0)
        return counted + self._reserved.count(self._person, name, self._now_ms, counted)


def _keys_of(snapshot: Snapshot, token: TokenPayload, kind: EventKind) -> tuple[str, ...]:
    campaign = snapshot.campaigns.get(str(token.campaign_id))
    ad = snapshot.ads.get(str(token.ad_id))
    if campaign is None or ad is None or not campaign.frequency_caps:
        return ()
    return tuple(cap_keys(campaign, ad, kind))
