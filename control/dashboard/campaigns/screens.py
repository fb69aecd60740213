"""Campaigns: the list, the form, the import, a campaign's page."""

from control.dashboard.campaigns import campaign_page, editing, importing, listing
from control.dashboard.embed_sessions.components import Component
from control.dashboard.page import PageRoute
from control.demand.campaigns import operations

_LOOKING = frozenset({Component.CAMPAIGN_LIST, Component.CAMPAIGN_EDIT})
"""A window that is to edit a campaign without naming one starts with the list."""
_AS_TYPED = {"more": editing.more_rows, "format": editing.show_format}

SCREENS = (
    PageRoute(
        "campaign_list",
        "/campaigns",
        listing.show,
        dict.fromkeys(listing.VERBS, listing.act),
        components=_LOOKING,
        needs=operations.LIST,
    ),
    PageRoute(
        "campaign_create",
        "/campaigns/new",
        editing.show_new,
        {"": editing.create, "launch": editing.create_and_launch, **_AS_TYPED},
        components=frozenset({Component.CAMPAIGN_CREATE}),
        needs=operations.CREATE,
    ),
    PageRoute(
        "campaign_import",
        "/campaigns/import",
        importing.show,
        {"": importing.run},
        needs=operations.CREATE,
    ),
    PageRoute(
        "campaign",
        "/campaigns/<id:str>",
        campaign_page.show,
        campaign_page.ACTS,
        components=_LOOKING,
        needs=operations.GET,
    ),
    PageRoute(
        "campaign_edit",
        "/campaigns/<id:str>/edit",
        editing.show_edit,
        {"": editing.save, "launch": editing.save_and_launch, **_AS_TYPED},
        components=frozenset({Component.CAMPAIGN_EDIT}),
        needs=operations.PATCH,
    ),
)
