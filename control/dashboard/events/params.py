"""The parameters of the events page: filters, position, and whether new events appear by themselves."""

from dataclasses import dataclass
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
    kind: str
    valid: str
    property_id: str
    before: str
    is_live: bool
    since: datetime

    @property
    def query(self) -> dict[str, Any]:
        """Parameters of the address, without the position."""
        return {
            "span": self.span,
            "kind": self.kind,
            "valid": self.valid,
            "property_id": self.property_id,
        }

    @property
    def api_query(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "valid": self.valid,
            "property_id": self.property_id,
            "since": to_iso(self.since),
        }

    def filters(self, view: PageRequest) -> Filters:
        """The API has already checked ``property_id``."""
        return Filters(
            view.caller.account_id,
            property_id=view.caller.property_id or self.property_id or None,
            environment=view.environment,
            kind=EventKind(self.kind) if self.kind else None,
            valid=None if not self.valid else self.valid == "true",
            since=self.since,
        )


def parse_params(view: PageRequest) -> EventParams:
    """Unknown values in the address are left out."""
    span = view.query_param("span") if view.query_param("span") in SPANS else _USUAL_SPAN
    kind, valid, before = (
        view.query_param("kind"),
        view.query_param("valid"),
        view.query_param("before"),
    )
    return EventParams(
        span=span,
        kind=kind if kind in set(EventKind) else "",
        valid=valid if valid in VALIDITY else "",
        property_id=view.query_param("property_id"),
        before=before,
        is_live=not before and view.query_param("live") != "off",
        since=(view.now - SPANS[span][1]).replace(microsecond=0),
    )
