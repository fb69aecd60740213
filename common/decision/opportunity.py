"""One slot asking for one ad, now: all that deciding may know of a request."""

from dataclasses import dataclass

from common.environment import Environment
from common.snapshot.model import Property, Slot
from common.vocabulary import Format, Surface


@dataclass(slots=True)
class Opportunity:
    """``width``/``height``: what the caller says it has room for, or None."""

    environment: Environment
    property: Property
    slot: Slot
    format: Format | None
    width: int | None
    height: int | None
    surface: Surface
    preview_ad_id: str | None
    consent_limited: bool
    child_directed: bool
