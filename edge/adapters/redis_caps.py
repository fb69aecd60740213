"""
Frequency counts in Redis: one hash a person, so that one command reads it and one deletes it.

A field is a `cap_key`. Its value is the count in each part of the window (`common.decision.sliding_windows`):
``part:count,part:count``. The hash expires when its longest window has passed since the last event. If there are many
fields, those whose windows are over are deleted.

A worker's number of its last event has a hash of its own. On a cluster it is a field of the person's hash, ``@worker``,
because a script's keys must be on one node, and the events of a person reach that node in their order.
"""

import asyncio
import uuid
from collections.abc import Mapping, Sequence

from redis.asyncio import Redis

from common.decision.frequency import window_of
from common.decision.sliding_windows import PARTS, counted, oldest_part, part_at
from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.values.clock import Clock
from common.values.environment import Environment
from edge.adapters.cluster_batcher import ClusterBatcher, open_batcher
from edge.adapters.redis_batcher import RedisBatcher
from edge.ports import CapStoreUnavailable, LateCounts, Seen

WAIT_S = 0.003
MAX_WAIT_S = 0.015
"""
How long a serve call waits for counts, and the maximum: while the slowest of a hundred responses takes longer, and
until some have arrived.
"""
CALL_S = 0.05
_MANY_FIELDS = 64
_NUMBER_S = 3_600
"""How long the number of a worker's last event is kept; events in doubt are added again each second."""

_ADD = """
-- KEYS: a person; what a worker counted. ARGV: now in ms, fields that are many, parts of a window, number of the event,
-- seconds to keep that number, then field, part, oldest part, ...
local event = tonumber(ARGV[4])
if event > 0 and event <= tonumber(redis.call('HGET', KEYS[2], 'last') or '0') then return 0 end
local key, now_ms, many, parts = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local function window_s(field) return tonumber(string.match(field, ':(%d+)$')) end
local ttl_s = redis.call('TTL', key)
for i = 6, #ARGV, 3 do
  local field, part, oldest = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local kept, added = {}, false
  for number, count in string.gmatch(redis.call('HGET', key, field) or '', '(%d+):(%d+)') do
    if tonumber(number) == part then count, added = tonumber(count) + 1, true end
    if tonumber(number) >= oldest then kept[#kept + 1] = number .. ':' .. count end
  end
  if not added then kept[#kept + 1] = ARGV[i + 1] .. ':1' end
  redis.call('HSET', key, field, table.concat(kept, ','))
  ttl_s = math.max(ttl_s, window_s(field) + math.ceil(window_s(field) / parts))
end
if redis.call('HLEN', key) > many then
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local newest = 0
    for number in string.gmatch(all[i + 1], '(%d+):') do newest = math.max(newest, tonumber(number)) end
    local oldest = math.floor(now_ms / math.floor(window_s(all[i]) * 1000 / parts)) - parts
    if newest < oldest then redis.call('HDEL', key, all[i]) end
  end
end
redis.call('EXPIRE', key, ttl_s)
if event > 0 then
  redis.call('HSET', KEYS[2], 'last', event)
  redis.call('EXPIRE', KEYS[2], ARGV[5])
end
return ttl_s
"""
_ADD_ON_CLUSTER = (
    # The number is a field of the person's hash, named by ARGV[5]. Those of other workers go where fields are many.
    _ADD.replace("KEYS[2], 'last'", "KEYS[1], ARGV[5]")
    .replace("  redis.call('EXPIRE', KEYS[2], ARGV[5])\n", "")
    .replace("match(field, ':(%d+)$')", "match(field, ':(%d+)$') or '1'")
    .replace("local newest = 0", "local newest = all[i] == ARGV[5] and math.huge or 0")
)


