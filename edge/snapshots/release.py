"""Lets go of what a large change left behind, little by little: freeing it at once would stop everything."""

import asyncio

from common.decision.index import pieces_of
from common.snapshot.snapshot import Snapshot
from edge.snapshots.prepare import SLICE_S

_AT_ONCE = 20


def held_by(snapshot: Snapshot) -> list[object]:
    """Everything in it that is many: whoever holds these, drops the rest at no cost."""
    maps = (snapshot.ads, snapshot.campaigns, snapshot.paces, snapshot.rates, snapshot.keys_by_hash)
    held: list[object] = [item for one in maps for item in one.values()]
    held += snapshot.ads_by_campaign.values()
    return held + snapshot.derived.pieces() + pieces_of(snapshot)


async def let_go(held: list[object]) -> None:
    """Empties *held*; whatever of it somebody else holds stays as it is."""
    now_s = asyncio.get_running_loop().time
    slice_end_s = now_s() + SLICE_S
    while held:
        del held[-_AT_ONCE:]
        if now_s() >= slice_end_s:
            await asyncio.sleep(0)
            slice_end_s = now_s() + SLICE_S
