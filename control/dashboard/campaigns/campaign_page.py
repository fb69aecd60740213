"""A campaign's page: its delivery, why it does not deliver, its terms, and its actions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import orjson
from markupsafe import escape

from common.values.messages import Message
from control.dashboard.ads.messages import FORMATS
from control.dashboard.ads.pictures import posters_of_ads
from control.dashboard.campaigns import forecasting, labels
from control.dashboard.campaigns.actions import MAX_ADS, OPERATIONS, is_reviewed, launch, move
from control.dashboard.campaigns.chart import HEIGHT, WIDTH, Chart, ForecastBand, chart_of
from control.dashboard.campaigns.delivery_messages import missed_reason, reason_of
from control.dashboard.campaigns.explain_panel import (
    MINUTES,
    ExplainedDecision,
    RecentDecisions,
    RefusedQuestion,
    explained_of,
    recent_of,
)
from control.dashboard.campaigns.form_fields import fields_of, read_form
from control.dashboard.campaigns.get_campaign import get_campaign
from control.dashboard.campaigns.progress_rows import plans_of, weeks_of
from control.dashboard.campaigns.property_names import ObjectNames
from control.dashboard.campaigns.summary_text import complete_terms, words_for
from control.dashboard.onboarding.going_live import may_go_live
from control.dashboard.onboarding.queries import SAMPLE
from control.dashboard.page import Handler, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import PROPERTY, SLOT, labels_of
from control.dashboard.targeting.controls import QUESTIONS
from control.dashboard.targeting.messages import complete_targeting, slots_named
from control.demand.ads import operations as ads
from control.demand.campaigns import operations
from control.reporting.reports.endpoints import GET_DELIVERY_REPORT

_DAYS = 31
_WANTS_CONVERSIONS = frozenset({"leads", "conversions", "app_promotion"})


async def show(view: PageRequest) -> Result:
    campaign = await get_campaign(view, view.path["id"])
    delivery = await view.call(operations.GET_DELIVERY, path={"id": campaign["id"]})
    why = delivery["delivery_reason"]
    own_ads = await _ads(view, campaign)
    recent, explained = await recent_of(view, campaign), await explained_of(view, campaign)
    places = await _places(view, campaign, recent, explained)
    names = {one["id"]: one["name"] for one in own_ads["data"]} if own_ads else {}
    forecast = await _forecast(view, campaign)
    return Rendered(
        "campaigns/campaign.html",
        {
            "campaign": campaign,
            "delivery": delivery,
            "chip_words": labels.chip_of(
                campaign["status"],
                campaign["delivery_status"],
                has_delivered=delivery["impressions"] > 0,
            ),
            "ads": own_ads,
            "formats": FORMATS,
            "posters": await posters_of_ads(view, own_ads["data"] if own_ads else []),
            "ad_name": lambda ad_id: names.get(ad_id, ad_id),
            "chart": await _chart(view, campaign, delivery, forecast),
            "weeks": await weeks_of(view, [one["id"] for one in own_ads["data"]], "ad")
            if own_ads
            else None,
            "box": (WIDTH, HEIGHT),
            "why": reason_of(Message.from_json(why)) if why else None,
            "no_serve": [
                (one["share"], missed_reason(one["reason"], has_active_ad=_has_active_ad(own_ads)))
                for one in delivery["top_no_serve_reasons"]
            ],
            "recent": recent,
            "minutes": MINUTES,
            "explained": explained,
            "can_forecast": forecasting.is_offered(view),
            "forecast": forecast,
            "forecast_words": forecasting,
            "slots": await offer(
                view,
                SLOT,
                "slot",
                chosen=[view.query_param("slot")],
                narrow={"property_id": campaign["property_ids"]},
            ),
            "questions": QUESTIONS,
            "places": places,
            "sample": SAMPLE,
            "terms_of": complete_terms(campaign),
            "targeting_of": complete_targeting(campaign["targeting"]),
            "conversions": _conversion_snippets(view, campaign),
            "verbs": _verbs(view, campaign),
            "can_launch": _can_launch(view, own_ads),
            "goes_live": campaign["status"] == "active" and await may_go_live(view),
            "waits_for_review": is_reviewed(view, campaign),
            **words_for(view, places.slots),
        },
    )


async def _places(
    view: PageRequest,
    campaign: Mapping[str, Any],
    recent: RecentDecisions | None,
    explained: ExplainedDecision | RefusedQuestion | None,
) -> ObjectNames:
    """The names of all objects on the page."""
    slots = [one["slot_id"] for one in recent.listed] if recent else []
    if isinstance(explained, ExplainedDecision):
        slots.append(explained.slot_id)
    slots += slots_named(campaign["targeting"])
    return ObjectNames(
        await labels_of(view, PROPERTY, campaign["property_ids"]),
        await labels_of(view, SLOT, slots),
    )


@dataclass(frozen=True, slots=True)
class ConversionSnippets:
    """``is_wanted``: the campaign pays for conversions, or aims at them."""

    is_wanted: bool
    server: str
    pixel: str


def _conversion_snippets(
    view: PageRequest, campaign: Mapping[str, Any]
) -> ConversionSnippets | None:
    """None for an archived campaign: every other one can have conversions."""
    if campaign["status"] == "archived":
        return None
    goal = campaign["goal"]
    aims = campaign["objective"] in _WANTS_CONVERSIONS or (goal and goal["kind"] == "conversions")
    settings = view.control.settings
    edge_url = settings.edge_test_url if campaign["is_test"] else settings.edge_live_url
    event = next(iter(campaign["attribution"]["conversion_events"]), "purchase")
    body = {"click_id": "CLICK_ID", "event_name": event, "order_id": "ORDER_ID"}
    return ConversionSnippets(
        is_wanted=bool(aims or campaign["pricing_model"] == "cpa"),
        server=(
            f"curl -i '{edge_url}/v1/conversions' -H \"Authorization: Bearer $SECRET_KEY\" \\\n"
            f"  -H 'Content-Type: application/json' -d '{orjson.dumps(body).decode()}'"
        ),
        pixel=(
            f'<img src="{escape(edge_url)}/v1/conversions/CLICK_ID.gif?{escape(urlencode({"event_name": event}))}" '
            'width="1" height="1" alt="">'
        ),
    )


def _verbs(view: PageRequest, campaign: Mapping[str, Any]) -> list[str]:
    """The actions that its status and the user's permissions allow."""
    possible = {
        "draft": ("activate", "archive"),
        "pending_review": ("approve", "reject", "archive"),
        "active": ("pause", "archive"),
        "paused": ("resume", "archive"),
        "completed": ("archive",),
        "rejected": ("archive",),
    }
    return [verb for verb in possible.get(campaign["status"], ()) if view.can(f"{verb}Campaign")]


