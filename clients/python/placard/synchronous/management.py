# Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
"""Campaigns, ads, properties, keys, reports and events."""

from collections.abc import Callable

import httpx

from placard.retries import Retries
from placard.synchronous.events import Events
from placard.synchronous.operations import ManagementOperations
from placard.synchronous.transport import (
    Closeable,
    Sleep,
    Transport,
    blocking_sleep,
    monotonic,
)


class ManagementClient(Closeable, ManagementOperations):
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
        http: httpx.Client | None = None,
        sleep: Sleep = blocking_sleep,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        transport = Transport(
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
        Closeable.__init__(self, transport)
        ManagementOperations.__init__(self, transport)
        self.events = Events(transport)
