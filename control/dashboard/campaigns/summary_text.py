"""Values for templates that describe a campaign in plain words: all fields, names instead of codes, its local time."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from babel import dates

from control.dashboard.campaigns import labels
from control.dashboard.page_request import PageRequest
from control.dashboard.targeting.messages import TargetingNames, complete

_TERMS: dict[str, Any] = {
    "budget": {"total_cents": None, "daily_cents": None},
    "goal": None,
    "start_at": None,
    "end_at": None,
    "timezone": None,
    "pacing": "even",
    "priority": "auction",
    "share_of_voice_percent": None,
    "frequency_caps": [],
}
_THOUSAND = 1000


def complete_terms(body: Mapping[str, Any]) -> dict[str, Any]:
    """*body* with every field that the description uses."""
    return complete(_TERMS, body) | {"buys": _buys(body)}


def words_for(view: PageRequest, slots: Mapping[str, str]) -> dict[str, Any]:
    """Template values for the partials of campaigns and targeting. *slots*: labels by id."""
    locale = view.user_locale.locale

    def flight(instant: str, timezone: str | None) -> str:
        zone = ZoneInfo(timezone) if timezone else view.timezone
        at = datetime.fromisoformat(instant)
        day = dates.format_date(at.astimezone(zone), "medium", locale=locale)
        clock = dates.format_time(at, "short", tzinfo=zone, locale=locale)
        return f"{day}, {clock} ({zone.key})"

    return {
        "labels": labels,
        "targeting_names": TargetingNames(locale, slots),
        "flight": flight,
    }


def _buys(body: Mapping[str, Any]) -> int | None:
    total = (body.get("budget") or {}).get("total_cents")
    if total is None or body.get("goal") or body["pricing_model"] not in labels.BUYS:
        return None
    times = _THOUSAND if body["pricing_model"] == "cpm" else 1
    return int(total * times // body["bid_cents"])
