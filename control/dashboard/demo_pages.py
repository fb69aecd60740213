"""
The demo of a running one-machine stack: a newspaper with an ad of each format, and the page that its ads lead to. The
sample ad of an account leads to that page too.

Scripts and styles are files of this host, and the policy forbids all others.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from babel.dates import format_date
from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.decision.no_fill_messages import MESSAGES
from common.http.client_address import peer_of
from common.http.responses import json_response
from common.http.router import READING
from common.values.enums import EventKind, Reason
from common.values.environment import Environment
from common.values.errors import not_found
from control.api.context import ControlContext
from control.dashboard.compression import compress_file
from control.dashboard.demo import DemoStack, find_demo
from control.dashboard.events.reasons import KINDS, REASONS
from control.dashboard.i18n import UserLocale, language_of, timezone_of
from control.dashboard.policy import origin_of
from control.dashboard.queries import currency_of, names_in
from control.dashboard.rendering import templates_of
from control.dashboard.sdk import ELEMENT, Sdk
from control.events.events_api.queries import list_newest_events
from control.foundation.amounts import format_amount
from control.foundation.message_translation import translate_in

_EVENTS_SHOWN: Final = 40
_CLICK_ID = re.compile(r"[0-9a-f-]{36}\.[\w-]{1,100}", re.ASCII)
_MICROS: Final = 1_000_000
"""Of one unit of a currency."""


def add_demo(app: Sanic[Any, Any], control: ControlContext, sdk: Sdk) -> None:
    state = control.settings.state

    async def paper(request: Request) -> HTTPResponse:
        """With ``environment=test``, its slots request test ads, whose decisions are all recorded."""
        stack = _demo_of(state)
        environment = _environment_of(request)
        edge_url, key = stack.edge_of(environment)
        user_locale = language_of(request)
        page = _render(
            user_locale,
            "demo/paper.html",
            key=key,
            environment=environment.value,
            reasons=_reasons_in(user_locale) if environment.is_test else {},
            today=format_date(
                control.clock.now().astimezone(timezone_of(request)),
                "full",
                locale=user_locale.locale,
            ),
            library=sdk.address(ELEMENT),
            styles=sdk.address("placard.css"),
        )
        policy = _demo_policy(edge_url, control.settings.assets_url)
        return compress_file(request, _html(page, policy))

    async def landing(request: Request) -> HTTPResponse:
        """The page that ads of the demo, and the sample ad, lead to, in place of an advertiser's own."""
        settings = control.settings
        is_test = _environment_of(request).is_test
        edge_url = settings.edge_test_url if is_test else settings.edge_live_url
        click_id = request.args.get("sa_click_id", "")
        pixel = f"{edge_url}/v1/conversions/{click_id}.gif?event_name=purchase"
        shown_id = click_id if _CLICK_ID.fullmatch(click_id) else ""
        page = _render(
            language_of(request),
            "demo/landing.html",
            click_id=shown_id,
            pixel=pixel,
            is_sample=request.args.get("ad") == "sample",
            has_demo=find_demo(state) is not None,
        )
        return _html(page, _landing_policy(origin_of(edge_url)))

    async def events(request: Request) -> HTTPResponse:
        if not _is_local(request):
            raise not_found()
        stack = _demo_of(state)
        async with control.database.tenant(stack.account_id) as session:
            found = await list_newest_events(
                session, stack.account_id, property_id=stack.property_id, limit=_EVENTS_SHOWN
            )
            ids = {one[name] for one in found for name in ("ad_id", "campaign_id", "slot_id")}
            names = await names_in(session, stack.account_id, ids)
            currency = await currency_of(session, stack.account_id)
        words = _EventWords(names, currency, language_of(request))
        rows = [words.row_of(one) for one in found]
        return json_response({"data": rows}, headers={"Cache-Control": "no-store"})

    app.add_route(paper, "/demo", methods=READING, name="page_demo")
    app.add_route(landing, "/demo/landing", methods=READING, name="page_demo_landing")
    app.add_route(events, "/demo/events", methods=READING, name="page_demo_events")


@dataclass(frozen=True, slots=True)
class _EventWords:
    """What the page shows of events, in words of the reader. ``names``: by id."""

    names: Mapping[str, str]
    currency: str
    user_locale: UserLocale

    def row_of(self, event: Mapping[str, Any]) -> dict[str, Any]:
        translate = translate_in(self.user_locale.language)
        reason = REASONS[Reason(event["reason"])]
        environment = Environment.TEST if event["is_test"] else Environment.LIVE
        return {
            "id": event["id"],
            "decision_id": event["decision_id"],
            "at_ms": int(datetime.fromisoformat(event["ts"]).timestamp() * 1000),
            "environment": environment.value,
            "kind": translate(KINDS[EventKind(event["kind"])]),
            "is_valid": event["valid"],
            "result": translate(reason.label),
            "explanation": translate(reason.text),
            "price": self._price_of(event),
            "url": f"/{environment.value}/events/{event['id']}?explain=yes#decision",
            **{
                name: self.names.get(event[f"{name}_id"], "") for name in ("ad", "campaign", "slot")
            },
        }

    def _price_of(self, event: Mapping[str, Any]) -> str:
        amount = Decimal(event["charged_micros"]) / _MICROS
        return format_amount(amount, self.currency, self.user_locale.locale, is_rounded=False)


def _reasons_in(user_locale: UserLocale) -> dict[str, str]:
    """The reasons of requests without an ad, which only responses to test keys name."""
    translate = translate_in(user_locale.language)
    return {reason.value: translate(words.text) for reason, words in MESSAGES.items()}


def _render(user_locale: UserLocale, template: str, **values: Any) -> str:
    page = templates_of(user_locale.language).get_template(template)
    return page.render(user_locale=user_locale, **values)


def _environment_of(request: Request) -> Environment:
    is_test = request.args.get("environment") == Environment.TEST
    return Environment.TEST if is_test else Environment.LIVE


def _is_local(request: Request) -> bool:
    """Whether the caller is on this machine, and no proxy forwards the request."""
    forwarded = request.headers.getall("x-forwarded-for", []) or request.headers.getall(
        "forwarded", []
    )
    peer = peer_of(request)
    return not forwarded and bool(peer) and ip_address(peer).is_loopback


def _demo_of(state: Path) -> DemoStack:
    stack = find_demo(state)
    if stack is None:
        raise not_found()
    return stack


def _html(page: str, policy: str) -> HTTPResponse:
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return HTTPResponse(page, headers=headers, content_type="text/html; charset=utf-8")


def _landing_policy(edge_url: str) -> str:
    """The conversion pixel is an image of the edge."""
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' {edge_url}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _demo_policy(edge_url: str, assets_url: str) -> str:
    """As strict as a publisher's policy may be: an html ad has a document of its own, at the edge."""
    assets = origin_of(assets_url)
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data: {assets}; "
        f"media-src 'self' https: {assets}; connect-src 'self' {edge_url}; frame-src {edge_url}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