class RedisCapStore:
    """Calls of one moment share one pipeline. Belongs to one event loop."""

    def __init__(
        self,
        redis: Redis,
        channels: Channels,
        environment: Environment,
        clock: Clock,
        *,
        call_s: float = CALL_S,
        wait_s: float = WAIT_S,
        max_wait_s: float = MAX_WAIT_S,
    ) -> None:
        """*call_s* and the waits: the limits that the port promises; only tests on busy machines should change them."""
        self._pipeline = open_batcher(
            redis,
            clock,
            unavailable=CapStoreUnavailable,
            call_s=call_s,
            wait_s=wait_s,
            max_wait_s=max(wait_s, max_wait_s),
        )
        self._call_s = call_s
        self._channels = channels
        self._environment = environment
        worker = uuid.uuid4().hex
        self._script = _ADD_ON_CLUSTER if channels.is_cluster else _ADD
        self._number_kept: str | int = f"@{worker}" if channels.is_cluster else _NUMBER_S
        """The seconds for which the number of the last event is kept; on a cluster, its field."""
        self._counted = () if channels.is_cluster else (channels.counted_by(environment, worker),)

    @classmethod
    def open(
        cls, url: str, channels: Channels, environment: Environment, clock: Clock
    ) -> "RedisCapStore":
        """Connects at the first call."""
        redis = patient_redis(url, connect_s=CALL_S)
        return cls(redis, channels.on(url), environment, clock)

    @property
    def wait_s(self) -> float:
        return self._pipeline.wait_s

    async def counts(
        self,
        person: bytes,
        now_ms: int,
        late: LateCounts | None = None,
        wait_s: float | None = None,
    ) -> Mapping[str, int]:
        def store(stored: Mapping[bytes, bytes]) -> None:
            if late is not None and not isinstance(stored, Exception):
                late(_counts_of(stored, now_ms))

        stored = await self._pipeline.call("HGETALL", self._key(person), wait_s=wait_s, late=store)
        return _counts_of(stored, now_ms)

    async def add(self, seen: Sequence[Seen]) -> Sequence[Seen]:
        # A backoff that ends among them would let the later ones through, and the earlier never count again.
        if isinstance(self._pipeline, RedisBatcher):
            self._pipeline.refuse_resting()
            await asyncio.gather(*(self._add(one) for one in seen))
            return ()
        return await self._add_by_node(self._pipeline, seen)

    async def _add_by_node(self, pipeline: ClusterBatcher, seen: Sequence[Seen]) -> Sequence[Seen]:
        resting = [pipeline.is_resting("HGETALL", self._key(one.person)) for one in seen]
        outcomes: list[object] = await asyncio.gather(
            *(self._add(one) for one, rests in zip(seen, resting, strict=True) if not rests),
            return_exceptions=True,
        )
        by_event, left = iter(outcomes), []
        for one, rests in zip(seen, resting, strict=True):
            outcome = None if rests else next(by_event)
            if rests or isinstance(outcome, CapStoreUnavailable):
                left.append(one)
            elif isinstance(outcome, BaseException):
                raise outcome
        return left

    async def _add(self, one: Seen) -> None:
        arguments: list[str | int] = [one.at_ms, _MANY_FIELDS, PARTS, one.number, self._number_kept]
        for key in one.keys:
            window_s = window_of(key)
            arguments += [key, part_at(window_s, one.at_ms), oldest_part(window_s, one.at_ms)]
        keys = self._key(one.person), *self._counted
        await self._pipeline.call(
            "EVAL", self._script, len(keys), *keys, *arguments, wait_s=self._call_s
        )

    async def close(self) -> None:
        await self._pipeline.close()

    def _key(self, person: bytes) -> str:
        return self._channels.person_counts(self._environment, person.hex())


def _counts_of(stored: Mapping[bytes, bytes], now_ms: int) -> dict[str, int]:
    found = {}
    for field, value in stored.items():
        key = field.decode()
        if key[0] == "@":
            continue
        found[key] = counted(_parse_parts(value), window_of(key), now_ms)
    return found


def _parse_parts(value: bytes) -> dict[int, int]:
    pairs = (pair.split(b":") for pair in value.split(b","))
    return {int(number): int(count) for number, count in pairs}
