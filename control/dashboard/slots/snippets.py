"""Code for a page, or for a command line, that requests an ad for a slot: with the real key, slot and addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson
from markupsafe import escape

from common.values.environment import Environment
from common.values.messages import Message
from control.dashboard.page_request import PageRequest
from control.dashboard.sdk import pin_element
from control.foundation.message_translation import Translate, translate_in
from control.inventory.api_keys import operations as keys

_OF_ELEMENT = frozenset({"banner", "html", "native", "audio", "video"})
"""Formats that the element supports; the picture of a mail is requested over HTTP."""
_PLAYED = frozenset({"video", "audio"})


@dataclass(frozen=True, slots=True)
class Snippets:
    """``element``: None where the slot takes no format that the element supports."""

    environment: Environment
    element: str | None
    fetch: str | None
    """Code for a page's own script; None where the slot takes mails alone, which run no scripts."""
    curl: str
    vast: str | None
    """The ad tag for video and audio players; None where the slot takes neither."""
    mail: str | None = None
    """A call that prepares mails; None where the slot takes no ads for mails."""
    stitch: str | None = None
    """A call that gets the ads of a break in audio content; None where the slot takes no audio ads."""


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
        element=_element(settings.control_url, edge_url, slot, shown, key) if shown else None,
        fetch=_fetch(
            f"{address}&{urlencode({'key': key})}", translate_in(view.user_locale.language)
        )
        if shown
        else None,
        curl=f"curl -i '{address}' -H 'X-Service-Key: {key}'",
        vast=_ad_tag(edge_url, slot, key) if _PLAYED.intersection(slot["formats"]) else None,
        mail=_mail(edge_url, slot) if "email" in slot["formats"] else None,
        stitch=_stitch(edge_url, slot) if "audio" in slot["formats"] else None,
    )


def _element(
    control_url: str, edge_url: str, slot: Mapping[str, Any], shown: Sequence[str], key: str
) -> str:
    """
    The style sheet reserves the space before the script runs; the slot's size is included if it has exactly one.
    ``format`` limits the request to one format, so a slot that takes several has none.
    """
    only = f' format="{shown[0]}"' if len(shown) == 1 else ""
    room = ""
    if len(slot["sizes"]) == 1:
        (size,) = slot["sizes"]
        room = f' width="{size["width"]}" height="{size["height"]}"'
    library = pin_element()
    return (
        f'<link rel="stylesheet" href="{escape(control_url)}/sdk/placard.css">\n'
        f'<script type="module" src="{escape(control_url)}{library.path}"\n'
        f'  integrity="{library.integrity}" crossorigin></script>\n'
        f'<service-ad publisher-key="{escape(key)}" slot-id="{escape(slot["key"])}"\n'
        f' {only}{room} edge-url="{escape(edge_url)}" lazy></service-ad>'
    )


def _ad_tag(edge_url: str, slot: Mapping[str, Any], key: str) -> str:
    """Players expect a document, also where there is no ad."""
    query = {"slot": slot["key"], "key": key, "output": "vast", "empty": "vast", "macros": "plain"}
    return f"{edge_url}/v1/serve?{urlencode(query)}"


def _mail(edge_url: str, slot: Mapping[str, Any]) -> str:
    body = {"slot": slot["key"], "send_id": "first", "recipients": [{"ref": "r1"}]}
    return _post(f"{edge_url}/v1/email/prepare", body)


def _stitch(edge_url: str, slot: Mapping[str, Any]) -> str:
    body = {"slot": slot["key"], "breaks": [{"id": "pre", "type": "pre"}], "output": "plan"}
    return _post(f"{edge_url}/v1/audio/stitch", body)


def _post(address: str, body: Mapping[str, Any]) -> str:
    """Secret keys are shown once, so the code names a variable for it."""
    return (
        f"curl -i '{address}' -H \"Authorization: Bearer $SECRET_KEY\" \\\n"
        f"  -H 'Content-Type: application/json' -d '{orjson.dumps(body).decode()}'"
    )


def _fetch(address: str, translate: Translate) -> str:
    """The comments are in the reader's language."""
    when_shown = translate(Message("when the ad is shown"))
    no_ad = translate(Message("204: there is no ad now, which is not an error"))
    return (
        f'const answer = await fetch("{address}");\n'
        "if (answer.status === 200) {\n"
        "  const ad = await answer.json(); // ad.html, ad.content, ad.click_url\n"
        f"  new Image().src = ad.impression_url; // {when_shown}\n"
        f"}} // {no_ad}"
    )
