"""Building the indexes a snapshot lacks, in steps, so that whoever builds can do other things in between."""

from collections.abc import Iterator

from common.decision.gates import Ranking
from common.decision.index.fill import fill_steps
from common.decision.index.indexes import indexes_of
from common.snapshot.model import Slot
from common.snapshot.snapshot import Snapshot


def build_steps(snapshot: Snapshot, ranking: Ranking = Ranking.GREEDY) -> Iterator[None]:
    """
    Each step takes about half a millisecond; after the last no `match` on *snapshot* has to build. Nothing to do, no
    step. No delta may lead away from *snapshot* meanwhile.
    """
    indexes = indexes_of(snapshot, ranking)
    missing = [name for name in snapshot.campaigns_by_property if indexes.find(name) is None]
    if not missing:
        return
    slots: dict[str, list[Slot]] = {}
    for slot in snapshot.slots.values():
        slots.setdefault(slot.property_id, []).append(slot)
    for property_id in missing:
        index = indexes.new_index(tuple(slots.get(property_id, ())))
        yield from fill_steps(index, snapshot, property_id)
        indexes.keep(property_id, index)
