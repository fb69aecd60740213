"""Groups events with the same charge before any campaign is locked: a locked campaign blocks every other consumer."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from control.events.ingest.parsed_records import Event, SharedFields

MINUTE_MS = 60_000


@dataclass(slots=True)
class ChargeGroup:
    """Events with the same shared fields (hence one campaign and one price) and the same minute of serve."""

    shared_fields: SharedFields
    minute: int
    """Minutes since the epoch."""
    places: list[int] = field(default_factory=list)
    """Indexes of the events in the sequence that was grouped."""

    @property
    def property_id(self) -> str:
        return self.shared_fields.property_id


def group(events: Sequence[Event]) -> dict[str, list[ChargeGroup]]:
    """Groups the valid live events of *events* that are no previews, by campaign."""
    found: dict[tuple[int, int], ChargeGroup] = {}
    campaigns: dict[str, list[ChargeGroup]] = {}
    for place, one in enumerate(events):
        fields = one.shared_fields
        if not one.valid or fields.is_test or fields.preview:
            continue
        key = (id(fields), one.issued_ms // MINUTE_MS)
        same_group = found.get(key)
        if same_group is None:
            same_group = found[key] = ChargeGroup(fields, key[1])
            campaigns.setdefault(fields.campaign_id, []).append(same_group)
        same_group.places.append(place)
    return campaigns
