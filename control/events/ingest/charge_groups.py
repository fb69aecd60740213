"""Events that are charged alike: told apart before any campaign is locked, for whoever waits for one waits for all."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from control.events.ingest.parsed_records import Event, SharedFields

MINUTE_MS = 60_000


@dataclass(slots=True)
class Group:
    """Of one campaign, one price and one minute of serves."""

    traits: SharedFields
    minute: int
    """Since the epoch."""
    places: list[int] = field(default_factory=list)
    """Where they stand in the sequence they were taken from."""

    @property
    def property_id(self) -> str:
        return self.traits.property_id


def group(events: Sequence[Event]) -> dict[str, list[Group]]:
    """The valid live ones of *events*, by campaign."""
    found: dict[tuple[int, int], Group] = {}
    campaigns: dict[str, list[Group]] = {}
    for place, one in enumerate(events):
        traits = one.traits
        if not one.valid or traits.is_test:
            continue
        key = (id(traits), one.issued_ms // MINUTE_MS)
        alike = found.get(key)
        if alike is None:
            alike = found[key] = Group(traits, key[1])
            campaigns.setdefault(traits.campaign_id, []).append(alike)
        alike.places.append(place)
    return campaigns
