"""Whether a campaign's ads match any slot, by the same static gates as the edge. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from common.values.messages import Message

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class AdShape:
    """The properties of active ads that matter for slots; ``requires``: the edge features that they need."""

    format: str
    size: Size | None = None
    slot_ids: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlotShape:
    id: str
    formats: tuple[str, ...]
    sizes: tuple[Size, ...] = ()
    active: bool = True


def no_match_reason(ads: Sequence[AdShape], slots: Sequence[SlotShape]) -> Message | None:
    """
    Returns None where some ad fits some slot; else the reason, of the ads that passed the most checks.

    *slots*: all slots of the campaign's properties, including archived ones.
    """
    if not slots:
        return Message("no_slots: the campaign's properties have no slot; create one")
    if not any(slot.active for slot in slots):
        return Message(
            "slots_archived: every slot of the campaign's properties is archived; activate one"
        )
    named = [(ad, slot) for ad in ads for slot in slots if _aims_at(ad, slot)]
    reaching = [(ad, slot) for ad, slot in named if slot.active]
    if not reaching:
        return Message(
            "slots_archived: the slots its ads name are archived; activate one, or change slot_ids"
        )
    shown = [(ad, slot) for ad, slot in reaching if ad.format in slot.formats]
    if not shown:
        return _no_format(ads, [slot for _, slot in reaching])
    if not any(_fits(ad, slot) for ad, slot in shown):
        return _no_size([ad for ad, _ in shown])
    return None


def slots_reached(ads: Sequence[AdShape], slots: Sequence[SlotShape]) -> list[str]:
    """Returns the active slots in which some ad can show."""
    return [
        slot.id
        for slot in slots
        if slot.active
        and any(_aims_at(ad, slot) and ad.format in slot.formats and _fits(ad, slot) for ad in ads)
    ]


def _aims_at(ad: AdShape, slot: SlotShape) -> bool:
    return not ad.slot_ids or slot.id in ad.slot_ids


def _fits(ad: AdShape, slot: SlotShape) -> bool:
    return ad.size is None or not slot.sizes or ad.size in slot.sizes


def _no_format(ads: Sequence[AdShape], slots: Sequence[SlotShape]) -> Message:
    return Message(
        "no_slot_for_format: its ads are {ad_formats}, its slots take {slot_formats}; "
        "add a slot for that format, or an ad of another",
        ad_formats=_listed({ad.format for ad in ads}),
        slot_formats=_listed({name for slot in slots for name in slot.formats}),
    )


def _no_size(ads: Sequence[AdShape]) -> Message:
    return Message(
        "no_slot_for_size: no slot takes {sizes}; add the size to a slot, or an ad of another",
        sizes=_listed({f"{ad.size[0]}x{ad.size[1]}" for ad in ads if ad.size}),
    )


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
