"""The control plane's side for these tests: slots that change, as messages, and in a real Redis."""

import uuid
from dataclasses import dataclass, field

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.service.redis_cluster import ClusterRedis
from common.snapshot import digest
from common.snapshot.codec import encode_object
from common.snapshot.defaults import default_slot
from common.snapshot.messages import (
    Delta,
    FullState,
    Heartbeat,
    ObjectChange,
    encode_delta,
    encode_full,
    encode_heartbeat,
)
from common.snapshot.model import TYPE_OF, ObjectType, Slot, SnapshotObject
from common.values.environment import Environment

PROPERTY = "01890000-0000-7000-8000-000000000001"


def a_slot(key: str, *, refresh_seconds: int | None = None) -> Slot:
    """The same key gives the same id."""
    slot_id = str(uuid.uuid5(uuid.NAMESPACE_DNS, key))
    return default_slot(slot_id, PROPERTY, key, refresh_seconds=refresh_seconds)


@dataclass
class Published:
    """What was published so far; each change makes the next version."""

    epoch: str = "epoch-1"
    version: int = 0
    at_ms: int = 1_000
    bodies: dict[tuple[ObjectType, str], bytes] = field(default_factory=dict)
    deltas: list[Delta] = field(default_factory=list)

    @property
    def digest(self) -> str:
        total = digest.EMPTY
        for (kind, name), body in self.bodies.items():
            total = digest.moved(total, added=digest.object_hash(kind, name, body))
        return digest.to_text(total)

    @property
    def slot_ids(self) -> list[str]:
        return sorted(name for _, name in self.bodies)

    def put(self, *keys: str, refresh_seconds: int | None = None) -> Delta:
        slots = [a_slot(key, refresh_seconds=refresh_seconds) for key in keys]
        return self._change(
            [ObjectChange(ObjectType.SLOT, slot.id, encode_object(slot)) for slot in slots]
        )

    def delete(self, key: str) -> Delta:
        return self._change([ObjectChange(ObjectType.SLOT, a_slot(key).id, None)])

    def beat(self) -> Heartbeat:
        self.at_ms += 1
        return Heartbeat(self.epoch, self.version, self.digest, self.at_ms)

    def full(self) -> FullState:
        entries = tuple(
            ObjectChange(kind, name, body) for (kind, name), body in self.bodies.items()
        )
        return FullState(self.epoch, self.version, self.digest, entries)

    def restore(self, epoch: str) -> None:
        """The database came back from a backup: another epoch, an older version."""
        self.epoch, self.version = epoch, 1
        self.deltas.clear()

    def put_objects(self, *objects: SnapshotObject) -> Delta:
        return self._change(
            [ObjectChange(TYPE_OF[type(one)], one.id, encode_object(one)) for one in objects]
        )

    def _change(self, entries: list[ObjectChange]) -> Delta:
        for entry in entries:
            if entry.body is None:
                self.bodies.pop((entry.type, entry.id), None)
            else:
                self.bodies[(entry.type, entry.id)] = entry.body
        self.version += 1
        self.at_ms += 1
        delta = Delta(self.epoch, self.version, self.digest, self.at_ms, tuple(entries))
        self.deltas.append(delta)
        return delta


class RedisChannel:
    """Writes the names and formats that edges read; tests with `LossyRedis` leave some out."""

    def __init__(self, url: str, namespace: str, environment: Environment) -> None:
        self.redis = patient_redis(url, connect_s=5.0)
        self._names = Channels(namespace).on(url)
        self._environment = environment

    async def put_full(self, full: FullState) -> None:
        header, chunks = encode_full(full)
        for number, chunk in enumerate(chunks):
            name = self._names.snapshot_chunk(self._environment, full.version, number)
            await self.redis.set(name, chunk)
        await self.redis.set(self._names.snapshot_full(self._environment), header)

    async def put_delta(self, delta: Delta) -> None:
        name = self._names.snapshot_delta(self._environment, delta.version)
        await self.redis.set(name, encode_delta(delta))

    async def put_head(self, head: Heartbeat) -> None:
        await self.redis.set(self._names.snapshot_head(self._environment), encode_heartbeat(head))

    async def ring(self, message: Heartbeat | Delta) -> None:
        raw = encode_delta(message) if isinstance(message, Delta) else encode_heartbeat(message)
        await self.ring_raw(raw)

    async def ring_raw(self, raw: bytes) -> None:
        await self.redis.publish(self._names.snapshot_changes(self._environment), raw)

    async def listeners_count(self) -> int:
        name = self._names.snapshot_changes(self._environment)
        nodes = [self.redis]
        if isinstance(self.redis, ClusterRedis):
            await self.redis.search()
            nodes = [self.redis.node(address) for address in self.redis.primaries]
        counts = [dict(await one.pubsub_numsub(name))[name.encode()] for one in nodes]
        return sum(map(int, counts))

    async def report(self, worker: str) -> bytes | None:
        found = await self.redis.hget(self._names.edge_workers(self._environment), worker)
        return found if isinstance(found, bytes) else None

    async def publish(self, delta: Delta, head: Heartbeat, *, notify: bool = True) -> None:
        """One change in full, without its notification where that is to be lost."""
        await self.put_delta(delta)
        await self.put_head(head)
        if notify:
            await self.ring(delta)

    async def close(self) -> None:
        await self.redis.aclose()
