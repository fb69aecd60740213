"""Builds the indexes that a snapshot lacks, in steps, so that the caller can do other work in between."""

from collections.abc import Iterator

from common.decision.index.bulk_load import fill_steps, rescan_steps
from common.decision.index.index_registry import indexes_of
from common.decision.index.inverted_index import SlotMasks
from common.decision.rules.gates import Ranking
from common.snapshot.model import Slot
from common.snapshot.snapshot import Snapshot


def build_steps(snapshot: Snapshot, ranking: Ranking = Ranking.GREEDY) -> Iterator[None]:
    """
    Each step takes about half a millisecond. After the last step, no `match` on *snapshot* has to build an index; one
    on the previous snapshot may have to. It yields nothing where nothing is missing. No delta may be applied to
    *snapshot* meanwhile.
    """
    indexes = indexes_of(snapshot, ranking)
    rescans = indexes.rescans
    rescanned: dict[str, dict[str, list[SlotMasks]]] = {}
    for property_id, rescan in rescans.items():
        rescanned[property_id] = {}
        for slot in rescan.slots:
            rescanned[property_id][slot.id] = yield from rescan_steps(rescan.index, snapshot, slot)
    names = snapshot.campaigns_by_property
    missing = [name for name in names if indexes.find(name) is None and name not in rescans]
    slots: dict[str, list[Slot]] = {}
    for slot in snapshot.slots.values() if missing else ():
        slots.setdefault(slot.property_id, []).append(slot)
    for property_id in missing:
        index = indexes.new_index(tuple(slots.get(property_id, ())))
        yield from fill_steps(index, snapshot, property_id)
        indexes.put(property_id, index)
    # Last, and at once: until then requests use the previous snapshot.
    for property_id, masks in rescanned.items():
        indexes.take_over(property_id, masks)
