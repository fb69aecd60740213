"""The endpoints of reports: requests, impressions and spend, grouped as requested, or by the hours of a week."""

from dataclasses import replace
from typing import Any

from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.clock import to_iso
from common.values.errors import ErrorCode, invalid
from common.values.messages import Message
from control.api.authorization import environment_of
from control.api.call import Call, Endpoint, Reply
from control.foundation.openapi_examples import CAMPAIGN_ID
from control.inventory.properties.queries import get_currency
from control.reporting.reports.filter_validation import check_named, zone_of
from control.reporting.reports.queries import TooManyRows, read_hours, read_report
from control.reporting.reports.report_query import Report, ReportScope, ReportSpec
from control.reporting.reports.rules import order_of, question_of
from control.reporting.reports.schemas import (
    HoursPublic,
    HoursQuery,
    ReportPublic,
    ReportQuery,
)

MAX_ROWS = 10_000
_CALLERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_ROW = {
    "period": "2026-02-20T03:00:00.000Z",
    "campaign_id": CAMPAIGN_ID,
    "campaign_name": "Spring launch",
    "impressions": 10412,
    "clicks": 97,
    "ctr": 0.009316,
    "spend_cents": 2603,
}
_EXAMPLE = {
    "data": [_ROW],
    "totals": {"impressions": 10412, "clicks": 97, "ctr": 0.009316, "spend_cents": 2603},
    "as_of": "2026-02-21T12:00:01.250Z",
    "complete_through": "2026-02-21T12:00:00.500Z",
    "from_at": "2026-02-20T03:00:00.000Z",
    "to_at": "2026-02-21T03:00:00.000Z",
    "tz": "America/Sao_Paulo",
    "currency": "BRL",
}
_HOURS_EXAMPLE = _EXAMPLE | {
    "data": [
        {
            "weekday": 5,
            "hour": 20,
            "impressions": 10412,
            "clicks": 97,
            "ctr": 0.009316,
            "spend_cents": 2603,
        }
    ]
}

GET_DELIVERY_REPORT = Operation(
    id="getDeliveryReport",
    method="GET",
    path="/v1/reports/delivery",
    tag="Reports",
    summary="Read a delivery report",
    description=(
        "Metrics of one environment over a range of hours, split by period and by any of ten dimensions. A key sees "
        "its own property only. Figures are exact: except for rounding, rows add up to the totals, to the events feed "
        "and to the ledger. The range is at most 31 days by hour, 400 days by day, otherwise 800 days. A report has at "
        f"most {MAX_ROWS:,} rows."
    ),
    auth=_CALLERS,
    needs=dict.fromkeys(_CALLERS, Permission.REPORTS_READ),
    query=ReportQuery,
    answers=(Answer(200, "The report.", ReportPublic, example=_EXAMPLE),),
    errors=(ErrorCode.NOT_FOUND,),
)


GET_HOURS_REPORT = Operation(
    id="getHoursReport",
    method="GET",
    path="/v1/reports/hours",
    tag="Reports",
    summary="Read a report by hour of the week",
    description=(
        "Metrics of one environment, added up for each hour of a week in one time zone, over at most 31 days. A key "
        "sees its own property only. Figures are as exact as those of a delivery report."
    ),
    auth=_CALLERS,
    needs=dict.fromkeys(_CALLERS, Permission.REPORTS_READ),
    query=HoursQuery,
    answers=(Answer(200, "The report.", HoursPublic, example=_HOURS_EXAMPLE),),
    errors=(ErrorCode.NOT_FOUND,),
)


async def get_delivery_report(call: Call) -> Reply:
    query: ReportQuery = call.query
    session, principal = call.session, call.principal
    environment = environment_of(call, query.environment)
    zone = await zone_of(session, principal, query)
    question = question_of(query, zone, call.now)
    order = order_of(query.sort, question) if query.sort else None
    question = replace(question, order=order, most=query.limit)
    await check_named(session, principal, environment, query)
    scope = ReportScope(principal.account_id, environment, principal.property_id)
    try:
        report = await read_report(
            session, scope, question, store=call.control.report_store, max_rows=MAX_ROWS
        )
    except TooManyRows:
        raise invalid("group_by", "too_many_rows", _TOO_MANY) from None
    return Reply(_wire(question, report, await get_currency(session, principal.account_id)))


async def get_hours_report(call: Call) -> Reply:
    query: HoursQuery = call.query
    session, principal = call.session, call.principal
    environment = environment_of(call, query.environment)
    fields = query.fields()
    question = question_of(fields, await zone_of(session, principal, fields), call.now)
    await check_named(session, principal, environment, fields)
    scope = ReportScope(principal.account_id, environment, principal.property_id)
    report = await read_hours(session, scope, question, store=call.control.report_store)
    return Reply(_wire(question, report, await get_currency(session, principal.account_id)))


def _wire(question: ReportSpec, report: Report, currency: str) -> dict[str, Any]:
    columns = report.columns
    if "period" in columns:
        written = {at: to_iso(at) for at in set(columns["period"])}
        columns = columns | {"period": [written[at] for at in columns["period"]]}
    return {
        "data": replace(report, columns=columns).rows,
        "totals": report.totals,
        "as_of": report.as_of and to_iso(report.as_of),
        "complete_through": report.complete_through and to_iso(report.complete_through),
        "from_at": to_iso(question.from_at),
        "to_at": to_iso(question.to_at),
        "tz": question.timezone,
        "currency": currency,
    }


_TOO_MANY = Message(
    "The report has more than {max_rows:,} rows. Group by fewer dimensions, add filters, "
    "or choose a shorter range.",
    max_rows=MAX_ROWS,
)

ENDPOINTS = (
    Endpoint(GET_DELIVERY_REPORT, get_delivery_report, is_steady=True),
    Endpoint(GET_HOURS_REPORT, get_hours_report, is_steady=True),
)
