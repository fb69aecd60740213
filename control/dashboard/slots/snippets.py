"""Code for a page, or for a command line, that requests an ad for a slot: with the real key, slot and addresses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from markupsafe import escape

from common.values.environment import Environment
from control.dashboard.page_request import PageRequest
from control.dashboard.sdk import pin_element
from control.inventory.api_keys import operations as keys

_OF_ELEMENT = frozenset({"banner", "html", "native", "audio", "video"})
"""Formats that the element supports; the picture of a mail is requested over HTTP."""


@dataclass(frozen=True, slots=True)
class Snippets:
    """``element``: None where the slot takes no format that the element supports."""

    environment: Environment
    element: str | None
    fetch: str
    curl: str


async def find_publishable_key(view: PageRequest, property_id: str) -> dict[str, Any] | None:
    """The newest that works in the view's environment; None also for a user who may not see keys."""
    if not view.can(keys.LIST_SDK.id):
        return None
    query = {"property_id": property_id, "kind": "publishable", "status": "active", "limit": 1}
    page = await view.call(keys.LIST_SDK, query=query)
    return next(iter(page["data"]), None)


def snippets_of(view: PageRequest, slot: Mapping[str, Any], key: str) -> Snippets:
    """*slot* as the API shows it, *key* the text of a publishable key of the view's environment."""
    settings = view.control.settings
    environment = view.environment or Environment.LIVE
    edge_url = settings.edge_test_url if environment.is_test else settings.edge_live_url
    shown = [one for one in slot["formats"] if one in _OF_ELEMENT]
    address = f"{edge_url}/v1/serve?{urlencode({'slot': slot['key']})}"
    return Snippets(
        environment=environment,
        element=_element(settings.control_url, edge_url, slot, shown[0], key) if shown else None,
        fetch=_fetch(f"{edge_url}/v1/serve?{urlencode({'slot': slot['key'], 'key': key})}"),
        curl=f"curl -i '{address}' -H 'X-Service-Key: {key}'",
    )


def _element(control_url: str, edge_url: str, slot: Mapping[str, Any], shown: str, key: str) -> str:
    """Includes the slot's size if it has exactly one, which reserves the space."""
    room = ""
    if len(slot["sizes"]) == 1:
        (size,) = slot["sizes"]
        room = f' width="{size["width"]}" height="{size["height"]}"'
    library = pin_element()
    return (
        f'<script type="module" src="{escape(control_url)}{library.path}"\n'
        f'  integrity="{library.integrity}" crossorigin></script>\n'
        f'<service-ad publisher-key="{escape(key)}" slot-id="{escape(slot["key"])}"\n'
        f'  format="{shown}"{room} edge-url="{escape(edge_url)}" lazy></service-ad>'
    )


def _fetch(address: str) -> str:
    return (
        f'const answer = await fetch("{address}");\n'
        "if (answer.status === 200) {\n"
        "  const ad = await answer.json(); // ad.html, ad.content, ad.click_url\n"
        "  new Image().src = ad.impression_url; // when it is shown\n"
        "} // 204: no ad now, which is no error"
    )
