"""Chooses the first screen of an embedded window."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from common.values.environment import Environment
from control.dashboard.embed.window import PREFIX
from control.dashboard.embed_sessions.components import Component
from control.dashboard.page import PageRoute

FIRST = {
    Component.CAMPAIGN_CREATE: "campaign_create",
    Component.CAMPAIGN_EDIT: "campaign_edit",
    Component.CAMPAIGN_LIST: "campaign_list",
    Component.AD_CREATE: "ad_create",
    Component.REPORT_OVERVIEW: "report",
}
"""By the name of the screen."""
_PREFILLED = ("external_ref",)


def start_of(
    screens: Mapping[str, PageRoute],
    component: Component,
    environment: Environment,
    context: Mapping[str, Any],
) -> str:
    """
    The address inside the window.

    A campaign is put into the path if the path has a place for it. To edit without a named campaign, the window starts
    with the list.
    """
    campaign_id = context.get("campaign_id")
    if component is Component.CAMPAIGN_EDIT and campaign_id is None:
        component = Component.CAMPAIGN_LIST
    path = screens[FIRST[component]].path
    query = {name: context[name] for name in _PREFILLED if name in context}
    if campaign_id is not None:
        if "<id:str>" in path:
            path = path.replace("<id:str>", campaign_id)
        else:
            query["campaign_id"] = campaign_id
    requested = f"?{urlencode(query)}" if query else ""
    return f"{PREFIX}/{environment}{path}{requested}"
