"""What a script asks for while somebody types into a field that chooses: a few options, no page."""

from common.values.errors import not_found
from control.dashboard.embed_sessions.components import Component
from control.dashboard.page import Result, Screen, Shown
from control.dashboard.page_request import View
from control.dashboard.pickers.object_types import CAMPAIGN, KINDS, OPEN_CAMPAIGN
from control.dashboard.pickers.options import MOST, find

_MOST_VALUES = 500


async def show(view: View) -> Result:
    """``of`` a kind, narrowed by what the kind knows, ``q`` in the name."""
    kind = KINDS.get(view.asked("of"))
    if kind is None or (
        kind in (CAMPAIGN, OPEN_CAMPAIGN) and view.frame.context.get("campaign_id")
    ):
        raise not_found()
    narrow = {
        name: view.asked(name).split(",")[:_MOST_VALUES]
        for name in kind.narrows
        if view.asked(name)
    }
    found = await find(view, kind, view.asked("q").strip(), narrow)
    return Shown("frame/choices.html", {"choices": found[:MOST], "has_more": len(found) > MOST})


SCREENS = (Screen("choices", "/choices", show, components=frozenset(Component), is_part=True),)
