"""Works out what deciding by a snapshot needs before it is adopted, while requests go on by the one before."""

import asyncio

from common.decision.gates import Ranking
from common.decision.index import build_steps
from common.snapshot.snapshot import Snapshot

SLICE_S = 0.002
"""How long requests wait at most, a step more or less; then they have their turn."""


async def prepare(snapshot: Snapshot, ranking: Ranking) -> None:
    """Returns at once, without giving the loop a turn, where nothing is missing."""
    now_s = asyncio.get_running_loop().time
    slice_end_s = now_s() + SLICE_S
    for _ in build_steps(snapshot, ranking):
        if now_s() >= slice_end_s:
            await asyncio.sleep(0)
            slice_end_s = now_s() + SLICE_S
