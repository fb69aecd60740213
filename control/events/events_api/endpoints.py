"""Endpoints that a customer's own system polls: the events feed and the summary of a property."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.api.call import Call, Endpoint, Reply
from control.events.events_api.feed import check_properties, read_page
from control.events.events_api.schemas import EventPublic, EventsQuery, StatusPublic, StatusQuery
from control.events.events_api.status import read_status
from control.foundation.openapi_examples import AD_ID, CAMPAIGN_ID, KEY_ID, PROPERTY_ID, SLOT_ID

_NEEDS = {
    Auth.ACCESS_TOKEN: Permission.EVENT_READ,
    Auth.INTEGRATION_KEY: Permission.REPORTS_READ,
}
_EVENT = {
    "id": "019c7a1e-5b3e-8c10-9a53-0d7f4c1f3a10",
    "kind": "impression",
    "ts": "2026-02-20T12:00:01.250Z",
    "ad_id": AD_ID,
    "campaign_id": CAMPAIGN_ID,
    "slot_id": SLOT_ID,
    "property_id": PROPERTY_ID,
    "source": "auction",
    "surface": "web",
    "is_test": False,
    "valid": True,
    "reason": "ok",
    "live_reason": None,
    "ivt_class": "none",
    "value_cents": None,
    "currency": None,
    "order_id": None,
    "attribution": None,
    "event_name": None,
    "corrects": None,
}
_PAGE = {"data": [_EVENT], "has_more": False, "next_cursor": "m1Zl0b9Q2nqz6T4bqJx3Sls4MTIsIjAx"}
_STATUS = {
    "property_id": PROPERTY_ID,
    "environment": "live",
    "key": {"id": KEY_ID, "kind": "integration", "last4": "x7Qa"},
    "verified": True,
    "account_status": "active",
    "last_impression_at": "2026-02-20T12:00:01.250Z",
    "last_click_at": "2026-02-20T11:58:40.003Z",
    "last_conversion_at": None,
    "counts_24h": {"impressions": 10412, "clicks": 97, "conversions": 0, "invalid": 31},
    "conversions_24h": {
        "click_through": 0,
        "view_through": 0,
        "in_session": 0,
        "waiting": 0,
        "unattributed": 1,
        "repeated": 0,
    },
    "fill_rate_24h": 0.9312,
    "snapshot": {"version": 812, "age_seconds": 40.2},
    "events_lag_seconds": 0.4,
}

LIST_EVENTS = Operation(
    id="listEvents",
    method="GET",
    path="/v1/integration/events",
    tag="Integration",
    summary="Read the events feed",
    description=(
        "Without a cursor, returns the newest events, newest first. With a cursor, returns the events stored after "
        "it, oldest first, each event exactly once; keep `next_cursor` and poll again, also after an empty page. A "
        "cursor is valid only with the filters it was created with. Events are kept for 90 days."
    ),
    auth=(Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY),
    needs=_NEEDS,
    query=EventsQuery,
    answers=(Answer(200, "A page of events.", Page[EventPublic], example=_PAGE),),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.CURSOR_EXPIRED),
)

GET_STATUS = Operation(
    id="getStatus",
    method="GET",
    path="/v1/integration/status",
    tag="Integration",
    summary="Read the integration status",
    description=(
        "The latest events of a property, its counts of the last day, and the freshness of the snapshot and the "
        "feed."
    ),
    auth=(Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY, Auth.SECRET_KEY),
    needs=_NEEDS,
    query=StatusQuery,
    answers=(Answer(200, "The integration status.", StatusPublic, example=_STATUS),),
    errors=(ErrorCode.NOT_FOUND,),
)


async def list_events(call: Call) -> Reply:
    await check_properties(call)
    return Reply(await read_page(call))


async def get_status(call: Call) -> Reply:
    return Reply(await read_status(call))


ENDPOINTS = (Endpoint(LIST_EVENTS, list_events), Endpoint(GET_STATUS, get_status))
