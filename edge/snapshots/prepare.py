"""Works out what deciding by a snapshot needs before it is adopted, while requests go on by the one before."""

from common.decision.index import build_steps, indexes_of
from common.decision.rules.gates import Ranking
from common.snapshot.snapshot import Snapshot
from edge.runtime.cooperative import TimeSlice


async def prepare(snapshot: Snapshot, ranking: Ranking) -> None:
    """Returns at once, without giving the loop a turn, where nothing is missing."""
    slices = TimeSlice()
    for _ in build_steps(snapshot, ranking):
        await slices.checkpoint()


async def look_at_the_clock(snapshot: Snapshot, ranking: Ranking, now_ms: int) -> None:
    """
    Of a whole state, which is prepared: works out whose flights and dayparts are open at *now_ms*. The first call that
    comes to a leaf would else do that, which takes 2 ms of a thousand ads with dayparts, and read the timezones.
    """
    slices, indexes = TimeSlice(), indexes_of(snapshot, ranking)
    for property_id in snapshot.campaigns_by_property:
        index = indexes.find(property_id)
        for leaf in index.leaves if index else ():
            leaf.open_in("", now_ms)
            await slices.checkpoint()
