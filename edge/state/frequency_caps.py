"""
Frequency caps at one worker: what a person saw, asked for in time, and what they saw now, counted behind the answer.

Where the store does not answer in time, what this worker learned of the person lately is used; of whom nothing is known
no capped ad serves. What is to be counted waits, up to a bound.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Mapping
from contextlib import suppress

from common.decision.frequency import cap_keys
from common.decision.rules.gates import Lookup
from common.privacy.person import PERSON_BYTES, hash_person, mask_person
from common.snapshot.model import Ad, Campaign
from common.snapshot.snapshot import Snapshot
from common.tracking.token import TokenPayload
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
        """Serve calls that asked what somebody saw."""
        self.remembered = 0
        """Of those, answered from what this worker knew, for the store did not answer in time."""
        self.unknown = 0
        """Of those, answered by nobody."""
        self.lost = 0
        """Events that were not counted, for too many waited."""
        self._store = store
        self._key = key
        self._reserved = Reservations()
        self._known = RememberedCounts()
        self._waiting: deque[Seen] = deque()
        self._uncounted: Counter[tuple[bytes, str]] = Counter()
        """What waits, by person and `cap_key`: the store may not have it yet."""
        self._bell = asyncio.Event()

    def person(self, property_id: str, uid: str) -> bytes:
        return hash_person(self._key, property_id, uid)

    def masked(self, person: bytes, token_id: bytes) -> bytes:
        """As a token may carry it."""
        return mask_person(self._key, token_id, person)

    def revealed(self, token: TokenPayload) -> bytes | None:
        """Whose serve *token* is of; None: nobody's."""
        if not token.person:
            return None
        return self.masked(token.person.to_bytes(PERSON_BYTES, "big"), token.token_id.bytes)

    async def known(self, person: bytes, now_ms: int) -> Lookup | None:
        """
        What *person* saw, and was shown just now; None where neither the store nor this worker knows. Waits for the
        store as long as its slowest of a hundred answers take, 3 to 15 ms.
        """

        def learn(counted: Mapping[str, int]) -> None:
            self._known.learn(person, counted, now_ms)

        self.lookups += 1
        try:
            counted = await self._store.counts(person, now_ms, learn)
            learn(counted)
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
        """*ad* is on its way to *person*: its impression counts before it comes in."""
        self._reserved.add(person, cap_keys(campaign, ad, EventKind.IMPRESSION), now_ms)

    def count(self, snapshot: Snapshot, token: TokenPayload, kind: EventKind, now_ms: int) -> None:
        """A valid event is kept. Never waits; a token without a person, and an ad without such a cap, count nothing."""
        person = self.revealed(token)
        keys = () if person is None else _keys_of(snapshot, token, kind)
        if person is None or not keys:
            return
        if kind is EventKind.IMPRESSION:
            self._reserved.release(person, keys)
        if len(self._waiting) >= MAX_WAITING:
            self._forget(self._waiting.popleft())
            self.lost += 1
        self._waiting.append(Seen(person, keys, now_ms))
        self._uncounted.update([(person, key) for key in keys])
        self._bell.set()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def run(self) -> None:
        """Counts what waits, until cancelled. Asks for nobody first: to connect takes longer than a call may wait."""
        with suppress(CapStoreUnavailable):
            await self._store.counts(_NOBODY, 0)
        while True:
            await self._bell.wait()
            self._bell.clear()
            while self._waiting:
                if not await self.flush():
                    await asyncio.sleep(_AGAIN_S)

    async def flush(self) -> bool:
        """Counts some of what waits; False where the store is away, and it goes on waiting."""
        some = [self._waiting.popleft() for _ in range(min(_AT_ONCE, len(self._waiting)))]
        try:
            await self._store.add(some)
        except CapStoreUnavailable:
            self._waiting.extendleft(reversed(some))
            return False
        for one in some:
            self._forget(one)
            self._known.add(one.person, one.keys)
        return True

    def _forget(self, seen: Seen) -> None:
        """It waits no more."""
        for key in seen.keys:
            name = (seen.person, key)
            self._uncounted[name] -= 1
            if not self._uncounted[name]:
                del self._uncounted[name]


class _CapCounts:
    """A `Lookup` of what was counted, what waits to be, and what is reserved."""

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
        return (
            self._counted.get(name, default)
            + self._uncounted.get((self._person, name), 0)
            + self._reserved.count(self._person, name, self._now_ms)
        )


def _keys_of(snapshot: Snapshot, token: TokenPayload, kind: EventKind) -> tuple[str, ...]:
    campaign = snapshot.campaigns.get(str(token.campaign_id))
    ad = snapshot.ads.get(str(token.ad_id))
    if campaign is None or ad is None or not campaign.frequency_caps:
        return ()
    return tuple(cap_keys(campaign, ad, kind))
