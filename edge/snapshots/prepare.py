"""Builds a snapshot's indexes before it is adopted, while requests go on with the previous snapshot."""

from common.decision.index import build_steps, indexes_of
from common.decision.rules.gates import Ranking
from common.service.cooperative import TimeSlice
from common.snapshot.snapshot import Snapshot


async def prepare(snapshot: Snapshot, ranking: Ranking) -> None:
    """Builds what is missing. Returns without yielding to the loop if nothing is."""
    slices = TimeSlice()
    for _ in build_steps(snapshot, ranking):
        await slices.checkpoint()


async def refresh_schedules(snapshot: Snapshot, ranking: Ranking, now_ms: int) -> None:
    """
    For a prepared full state: determines which flights and dayparts are open at *now_ms*. Otherwise the first request
    of each leaf would do that, which takes 2 ms for a thousand ads with dayparts, and load the timezones.
    """
    slices, indexes = TimeSlice(), indexes_of(snapshot, ranking)
    for property_id in snapshot.campaigns_by_property:
        index = indexes.find(property_id)
        for leaf in index.leaves if index else ():
            leaf.open_in("", now_ms)
            await slices.checkpoint()
