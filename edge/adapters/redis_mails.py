"""
What was prepared for mails, in Redis: a string each, with a TTL.

``item:HASH`` is an item, or ``?`` while a caller prepares it. ``template:ID`` is the constant part of items.
``shown:HASH`` is what a recipient was shown last. ``history`` marks the store's own life, as ``ID lost_at_ms``: a
worker that holds another id thereby detects that Redis came back empty, and stores the time for all workers. On a
cluster one node has the mails of an environment, so that its mark is lost with them.
"""

import secrets
from collections.abc import Mapping, Sequence

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.values.clock import Clock
from common.values.environment import Environment
from edge.adapters.cluster_batcher import open_batcher
from edge.ports import ItemState, MailStoreUnavailable

CALL_S = 1.0
"""A sender waits longer than a page does, and a thousand items are a large command."""
KEPT_S = 86_400
CLAIMED_S = 10
_TEMPLATE_KEPT_S = KEPT_S + 3600
_PENDING = b"?"

_CLAIM = """
-- KEYS: items. ARGV: seconds of a claim. Returns each item, empty where it is claimed now.
local found = redis.call('MGET', unpack(KEYS))
for i, key in ipairs(KEYS) do
  if not found[i] then
    redis.call('SET', key, '?', 'EX', ARGV[1])
    found[i] = ''
  end
end
return found
"""
_STORE = """
-- KEYS: items. ARGV: seconds, then an item for each key. Returns each item that was stored before, else empty.
local found = redis.call('MGET', unpack(KEYS))
for i, key in ipairs(KEYS) do
  if not found[i] or found[i] == '?' then
    redis.call('SET', key, ARGV[i + 1], 'EX', ARGV[1])
    found[i] = ''
  end
end
return found
"""
_HISTORY = """
-- KEYS[1]: the mark. ARGV: a new id, the id that the caller remembers or '', now in ms. Returns the mark.
local mark = redis.call('GET', KEYS[1])
local id, lost = string.match(mark or '', '^(%x+) (%d+)$')
if not id then
  id, lost = ARGV[1], ARGV[2] == '' and '0' or ARGV[3]
elseif ARGV[2] ~= '' and ARGV[2] ~= id and lost == '0' then
  lost = ARGV[3]
end
redis.call('SET', KEYS[1], id .. ' ' .. lost)
return id .. ' ' .. lost
"""


class RedisMailStore:
    """One command a call. Belongs to one event loop."""

    def __init__(
        self, redis: Redis, channels: Channels, environment: Environment, clock: Clock
    ) -> None:
        self._pipeline = open_batcher(redis, clock, unavailable=MailStoreUnavailable, call_s=CALL_S)
        self._prefix = channels.mail(environment, "")
        self._history = ""

    @classmethod
    def open(
        cls, url: str, channels: Channels, environment: Environment, clock: Clock
    ) -> "RedisMailStore":
        """Connects at the first call."""
        redis = patient_redis(url, connect_s=CALL_S)
        return cls(redis, channels.on(url), environment, clock)

    async def check_history(self, now_ms: int) -> bool:
        arguments = (secrets.token_hex(8), self._history, now_ms)
        mark = await self._pipeline.call("EVAL", _HISTORY, 1, f"{self._prefix}history", *arguments)
        self._history, lost = mark.decode().split(" ")
        return int(lost) + KEPT_S * 1000 > now_ms

    async def claim(self, keys: Sequence[str]) -> list[bytes | ItemState]:
        if not keys:
            return []
        found = await self._pipeline.call("EVAL", _CLAIM, len(keys), *self._items(keys), CLAIMED_S)
        states = {b"": ItemState.CLAIMED, _PENDING: ItemState.PENDING}
        return [states.get(one, one) for one in found]

    async def store(self, items: Mapping[str, bytes]) -> list[bytes]:
        if not items:
            return []
        values = list(items.values())
        found = await self._pipeline.call(
            "EVAL", _STORE, len(values), *self._items(list(items)), KEPT_S, *values
        )
        return [before or own for before, own in zip(found, values, strict=True)]

    async def store_templates(self, templates: Mapping[str, bytes]) -> None:
        for name, template in templates.items():
            await self._set(f"template:{name}", template, _TEMPLATE_KEPT_S)

    async def find_templates(self, ids: Sequence[str]) -> list[bytes | None]:
        if not ids:
            return []
        keys = [f"{self._prefix}template:{name}" for name in ids]
        found: list[bytes | None] = await self._pipeline.call("MGET", *keys)
        return found

    async def store_shown(self, key: str, shown: bytes, life_s: int) -> None:
        await self._set(f"shown:{key}", shown, life_s)

    async def find_shown(self, key: str) -> bytes | None:
        found: bytes | None = await self._pipeline.call("GET", f"{self._prefix}shown:{key}")
        return found

    async def close(self) -> None:
        await self._pipeline.close()

    async def _set(self, name: str, value: bytes, life_s: int) -> None:
        await self._pipeline.call("SET", f"{self._prefix}{name}", value, "EX", life_s)

    def _items(self, keys: Sequence[str]) -> list[str]:
        return [f"{self._prefix}item:{key}" for key in keys]
