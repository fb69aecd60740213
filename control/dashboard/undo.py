"""Acts that a message offers to take back: the message's name, and the act that restores the former state."""

from collections.abc import Sequence
from dataclasses import dataclass

from common.values.ids import is_uuid
from control.dashboard.page_request import PageRequest

UNDO = "undo"
"""The parameter of an address with the ids of the changed objects."""
_MAX_IDS = 100

_OPPOSITES: dict[str, tuple[str, str]] = {
    "campaign_pause": ("campaign", "resume"),
    "campaign_resume": ("campaign", "pause"),
    "campaigns_pause": ("campaign_list", "resume"),
    "campaigns_resume": ("campaign_list", "pause"),
    "ads_pause": ("ad_list", "resume"),
    "ads_resume": ("ad_list", "pause"),
    "ad_paused": ("ad", "resume"),
    "slot_archived": ("slot", "bring_back"),
    "slot_active": ("slot", "archive"),
}
"""By message: the screen and its act. Archived campaigns, ads and files never return, so they are confirmed instead."""


@dataclass(frozen=True, slots=True)
class Undo:
    """``ids``: sent with the form of a list; a page of one object has its id in ``url``."""

    url: str
    act: str
    ids: Sequence[str]


def find_undo(view: PageRequest) -> Undo | None:
    """The form that takes back the act of the message in the address."""
    known = _OPPOSITES.get(view.query_param("flash"))
    ids = [one for one in view.query_param(UNDO).split(",")[:_MAX_IDS] if is_uuid(one)]
    if known is None or not ids or not view.page_exists(known[0]):
        return None
    screen, act = known
    if screen != view.screen.name:
        return None
    if screen.endswith("_list"):
        listed = view.screen.listed or view.screen.needs
        filters = view.list_params(listed) if listed else {}
        return Undo(view.url(screen, **filters), act, ids)
    return Undo(view.url(screen, **view.path), act, ())
