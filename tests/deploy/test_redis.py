"""The embedded Redis comes back from whatever happened to it."""

import redis
import redis.asyncio

from tests.support.servers import RedisServer


async def test_redis_keeps_written_keys_when_killed(redis_server: RedisServer) -> None:
    async with redis.asyncio.Redis.from_url(redis_server.url) as client:
        await client.set("kept", "7")
    redis_server.kill()
    redis_server.start()
    async with redis.asyncio.Redis.from_url(redis_server.url) as client:
        assert await client.getdel("kept") == b"7"


async def test_redis_comes_back_empty_when_wiped(redis_server: RedisServer) -> None:
    async with redis.asyncio.Redis.from_url(redis_server.url) as client:
        await client.set("lost", "7")
    redis_server.kill()
    redis_server.wipe()
    redis_server.start()
    async with redis.asyncio.Redis.from_url(redis_server.url) as client:
        assert await client.get("lost") is None
