"""How this plane's adapters reach Redis: no retry behind a caller's back, and no wait that swallows a cancellation."""

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff


def bounded_redis(url: str, *, timeout_s: float) -> Redis:
    """
    A client that connects when first used, and gives up on connecting after *timeout_s*.

    Callers bound each call with `asyncio.timeout`. The library's own bound on a call (``socket_timeout``) is off: it
    sends under `asyncio.wait_for`, which on Python 3.11 loses a cancellation that comes as the sending ends, and
    a task that lost one runs on for ever. Its retries are off too: they hold a caller for seconds before a hung server.
    """
    client: Redis = Redis.from_url(
        url,
        socket_timeout=None,
        socket_connect_timeout=timeout_s,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
    )
    return client
