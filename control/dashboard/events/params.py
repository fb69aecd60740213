"""The parameters of the events page: filters, position, and whether new events appear by themselves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from common.values.clock import to_iso
from common.values.enums import EventKind
from control.dashboard.page_request import PageRequest
from control.events.events_api.queries import Filters

SPANS: dict[str, tuple[str, timedelta]] = {
    "hour": ("Last hour", timedelta(hours=1)),
    "day": ("Last 24 hours", timedelta(days=1)),
    "week": ("Last 7 days", timedelta(days=7)),
    "all": ("Last 90 days", timedelta(days=90)),
}
VALIDITY = {"true": "Counted", "false": "Not counted"}
_USUAL_SPAN = "day"


@dataclass(frozen=True, slots=True)
class EventParams:
    """``before``: the event after which the page begins; empty: with the newest. ``valid``: of `VALIDITY`."""

    span: str
    kinds: Sequence[str]
    valid: str
    property_ids: Sequence[str]
    before: str
    is_live: bool
    since: datetime

    @property
    def query(self) -> dict[str, Any]:
        """Parameters of the address, without the position."""
        return {
            "span": self.span,
            "kind": ",".join(self.kinds),
            "valid": self.valid,
            "property_id": ",".join(self.property_ids),
        }

    @property
    def api_query(self) -> dict[str, Any]:
        filters = {name: value for name, value in self.query.items() if name != "span"}
        return filters | {"since": to_iso(self.since)}

    @property
    def is_filtered(self) -> bool:
        return bool(self.kinds or self.valid or self.property_ids)

    def without(self, value: str) -> "EventParams":
        """Without one value of a filter of several."""
        kinds = [one for one in self.kinds if one != value]
        property_ids = [one for one in self.property_ids if one != value]
        return replace(self, kinds=kinds, property_ids=property_ids)

    def filters(self, view: PageRequest) -> Filters:
        """The API has already checked ``property_ids``."""
        own = view.caller.property_id
        return Filters(
            view.caller.account_id,
            property_ids=(own,) if own else tuple(self.property_ids),
            environment=view.environment,
            kinds=tuple(EventKind(one) for one in self.kinds),
            valid=None if not self.valid else self.valid == "true",
            since=self.since,
        )


def parse_params(view: PageRequest) -> EventParams:
    """Unknown values in the address are left out."""
    span = view.query_param("span") if view.query_param("span") in SPANS else _USUAL_SPAN
    valid, before = view.query_param("valid"), view.query_param("before")
    return EventParams(
        span=span,
        kinds=[one for one in view.query_values("kind") if one in set(EventKind)],
        valid=valid if valid in VALIDITY else "",
        property_ids=view.query_values("property_id"),
        before=before,
        is_live=not before and view.query_param("live") != "off",
        since=(view.now - SPANS[span][1]).replace(microsecond=0),
    )
