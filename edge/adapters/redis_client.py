"""How this plane's adapters reach Redis: every wait bounded, no retry behind the caller's back."""

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff


def bounded_redis(url: str, *, timeout_s: float) -> Redis:
    """
    A client that connects when first used, and gives up on connecting and on each answer after *timeout_s*.

    The library's default retries, which hold a caller for seconds before a hung server, are off.
    """
    client: Redis = Redis.from_url(
        url,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
    )
    return client
