"""
Frequency caps at one worker: what a person saw, asked for in time, and what they saw now, counted behind the answer.

Where the store is away nobody knows, and a capped ad does not serve; what is to be counted waits, up to a bound.
"""

import asyncio
from collections import deque
from contextlib import suppress

from common.decision.frequency import cap_keys
from common.decision.gates import Lookup
from common.privacy.person import PERSON_BYTES, hash_person, mask_person
from common.snapshot.model import Ad, Campaign
from common.snapshot.snapshot import Snapshot
from common.tracking.token import TokenPayload
from common.vocabulary import EventKind
from edge.gates.reservations import Reservations
from edge.ports import CapStore, CapStoreUnavailable, Seen

MOST_WAITING = 20_000
_AT_ONCE = 200
_NOBODY = bytes(PERSON_BYTES)
_AGAIN_S = 1.0


class Capping:
    """*key*: 32 bytes of `Purpose.PEOPLE`, the same on every edge. Belongs to one event loop."""

    def __init__(self, store: CapStore, key: bytes) -> None:
        self.unknown = 0
        """Serve calls for which the store did not answer in time."""
        self.lost = 0
        """Events that were not counted, for too many waited."""
        self._store = store
        self._key = key
        self._reserved = Reservations()
        self._waiting: deque[Seen] = deque()
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
        """What *person* saw, and was shown just now; None where the store is away. Waits 3 ms at most."""
        try:
            counted = await self._store.counts(person, now_ms)
        except CapStoreUnavailable:
            self.unknown += 1
            return None
        return _Known(counted, self._reserved, person, now_ms)

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
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft()
            self.lost += 1
        self._waiting.append(Seen(person, keys, now_ms))
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
        return True


class _Known:
    """A `Lookup` of what was counted and what is reserved."""

    def __init__(self, counted: Lookup, reserved: Reservations, person: bytes, now_ms: int) -> None:
        self._counted = counted
        self._reserved = reserved
        self._person = person
        self._now_ms = now_ms

    def get(self, name: str, default: int, /) -> int:
        return self._counted.get(name, default) + self._reserved.count(
            self._person, name, self._now_ms
        )


def _keys_of(snapshot: Snapshot, token: TokenPayload, kind: EventKind) -> tuple[str, ...]:
    campaign = snapshot.campaigns.get(str(token.campaign_id))
    ad = snapshot.ads.get(str(token.ad_id))
    if campaign is None or ad is None or not campaign.frequency_caps:
        return ()
    return tuple(cap_keys(campaign, ad, kind))
