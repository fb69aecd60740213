"""Campaigns, ads, properties, keys, reports and events."""

from collections.abc import Callable

import httpx

from placard.asynchronous.events import AsyncEvents
from placard.asynchronous.operations import AsyncManagementOperations
from placard.asynchronous.transport import (
    AsyncCloseable,
    AsyncTransport,
    Sleep,
    async_sleep,
    monotonic,
)
from placard.retries import Retries


class AsyncManagementClient(AsyncCloseable, AsyncManagementOperations):
    """
    *key*: an integration key (`ak_`) or an access token (`at_`); a secret key (`sk_`) reaches `caller` alone. *http*:
    your own connections, which you close yourself.
    """

    def __init__(
        self,
        key: str,
        *,
        base_url: str,
        timeout_s: float = 30.0,
        retries: Retries | None = None,
        http: httpx.AsyncClient | None = None,
        sleep: Sleep = async_sleep,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        transport = AsyncTransport(
            base_url,
            key,
            kinds=("ak_", "at_", "sk_"),
            server="The management API",
            timeout_s=timeout_s,
            retries=retries or Retries(),
            http=http,
            sleep=sleep,
            monotonic=clock,
        )
        AsyncCloseable.__init__(self, transport)
        AsyncManagementOperations.__init__(self, transport)
        self.events = AsyncEvents(transport)
