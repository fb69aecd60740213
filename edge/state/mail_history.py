"""Watches the store of prepared mails, so that each worker notices when it came back empty."""

import asyncio
from contextlib import suppress

from common.values.clock import Clock
from edge.ports import MailStore, MailStoreUnavailable

_EVERY_S = 5.0
_AGAIN_S = 1.0


async def watch_history(mails: MailStore, clock: Clock) -> None:
    """Runs until cancelled. A worker that has not prepared a mail yet remembers the store, too."""
    while True:
        pause_s = _AGAIN_S
        with suppress(MailStoreUnavailable):
            await mails.check_history(clock.now_ms())
            pause_s = _EVERY_S
        await asyncio.sleep(pause_s)
