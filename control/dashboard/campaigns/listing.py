"""The list of campaigns: search, filters and order in the address, and bulk actions."""

import asyncio
from typing import Any

from control.dashboard.campaigns import labels
from control.dashboard.campaigns.progress_rows import MAX_ROWS, progress_of, weeks_of
from control.dashboard.form_body import choices
from control.dashboard.onboarding.queries import SAMPLE
from control.dashboard.page import Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest, environment_shown, is_filtered
from control.dashboard.pager import pager_of
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import PROPERTY
from control.demand.campaigns import operations
from control.demand.campaigns.queries import wanted_campaigns

VERBS = ("pause", "resume", "archive")


async def show(view: PageRequest) -> Result:
    return await _page(view)


async def act(view: PageRequest) -> Result:
    """Shows what was refused for single campaigns; the others are changed."""
    ids = choices(view.form.get("ids", ())) or []
    verb = view.form_field("act")
    found = await view.call(operations.BULK, body={"action": verb, "ids": ids})
    refused = {one["id"]: one["error"]["message"] for one in found["data"] if not one["ok"]}
    if refused:
        return await _page(view, refused=refused, done=len(ids) - len(refused))
    return Redirected(
        view.url("campaign_list", **_parse_filters(view)), flash=f"campaigns_{verb}", undo=ids
    )


async def _page(
    view: PageRequest, *, refused: dict[str, str] | None = None, done: int = 0
) -> Result:
    query = _parse_filters(view)
    wanted = wanted_campaigns(
        view.caller, environment_shown(view), view.list_query(operations.LIST, query)
    )
    answer, sites = await asyncio.gather(
        view.call(operations.LIST, query={**query, "limit": MAX_ROWS}),
        offer(view, PROPERTY, "property_id", chosen=[query.get("property_id", "")]),
    )
    campaigns = answer["data"]
    query.pop("cursor", None)
    progress, weeks, pager = await asyncio.gather(
        progress_of(view, campaigns),
        weeks_of(view, [one["id"] for one in campaigns]),
        pager_of(view, operations.LIST, query, answer, wanted),
    )
    return Rendered(
        "campaigns/list.html",
        {
            "campaigns": campaigns,
            "params": query,
            "is_narrowed": is_filtered(query),
            "is_later": bool(view.query_param("cursor")),
            "pager": pager,
            "progress": progress,
            "weeks": weeks,
            "delivered": {
                one["id"]
                for one in campaigns
                if one["spend_cents"] or weeks is None or weeks[one["id"]].shown
            },
            "sites": sites,
            "labels": labels,
            "sample": SAMPLE,
            "refused": refused or {},
            "done": done,
        },
    )


def _parse_filters(view: PageRequest) -> dict[str, Any]:
    """The parameters of the address that the list supports."""
    return {name: value for name, value in view.list_params(operations.LIST).items() if value}
