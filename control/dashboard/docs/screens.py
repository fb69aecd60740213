"""
The pages of ``/docs`` for people: guides, the search, the changelog, the status.

They are screens, unlike the reference, because they show the reader's own test key and are framed in the reader's
language.
"""

from dataclasses import replace
from typing import Any

from common.contract.operation import Operation
from common.values.environment import Environment
from common.values.errors import Unavailable, not_found
from control.api.health import check_ready
from control.dashboard.docs import guides
from control.dashboard.docs.asset_files import ASSET_PATHS
from control.dashboard.docs.finder import find
from control.dashboard.page import PageRoute, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.delivery.edge_status.queries import list_living
from control.inventory.api_keys import operations as keys

_MAX_QUERY_CHARS = 100


async def show_list(view: PageRequest) -> Result:
    return _page(view, "docs/guides.html")


async def show_guide(view: PageRequest) -> Result:
    listed = guides.list_guides(view.user_locale.language)
    by_name = {guide.name: place for place, guide in enumerate(listed)}
    place = by_name.get(view.path["name"])
    if place is None:
        raise not_found()
    key = await _find_test_key(view)
    settings = view.control.settings
    values = {
        guides.TEST_KEY: key or guides.TEST_KEY,
        guides.EDGE_TEST: settings.edge_test_url,
        guides.EDGE_LIVE: settings.edge_live_url,
        guides.CONTROL: settings.control_url,
    }
    return _page(
        view,
        "docs/guide.html",
        guide=listed[place],
        html=guides.guide_html(listed[place], _operations_of(view), values),
        has_own_key=key is not None,
        shows_key=guides.TEST_KEY in listed[place].source,
        previous=listed[place - 1] if place else None,
        next=listed[place + 1] if place + 1 < len(listed) else None,
    )


async def show_search(view: PageRequest) -> Result:
    query = view.query_param("q").strip()[:_MAX_QUERY_CHARS]
    hits = find(_operations_of(view), query, view.user_locale.language)
    return _page(view, "docs/search.html", query=query, hits=hits)


async def show_changelog(view: PageRequest) -> Result:
    return _changelog_page(view, guides.list_changelog()[0])


async def show_changelog_part(view: PageRequest) -> Result:
    part = next((one for one in guides.list_changelog() if one.name == view.path["name"]), None)
    if part is None:
        raise not_found()
    return _changelog_page(view, part)


async def show_status(view: PageRequest) -> Result:
    """503 where ``/readyz`` responds so; then the state of edges, which is in the database, is None."""
    try:
        await check_ready(view.control)
    except Unavailable:
        return replace(_page(view, "docs/status.html", reporting=None), status=503)
    async with view.control.database.service() as session:
        living = await list_living(session, view.now)
    reporting = {one: any(row.environment == one for row in living) for one in Environment}
    return _page(view, "docs/status.html", reporting=reporting)


def _changelog_page(view: PageRequest, part: guides.ChangelogPart) -> Rendered:
    return _page(view, "docs/changelog.html", part=part, parts=guides.list_changelog())


def _page(view: PageRequest, template: str, **values: Any) -> Rendered:
    listed = guides.list_guides(view.user_locale.language)
    return Rendered(template, {"guides": listed, "asset": ASSET_PATHS, "query": "", **values})


def _operations_of(view: PageRequest) -> tuple[Operation, ...]:
    return tuple(endpoint.operation for endpoint in view.surface.endpoints.values())


async def _find_test_key(view: PageRequest) -> str | None:
    """The text of the newest publishable test key of the reader's account, where there is one that they may see."""
    if not view.can(keys.LIST_SDK.id):
        return None
    wanted = {"environment": "test", "kind": "publishable", "status": "active", "limit": 1}
    found = (await view.call(keys.LIST_SDK, query=wanted))["data"]
    return str(found[0]["key"]) if found and found[0]["key"] else None


SCREENS = (
    PageRoute("status", "/docs/status", show_status, of_environment=False, is_public=True),
    PageRoute("guides", "/docs/guides", show_list, of_environment=False, is_public=True),
    PageRoute("guide", "/docs/guides/<name:str>", show_guide, of_environment=False, is_public=True),
    PageRoute("docs_search", "/docs/search", show_search, of_environment=False, is_public=True),
    PageRoute("changelog", "/docs/changelog", show_changelog, of_environment=False, is_public=True),
    PageRoute(
        "changelog_part",
        "/docs/changelog/<name:str>",
        show_changelog_part,
        of_environment=False,
        is_public=True,
    ),
)
