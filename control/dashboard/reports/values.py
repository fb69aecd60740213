"""Labels of the values of a report's dimensions."""

from collections.abc import Mapping
from typing import Any

from common.values.enums import Reason
from control.dashboard.ads.messages import FORMATS
from control.dashboard.events.reasons import REASONS
from control.dashboard.page_request import PageRequest
from control.foundation.message_translation import translate_in
from control.reporting.reports.vocabulary import NAMED, Dimension

NOT_KNOWN = "Not known"
UNFILLED = "No ad shown"
GONE = "Deleted"
VALUES: dict[str, str] = {
    "desktop": "Desktop",
    "mobile": "Mobile",
    "tablet": "Tablet",
    "tv": "TV",
    "other": "Other",
    **FORMATS,
    "sponsorship": "Sponsorship",
    "direct": "Direct",
    "auction": "Auction",
    "house": "House",
    "preview": "Preview",
    "web": "Web",
    "ios": "iOS",
    "android": "Android",
    "flutter": "Flutter",
    "server": "Server",
    "amp": "AMP",
    "ctv": "Connected TV",
}
"""English, also in the catalogues."""
_UNFILLED = frozenset({Dimension.CAMPAIGN, Dimension.AD})


def translate(view: PageRequest, words: str, of: str = "") -> str:
    """Translates into the user's language; *of*: see `control.foundation.message_translation.Translate`."""
    return translate_in(view.user_locale.language)(words, of)


def label_of(view: PageRequest, dimension: Dimension, row: Mapping[str, Any]) -> str:
    """The label of a row's value of *dimension*."""
    value = row[dimension.column]
    if value is None:
        return translate(view, UNFILLED if dimension in _UNFILLED else NOT_KNOWN)
    if dimension in NAMED:
        name: str | None = row.get(f"{dimension.value}_name")
        return name or f"{translate(view, GONE, dimension)} ({value[-6:]})"
    return value_label(view, dimension, value)


def value_label(view: PageRequest, dimension: Dimension, value: str) -> str:
    if dimension is Dimension.COUNTRY:
        return str(view.user_locale.locale.territories.get(value.upper(), value.upper()))
    if dimension is Dimension.REASON and value in set(Reason):
        return translate(view, REASONS[Reason(value)].label)
    return translate(view, VALUES.get(value, value))
