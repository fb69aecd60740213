"""The endpoint of forecasts. All work is done before the transaction: in short reads, and in a process of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

from common.contract.validation_errors import refuse
from common.snapshot.model import Ad, Campaign
from common.values.clock import to_ms
from common.values.enums import AdStatus, CampaignStatus, Format, Pacing
from common.values.environment import Environment
from common.values.errors import Detail, Refused
from common.values.ids import new_id
from common.values.messages import Message
from common.values.money import micros_to_cents
from control.api.authorization import environment_of
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.demand.campaigns.create_draft import draft_of
from control.outbox.objects import campaign_of
from control.reporting.forecast import load_inputs, operations
from control.reporting.forecast.forecaster import Forecaster
from control.reporting.forecast.job import Forecast, ForecastInterval, Job
from control.reporting.forecast.schemas import (
    BasisPublic,
    ForecastAsked,
    ForecastPublic,
    ProposedAd,
    SpanPublic,
)
from control.storage.tables.campaigns import CampaignRow

_DEFAULT_PERIOD = timedelta(days=30)
_MAX_PERIOD = timedelta(days=92)


@asynccontextmanager
async def prepare(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    environment = environment_of(call, call.query.environment)
    body: ForecastAsked = call.body
    caller, database = call.principal, call.control.database
    async with database.tenant(caller.account_id) as session:
        row = await draft_of(session, caller, environment, body, call.now)
        period = _period(body, call.now)
        reach = load_inputs.Reach(row.account_id, row.property_ids, environment)
        traffic = await load_inputs.read_traffic(session, reach, call.now)
        records = await load_inputs.read_records(session, reach, call.now)
        pacings = await load_inputs.read_pacings(session, reach)
    async with database.service() as session:
        entries = await load_inputs.read_entries(session, reach)
    campaign = _proposed(row)
    job = Job(
        environment=environment,
        entries=entries,
        pacings=pacings,
        campaign=campaign,
        ads=[_ad(campaign, one) for one in body.ads or [ProposedAd(format=f) for f in Format]],
        pacing=Pacing(row.pacing),
        now_ms=to_ms(call.now),
        from_ms=to_ms(period[0]),
        until_ms=to_ms(period[1]),
        weeks=traffic.weeks,
        days=traffic.days,
        shown=traffic.shown,
        records=records,
    )
    found = await call.control.get(Forecaster).make(job) if records and traffic.weeks else None
    yield PreparedInput(_public(found, period, traffic, environment))


async def forecast_campaign(call: Call) -> Reply:
    found: ForecastPublic = call.prepared
    return Reply(found)


ENDPOINTS = (Endpoint(operations.FORECAST_CAMPAIGN, forecast_campaign, prepare=prepare),)


def _period(body: ForecastAsked, now: datetime) -> tuple[datetime, datetime]:
    """Raises 422."""
    begins = max(now, body.from_ or body.start_at or now)
    ends = body.to or body.end_at or begins + _DEFAULT_PERIOD
    if ends <= begins:
        raise _wrong(
            Message("The period ends before it begins, or is in the past. Set a later `to`.")
        )
    if ends - begins > _MAX_PERIOD and body.to is None:
        ends = begins + _MAX_PERIOD
    if ends - begins > _MAX_PERIOD:
        raise _wrong(
            Message("A period has at most 92 days. Set an earlier `to`, or a later `from`.")
        )
    return begins, ends


def _wrong(message: Message) -> Refused:
    return refuse([Detail("to", "period_invalid", message)])


def _proposed(row: CampaignRow) -> Campaign:
    """The campaign as edges would have it, once it is active."""
    row.status = CampaignStatus.ACTIVE.value
    found = campaign_of(row, spent_micros=0)
    if found is None:
        raise RuntimeError("an active campaign travels")
    return found


def _ad(campaign: Campaign, proposed: ProposedAd) -> Ad:
    return Ad(
        id=new_id(),
        campaign_id=campaign.id,
        environment=campaign.environment,
        name="",
        format=proposed.format,
        width=proposed.width,
        height=proposed.height,
        content="{}",
        categories=(),
        click_url=None,
        advertiser_domain=None,
        impression_trackers=(),
        click_trackers=(),
        weight=1,
        slot_ids=(),
        status=AdStatus.ACTIVE,
        requires=(),
    )


def _public(
    found: Forecast | None,
    period: tuple[datetime, datetime],
    traffic: load_inputs.Traffic,
    environment: Environment,
) -> ForecastPublic:
    basis = BasisPublic(
        requests=traffic.requests,
        hours=traffic.hours,
        decisions=0 if found is None else found.records,
        impressions_a_fill_percent=round(traffic.shown * 100, 1),
    )
    return ForecastPublic(
        from_at=period[0],
        to_at=period[1],
        insufficient_traffic=found is None,
        matched=None if found is None else _span(found.matched),
        booked=None if found is None else _span(found.booked),
        available=None if found is None else _span(found.available),
        contested=None if found is None else _span(found.contested),
        delivered=None if found is None else _span(found.delivered),
        spend_cents=None if found is None else _cents(found.spend_micros),
        limited_by=None if found is None else found.limited_by,
        basis=basis,
        is_test=environment.is_test,
    )


def _span(span: ForecastInterval) -> SpanPublic:
    return SpanPublic(low=span.low, likely=span.likely, high=span.high)


def _cents(span: ForecastInterval) -> SpanPublic:
    return SpanPublic(
        low=micros_to_cents(span.low),
        likely=micros_to_cents(span.likely),
        high=micros_to_cents(span.high),
    )
