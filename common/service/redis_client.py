"""Redis connections of both planes: every wait is bounded, nothing is retried implicitly, no cancellation is lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError


def patient_redis(url: str, *, connect_s: float, protocol: int | None = None) -> Redis:
    """
    Returns a client that connects on first use. It waits for a response for ever: use every call inside `answering`.

    The library's own timeout is off, because it sends through `asyncio.wait_for`, which in Python 3.11 may return
    instead of being cancelled. Its retries are off too, because they hold a caller for seconds when a server hangs.
    """
    client: Redis = Redis.from_url(
        url,
        socket_timeout=None,
        socket_connect_timeout=connect_s,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
        protocol=protocol,
    )
    return client


@asynccontextmanager
async def answering(within_s: float, unavailable: type[Exception]) -> AsyncIterator[None]:
    """Raises *unavailable*, with a message, where Redis is unreachable, rejects, or does not respond *within_s*."""
    try:
        async with asyncio.timeout(within_s):
            yield
    except (RedisError, OSError, TimeoutError) as error:
        reason = str(error) or f"no answer within {within_s} s"
        raise unavailable(f"Redis (PLACARD_REDIS_URL): {reason}") from error
