"""
``python -m tests.control.reporting.store.dying_shipper POSTGRESQL CLICKHOUSE STEP``: ships, and is killed at a step.

The steps: ``begun``, ``inserted`` (without knowing it), ``counted``.
"""

import asyncio
import os
import signal
import sys
from typing import Any

from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.reporting.store import shipping
from control.storage.database import Database

STEPS = ("begun", "inserted", "counted")


class _Dying(ClickHouseReportStore):
    step = ""

    async def insert(self, *arguments: Any, **named: Any) -> None:
        await super().insert(*arguments, **named)
        if self.step == "inserted":
            _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def main(postgresql: str, clickhouse: str, step: str) -> None:
    store, database = _Dying(clickhouse), Database(postgresql)
    store.step = step
    shipment = await shipping.begin(database, most=3)
    assert shipment is not None
    if step == "begun":
        _die()
    await shipping.send(store, shipment)
    await shipping.count(database, shipment)
    _die()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
