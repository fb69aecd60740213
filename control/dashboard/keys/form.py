"""The bodies that the form of a new key sends, for either family."""

from datetime import date, datetime, time
from typing import Any

from common.contract.permissions import SCOPES
from control.dashboard.form_body import Reader, body_of, choices, text
from control.dashboard.keys.key_types import INTEGRATION, Family
from control.dashboard.page_request import PageRequest

KINDS = ("publishable", "secret", "integration")
SCOPE_NAMES = tuple(scope.value for scope in SCOPES)


def created_of(view: PageRequest, family: Family) -> dict[str, Any]:
    """The environment is the page's, so that no live key is created on a page marked TEST."""
    readers: dict[str, Reader] = {"property_id": text, "name": text}
    readers |= {"scopes": choices} if family is INTEGRATION else {"kind": text}
    body = body_of(view.form, readers) | {"environment": view.environment}
    ends = end_of(view)
    return body if ends is None else body | {"expires_at": ends}


def end_of(view: PageRequest) -> str | None:
    """The end of the typed day in the user's time zone; an invalid day is sent as typed."""
    values = view.form_field("expires_at").strip()
    if not values:
        return None
    try:
        day = date.fromisoformat(values)
    except ValueError:
        return values
    return datetime.combine(day, time(23, 59, 59), tzinfo=view.timezone).isoformat()
