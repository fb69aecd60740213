"""A stream of changes to a world, each published as a delta, as the control plane does."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from common.service.channels import Channels
from common.snapshot import digest
from common.snapshot.codec import encode_object
from common.snapshot.messages import Delta, ObjectChange
from common.snapshot.model import TYPE_OF, AdRates, Campaign, ObjectType, Rate, Slot, SnapshotObject
from common.values.environment import Environment
from control.adapters.redis_channel import RedisSnapshotChannel
from loadtests.bench.corpus import make_targeting
from loadtests.bench.serving import a_pace
from loadtests.bench.world import World


class Changes:
    """The world after the changes made so far; ``version`` is that of the last change."""

    def __init__(self, world: World, *, seed: int) -> None:
        self.version = 1
        self.late_s = 0.0
        """The longest delay between when a change was due and its publication."""
        self._rng = Random(seed)
        self._campaigns = {item.id: item for item in world.campaigns if item.targeting}
        self._ids = list(self._campaigns)
        self._slots = world.slots
        self._ads = [ad.id for ad in world.ads]
        self._bodies: dict[tuple[ObjectType, str], bytes] = {}
        self._digest = digest.EMPTY
        for item in world.objects:
            self._put(item)

    async def run(self, redis_url: str, namespace: str, *, seconds: float, per_s: float) -> None:
        """
        Publishes *per_s* deltas a second. Of ten, five change a campaign's bid or targeting, four are paces and one is
        a rate; one of 250 changes a slot's floor.
        """
        channel = RedisSnapshotChannel(redis_url, Channels(namespace), ring=1000)
        start_s = time.perf_counter()
        for number in range(int(seconds * per_s)):
            due_s = start_s + number / per_s
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            self.late_s = max(self.late_s, time.perf_counter() - due_s)
            await channel.put_delta(Environment.LIVE, self._next(number))
        await channel.close()

    def _next(self, number: int) -> Delta:
        changed = (self._floored(),) if number % 250 == 249 else self._changed(number % 10)
        entries = [self._put(item) for item in changed]
        self.version += 1
        now_ms = time.time_ns() // 1_000_000
        return Delta("bench", self.version, digest.to_text(self._digest), now_ms, tuple(entries))

    def _changed(self, number: int) -> Sequence[SnapshotObject]:
        rng = self._rng
        campaign = self._campaigns[rng.choice(self._ids)]
        if number < 5:
            campaign = self._campaigns[campaign.id] = self._edited(campaign, retarget=number == 0)
            return (campaign,)
        if number < 9:
            return (a_pace(rng, campaign),)
        rate = Rate(rng.randint(1, 9999), 50)
        return (AdRates(rng.choice(self._ads), rate, rate),)

    def _floored(self) -> Slot:
        """A slot with a floor that excludes a few candidates."""
        return replace(self._rng.choice(self._slots), floor_micros=self._rng.randint(0, 2_000_000))

    def _edited(self, campaign: Campaign, *, retarget: bool) -> Campaign:
        if retarget:
            return replace(campaign, targeting=make_targeting(self._rng))
        return replace(campaign, bid_micros=self._rng.randint(100, 2000) * 10)

    def _put(self, item: SnapshotObject) -> ObjectChange:
        kind, body = TYPE_OF[type(item)], encode_object(item)
        before = self._bodies.get((kind, item.id))
        removed = 0 if before is None else digest.object_hash(kind, item.id, before)
        added = digest.object_hash(kind, item.id, body)
        self._digest = digest.moved(self._digest, removed=removed, added=added)
        self._bodies[kind, item.id] = body
        return ObjectChange(kind, item.id, body)
