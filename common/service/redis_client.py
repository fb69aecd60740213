"""How both planes reach Redis: every wait bounded, no retry behind the caller's back, no cancellation lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError


def patient_redis(url: str, *, connect_s: float, protocol: int | None = None) -> Redis:
    """
    A client that connects when first used. It waits for an answer for ever: every call belongs in `answering`.

    The library's own bound on calls is off, for it sends through `asyncio.wait_for`, which in Python 3.11 may return
    instead of being cancelled; so are its retries, which hold a caller for seconds before a hung server.
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
async def answering(within_s: float, away: type[Exception]) -> AsyncIterator[None]:
    """Raises *away*, with a message, where Redis cannot be reached, refuses, or has not answered *within_s*."""
    try:
        async with asyncio.timeout(within_s):
            yield
    except (RedisError, OSError, TimeoutError) as error:
        reason = str(error) or f"no answer within {within_s} s"
        raise away(f"Redis (PLACARD_REDIS_URL): {reason}") from error
