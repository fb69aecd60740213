"""What templates need to put a campaign in plain words: complete fields, names instead of codes, its own local time."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from babel import dates

from control.web.campaigns import labels
from control.web.campaigns.places import Places
from control.web.campaigns.typed_names import area_name, language_name
from control.web.view import View

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
_SIDES: dict[str, Any] = {"include": [], "exclude": []}
_TARGETING: dict[str, Any] = {
    "geo": _SIDES,
    "device": {"types": [], "os": [], "browsers": []},
    "languages": [],
    "dayparts": [],
    "slots": _SIDES,
    "keywords": {"any": [], "none": []},
    "key_values": [],
    "segments": _SIDES,
}
_THOUSAND = 1000


def complete_terms(body: Mapping[str, Any]) -> dict[str, Any]:
    """*body* with every field that the words look at."""
    return _complete(_TERMS, body) | {"buys": _buys(body)}


def complete_targeting(targeting: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """None where it targets nothing."""
    return _complete(_TARGETING, targeting) if targeting else None


def words_for(view: View, places: Places) -> dict[str, Any]:
    """Values of a template that imports ``campaigns/pieces.html``."""
    locale = view.wording.locale

    def areas(given: Iterable[Mapping[str, Any]]) -> list[str]:
        return [area_name(locale, one["country"], one.get("region")) for one in given]

    def flight(instant: str, timezone: str | None) -> str:
        zone = ZoneInfo(timezone) if timezone else view.timezone
        at = datetime.fromisoformat(instant)
        day = dates.format_date(at.astimezone(zone), "medium", locale=locale)
        clock = dates.format_time(at, "short", tzinfo=zone, locale=locale)
        return f"{day}, {clock} ({zone.key})"

    return {
        "labels": labels,
        "area_names": areas,
        "language_names": lambda codes: [language_name(locale, code) for code in codes],
        "slot_names": lambda ids: [places.slot_name(one) for one in ids],
        "flight": flight,
    }


def _buys(body: Mapping[str, Any]) -> int | None:
    total = (body.get("budget") or {}).get("total_cents")
    if total is None or body.get("goal") or body["pricing_model"] not in labels.BUYS:
        return None
    times = _THOUSAND if body["pricing_model"] == "cpm" else 1
    return int(total * times // body["bid_cents"])


def _complete(usual: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(given)
    for name, value in usual.items():
        own = given.get(name)
        if isinstance(value, Mapping):
            found[name] = _complete(value, own or {})
        elif own is None:
            found[name] = value
    return found
