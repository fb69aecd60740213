"""
The search of all pages: objects by name or id, pages and actions.

`search` is a page, for browsers without scripts; `found` the part that the palette requests while a user types.
"""

from typing import Any

from control.dashboard.page import PageRoute, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.search.queries import find_objects
from control.dashboard.search.targets import actions_of, matching, pages_of
from control.foundation.message_translation import translate_in
from control.foundation.rate_limit import Rate, check_rate
from control.foundation.wire_types import MAX_SOUGHT_CHARS

_SEARCHES = Rate(8, 1.0, burst=24)
"""Of one user. A palette sends one request after each pause in typing."""


async def show(view: PageRequest) -> Result:
    return Rendered("search/search.html", await _find(view))


async def show_part(view: PageRequest) -> Result:
    return Rendered("search/found.html", await _find(view))


async def _find(view: PageRequest) -> dict[str, Any]:
    """Raises `Refused` (429)."""
    now_s = view.control.clock.monotonic_s()
    check_rate(view.control.limiter, f"search:{view.caller.identity}", _SEARCHES, now_s)
    sought = view.query_param("q").strip()[:MAX_SOUGHT_CHARS]
    translate = translate_in(view.user_locale.language)
    return {
        "sought": sought,
        "objects": await find_objects(view, sought),
        "actions": matching(actions_of(view), sought, translate),
        "pages": matching(pages_of(view), sought, translate),
    }


SCREENS = (
    PageRoute("search", "/search", show),
    PageRoute("found", "/found", show_part, is_part=True),
)
