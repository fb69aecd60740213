"""Choices that a script requests while a user types into a field: a few options, no page."""

from common.values.errors import not_found
from control.dashboard.embed_sessions.components import Component
from control.dashboard.page import PageRoute, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.queries import (
    CAMPAIGN,
    MAX_CHOICES,
    OBJECT_TYPES,
    OPEN_CAMPAIGN,
    find,
)

_MAX_VALUES = 500


async def show(view: PageRequest) -> Result:
    """``of``: the type; ``q``: the search text; other parameters narrow, as the type allows."""
    kind = OBJECT_TYPES.get(view.query_param("of"))
    if kind is None or (
        kind in (CAMPAIGN, OPEN_CAMPAIGN) and view.frame.context.get("campaign_id")
    ):
        raise not_found()
    narrow = {
        name: view.query_param(name).split(",")[:_MAX_VALUES]
        for name in kind.narrows
        if view.query_param(name)
    }
    found = await find(view, kind, view.query_param("q").strip(), narrow)
    return Rendered(
        "frame/choices.html", {"choices": found[:MAX_CHOICES], "has_more": len(found) > MAX_CHOICES}
    )


SCREENS = (PageRoute("choices", "/choices", show, components=frozenset(Component), is_part=True),)
