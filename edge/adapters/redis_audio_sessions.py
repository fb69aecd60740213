"""Sessions of stitched audio in Redis: a string a session, and others of what was sent of it; all expire."""

from typing import Any

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import answering, patient_redis
from common.values.environment import Environment
from edge.ports import MAX_SENT_SPANS, AudioSessionStoreUnavailable

CALL_S = 0.25
_PUT_NEW = """
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2])
return redis.call('GET', KEYS[1])
"""
_REPLACE = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
"""
_ADD = """
-- The value is START-END,START-END,...: apart from each other, in order.
-- ARGV: seconds to live, maximum of spans, start, end. Returns what the spans covered, and cover now.
local first, last = tonumber(ARGV[3]), tonumber(ARGV[4])
local before, after, spans, is_added = 0, 0, {}, first >= last
local function add(from, to)
  spans[#spans + 1] = string.format('%d-%d', from, to)
  after = after + to - from
end
for from, to in string.gmatch(redis.call('GET', KEYS[1]) or '', '(%d+)-(%d+)') do
  from, to = tonumber(from), tonumber(to)
  before = before + to - from
  if is_added or to < first then
    add(from, to)
  elseif from > last then
    add(first, last)
    add(from, to)
    is_added = true
  else
    first, last = math.min(first, from), math.max(last, to)
  end
end
if not is_added then add(first, last) end
if #spans > tonumber(ARGV[2]) then return {before, before} end
if #spans > 0 then redis.call('SET', KEYS[1], table.concat(spans, ','), 'EX', ARGV[1]) end
return {before, after}
"""


class RedisAudioSessionStore:
    """Belongs to one event loop."""

    def __init__(
        self, redis: Redis, channels: Channels, environment: Environment, *, call_s: float = CALL_S
    ) -> None:
        self._redis = redis
        self._prefix = channels.audio(environment, "")
        self._call_s = call_s

    @classmethod
    def open(
        cls, url: str, channels: Channels, environment: Environment
    ) -> "RedisAudioSessionStore":
        """Connects at the first call."""
        return cls(patient_redis(url, connect_s=CALL_S), channels, environment)

    async def put_new(self, key: str, body: bytes, ttl_s: int) -> bytes:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            found: bytes | None = await self._redis.eval(
                _PUT_NEW, 1, self._prefix + key, body, ttl_s
            )
        return body if found is None else found

    async def find(self, key: str) -> bytes | None:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            found: Any = await self._redis.get(self._prefix + key)
        return None if found is None else bytes(found)

    async def replace(self, key: str, known: bytes | None, body: bytes, ttl_s: int) -> bool:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            return bool(
                await self._redis.eval(_REPLACE, 1, self._prefix + key, body, ttl_s, known or b"")
            )

    async def add_sent(self, key: str, span: tuple[int, int], ttl_s: int) -> tuple[int, int]:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            before, after = await self._redis.eval(
                _ADD, 1, self._prefix + key, ttl_s, MAX_SENT_SPANS, *span
            )
        return before, after

    async def claim(self, key: str, ttl_s: int) -> bool:
        async with answering(self._call_s, AudioSessionStoreUnavailable):
            return bool(await self._redis.set(self._prefix + key, b"1", nx=True, ex=ttl_s))

    async def close(self) -> None:
        await self._redis.aclose()
