"""Single events as they arrive, and why each counts or does not."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from common.values.clock import to_iso
from common.values.enums import EventKind, Reason
from common.values.environment import Environment
from control.dashboard.events.decision import read_decision
from control.dashboard.events.live_tail import SHOWN, follow, names_in, start_of
from control.dashboard.events.params import SPANS, VALIDITY, EventParams, parse_params
from control.dashboard.events.reasons import KINDS, REASONS
from control.dashboard.page import PageRoute, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import PROPERTY
from control.dashboard.queries import read_names
from control.dashboard.reports import export_pages
from control.dashboard.reports.filters import Filter, FilterValue
from control.dashboard.reports.values import translate, value_label
from control.events.events_api import endpoints
from control.events.events_api.stored_events import get_event, list_older
from control.reporting.exports import operations as exports
from control.reporting.reports.vocabulary import Dimension

_YES = "yes"


async def show_tail(view: PageRequest) -> Result:
    params = parse_params(view)
    start = await start_of(view, params) if params.is_live else ""
    events, sites = await asyncio.gather(
        _read(view, params), offer(view, PROPERTY, "property_id", chosen=params.property_ids)
    )
    has_more, events = len(events) > SHOWN, events[:SHOWN]
    has_sites = len(sites.choices) > 1
    stream = view.url(
        "event_stream", **params.query, sites="many" if has_sites else "", after=start
    )
    older = view.url("event_tail", before=events[-1]["id"], **params.query) if has_more else ""
    return Rendered(
        "events/tail.html",
        {
            "params": params,
            "filters": await _filters(view, params),
            "events": events,
            "names": await names_in(view, events),
            "older": older,
            "sites": sites,
            "has_sites": has_sites,
            "stream": stream if params.is_live else "",
            "kinds": KINDS,
            "reasons": REASONS,
            "spans": {name: label for name, (label, _) in SPANS.items()},
            "validity": VALIDITY,
            "may_export": view.can(exports.CREATE.id),
        },
    )


async def show_event(view: PageRequest) -> Result:
    environment = view.environment or Environment.LIVE
    async with view.control.database.tenant(view.caller.account_id) as session:
        whole = await get_event(session, view.caller, environment, view.path["id"])
    event = whole.public
    wants_decision = view.query_param("explain") == _YES
    decision = await read_decision(view, whole.decision_id) if wants_decision else None
    return Rendered(
        "events/event.html",
        {
            "event": event,
            "whole": whole,
            "decided_at": to_iso(whole.decided_at),
            "names": await names_in(view, [event]),
            "kind": KINDS[EventKind(event["kind"])],
            "words": REASONS[Reason(event["reason"])],
            "live_words": None
            if event["live_reason"] is None
            else REASONS[Reason(event["live_reason"])],
            "caller": _caller(view, whole.country, whole.device, event, whole.format),
            "decision": decision,
            "ad_names": await read_names(view, decision.ad_ids) if decision else {},
            "wants_decision": wants_decision,
        },
    )


async def export(view: PageRequest) -> Result:
    """Exports the events that match the filters, up to now."""
    params = parse_params(view)
    question: dict[str, Any] = {
        "kind": "events",
        "from": to_iso(params.since),
        "to": to_iso(view.now.replace(microsecond=0)),
    }
    if params.kinds:
        question["event"] = params.kinds
    if params.valid:
        question["valid"] = params.valid == "true"
    if params.property_ids:
        question["property_id"] = params.property_ids
    return await export_pages.start(view, question)


async def _filters(view: PageRequest, params: EventParams) -> Sequence[Filter]:
    """Those of several values, each with the address of the page without it."""
    kinds = {one: translate(view, KINDS[EventKind(one)]) for one in params.kinds}
    names = await read_names(view, params.property_ids)
    sites = {one: names.get(one) or f"…{one[-6:]}" for one in params.property_ids}
    return [
        Filter(
            name,
            label,
            [
                FilterValue(one, words, view.url("event_tail", **params.without(one).query))
                for one, words in chosen.items()
            ],
        )
        for name, label, chosen in (("kind", "Kind", kinds), ("property_id", "Property", sites))
        if chosen
    ]


async def _read(view: PageRequest, params: EventParams) -> Sequence[dict[str, Any]]:
    """One more than is shown, if there are more."""
    limit = SHOWN if params.before else SHOWN + 1
    page = await view.call(
        endpoints.LIST_EVENTS, query={**params.api_query, "limit": 1 if params.before else limit}
    )  # before an older page this call only validates the filters
    if not params.before:
        found: Sequence[dict[str, Any]] = page["data"]
        return found
    async with view.control.database.tenant(view.caller.account_id) as session:
        return await list_older(session, view.caller, params.filters(view), params.before, limit)


def _caller(
    view: PageRequest, country: str | None, device: str | None, event: Mapping[str, Any], form: str
) -> Mapping[str, str]:
    known = (
        ("Country", Dimension.COUNTRY, country),
        ("Device", Dimension.DEVICE, device),
        ("Surface", Dimension.SURFACE, event["surface"]),
        ("Format", Dimension.FORMAT, form),
        ("Source", Dimension.SOURCE, event["source"]),
    )
    return {label: value_label(view, each, value) for label, each, value in known if value}


SCREENS = (
    PageRoute("event_tail", "/events", show_tail, {"export": export}, needs=endpoints.LIST_EVENTS),
    PageRoute("event_stream", "/events/stream", follow, needs=endpoints.LIST_EVENTS, is_part=True),
    PageRoute("event", "/events/<id:str>", show_event, needs=endpoints.LIST_EVENTS),
)
