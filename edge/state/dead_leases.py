"""
Returns the leases of workers that died on this machine. What they did not commit is free as soon as they are found
dead, not only when the last token that they may have signed has expired.
"""

import asyncio
from pathlib import Path

import structlog

from common.pacing.holds import is_hold
from common.pacing.lease_messages import (
    LeaseMessageInvalid,
    Report,
    ReportLine,
    encode_report,
    parse_answered,
)
from common.values.clock import Clock
from edge.ports import LeaseStore, LeaseStoreUnavailable
from edge.state.commit_file import DeadFile, Ended, find_dead

EXPIRES_MS = 3_600_000
"""A worker without a report for so long has no lease any more."""
_EVERY_S = 5.0
_PROBE_S = 0.5
_ATTEMPTS = 20
_log: structlog.stdlib.BoundLogger = structlog.get_logger("leases")


async def return_dead_leases(folder: Path, store: LeaseStore, clock: Clock) -> None:
    """Handles workers whose `CommitFile` is in *folder*, until cancelled."""
    while True:
        for dead in await asyncio.to_thread(lambda: list(find_dead(folder))):
            await return_leases(dead, store, clock)
        await asyncio.sleep(_EVERY_S)


async def return_leases(dead: DeadFile, store: LeaseStore, clock: Clock) -> None:
    """Removes the file once the allocator has answered; otherwise leaves it for the next pass."""
    is_done = dead.ended is None or _is_expired(dead.ended, clock)
    try:
        if dead.ended is not None and not is_done:
            is_done = await _report_end(dead.ended, store)
    finally:
        if is_done:
            dead.remove()
        else:
            dead.release()


def _is_expired(ended: Ended, clock: Clock) -> bool:
    return clock.monotonic_s() * 1000 - ended.changed_ms > EXPIRES_MS


async def _report_end(ended: Ended, store: LeaseStore) -> bool:
    """Sends a last report in the dead worker's name, until it is answered. False if there is no answer."""
    sequence = ended.sequence + 1
    lines = [
        ReportLine(name, 0, micros, is_request=False) for name, micros in ended.committed.items()
    ]
    lines.sort(key=is_hold, reverse=True)  # as a living worker reports them: before their campaigns
    raw = encode_report(Report(sequence, 0, 0, tuple(lines), has_ended=True))
    for _ in range(_ATTEMPTS):
        try:
            grants = await store.exchange(ended.worker, raw)
            if grants is not None and parse_answered(grants) >= sequence:
                _log.info("dead_leases_returned", worker=ended.worker, campaigns=len(lines))
                return True
        except (LeaseStoreUnavailable, LeaseMessageInvalid):
            return False
        await asyncio.sleep(_PROBE_S)
    return False