async def _ads(view: PageRequest, campaign: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first of its ads; None for a user who may see none."""
    if not view.can(ads.LIST.id):
        return None
    query = {"campaign_id": campaign["id"], "limit": MAX_ADS}
    found: Mapping[str, Any] = await view.call(ads.LIST, query=query)
    return found


def _can_launch(view: PageRequest, own_ads: Mapping[str, Any] | None) -> bool:
    """Whether all that its ads lack is to be activated with it."""
    if own_ads is None or _has_active_ad(own_ads) or not view.can(ads.ACTIVATE.id):
        return False
    return any(ad["status"] == "draft" for ad in own_ads["data"])


def _has_active_ad(own_ads: Mapping[str, Any] | None) -> bool:
    return own_ads is not None and any(ad["status"] == "active" for ad in own_ads["data"])


async def _forecast(
    view: PageRequest, campaign: Mapping[str, Any]
) -> Mapping[str, Any] | str | None:
    """None unless it is requested. A page that refreshes its parts makes no new one: it takes seconds."""
    is_requested = view.query_param("forecast") and not view.is_refresh
    if not (is_requested and forecasting.is_offered(view)):
        return None
    locale = view.user_locale.locale
    body, _ = read_form(fields_of(campaign, locale), locale)
    return await forecasting.forecast_of(view, body)


async def _chart(
    view: PageRequest,
    campaign: Mapping[str, Any],
    delivery: Mapping[str, Any],
    forecast: Mapping[str, Any] | str | None,
) -> Chart | None:
    """The flight so far, at most a month; None for a user who may see no reports."""
    if not view.can(GET_DELIVERY_REPORT.id):
        return None
    begun = datetime.fromisoformat(campaign["start_at"] or campaign["created_at"])
    end = datetime.fromisoformat(campaign["end_at"]) if campaign["end_at"] else view.now
    until = max(min(view.now, end), min(begun, view.now))
    first = max(min(begun, view.now), until - timedelta(days=_DAYS - 1))
    start = first.replace(hour=0, minute=0, second=0, microsecond=0)
    query = {
        "from": start.date().isoformat(),
        "to": (until.date() + timedelta(days=1)).isoformat(),
        "granularity": "day",
        "metrics": "impressions,clicks,conversions,spend_cents",
        "tz": "UTC",
        "campaign_id": campaign["id"],
    }
    report = await view.call(GET_DELIVERY_REPORT, query=query)
    goal, total = campaign["goal"], campaign["budget"]["total_cents"]
    own_plan = (await plans_of(view, [campaign["id"]]))[campaign["id"]]

    def plan(at: datetime) -> float | None:
        percent = own_plan.progress_at(at).expected_percent
        return None if percent is None else percent / 100

    measure = goal["kind"] if goal else "spend_cents" if total else None
    whole = goal["total"] if goal else total
    return chart_of(
        report["data"],
        start,
        until,
        measure=measure,
        done=delivery[goal["kind"]] if goal else delivery["spend_cents"],
        total=whole,
        plan=plan,
        forecast_band=_forecast_band(forecast, measure, whole),
    )


def _forecast_band(
    forecast: Mapping[str, Any] | str | None, measure: str | None, whole: int | None
) -> ForecastBand | None:
    """None where the forecast has no figure for *measure*, as for clicks and conversions."""
    if forecast is None or isinstance(forecast, str) or not whole:
        return None
    spans = {"impressions": forecast["delivered"], "spend_cents": forecast["spend_cents"]}
    span = spans.get(measure or "")
    if not span:
        return None
    end = datetime.fromisoformat(forecast["to_at"])
    return ForecastBand(end, span["low"] / whole, span["high"] / whole)


async def _move(view: PageRequest) -> Result:
    return await move(view, view.path["id"], view.form_field("act"))


async def _launch(view: PageRequest) -> Result:
    return await launch(view, view.path["id"])


async def _reject(view: PageRequest) -> Result:
    path = {"id": view.path["id"]}
    await view.call(operations.REJECT, path=path, body={"reason": view.form_field("reason")})
    return Redirected(view.url("campaign", id=path["id"]), flash="campaign_reject")


async def _clone(view: PageRequest) -> Result:
    body: dict[str, Any] = {"include_ads": view.form_field("include_ads") == "on"}
    if view.form_field("name").strip():
        body["name"] = view.form_field("name")
    if view.form_field("environment"):
        body["environment"] = view.form_field("environment")
    made = await view.call(operations.CLONE, path={"id": view.path["id"]}, body=body)
    environment = "test" if made["is_test"] else "live"
    return Redirected(
        view.url("campaign", environment=environment, id=made["id"]), flash="campaign_clone"
    )


def _on_campaign(act: Handler) -> Handler:
    """*act* on a campaign of the page's environment; raises the 404 for another."""

    async def checked(view: PageRequest) -> Result:
        await get_campaign(view, view.path["id"])
        return await act(view)

    return checked


ACTS: dict[str, Handler] = {
    **dict.fromkeys(OPERATIONS, _on_campaign(_move)),
    "launch": _on_campaign(_launch),
    "reject": _on_campaign(_reject),
    "clone": _on_campaign(_clone),
}
