"""Works out what deciding by a snapshot needs before it is adopted, while requests go on by the one before."""

from common.decision.gates import Ranking
from common.decision.index import build_steps
from common.snapshot.snapshot import Snapshot
from edge.slices import Slices


async def prepare(snapshot: Snapshot, ranking: Ranking) -> None:
    """Returns at once, without giving the loop a turn, where nothing is missing."""
    slices = Slices()
    for _ in build_steps(snapshot, ranking):
        await slices.turn()
