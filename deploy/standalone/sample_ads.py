"""What the sample account sells and runs: a small magazine, its slots, and campaigns in several states."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from deploy.standalone import demo_ads

HISTORY_DAYS = 28
PROPERTY = {
    "name": "The Harbour Post",
    "kind": "web",
    "domain": "harbour-post.example",
    "allowed_origins": ["https://harbour-post.example"],
}
SLOTS: dict[str, dict[str, Any]] = {
    "front-page": {"name": "Front page", **demo_ads.SLOTS["banner"]},
    "article": {"name": "In the article", **demo_ads.SLOTS["native"]},
    "sidebar": {"name": "Sidebar", **demo_ads.SLOTS["html"]},
    "clips": {"name": "Before clips", **demo_ads.SLOTS["video"]},
    "morning-letter": {"name": "Morning letter", **demo_ads.SLOTS["email"]},
}


@dataclass(frozen=True, slots=True)
class SampleCampaign:
    """``days``: start and end, from the end of the history. ``then``: what happens to it after the history."""

    name: str
    slot: str
    terms: dict[str, Any]
    budget_cents: int | None
    days: tuple[int, int]
    then: str = ""


_CPM = {"objective": "awareness", "pricing_model": "cpm", "pacing": "even"}
CAMPAIGNS = (
    SampleCampaign(
        "Aurora Coffee, spring blend", "front-page", {**_CPM, "bid_cents": 800}, 16_000, (-28, 14)
    ),
    SampleCampaign(
        "Northwind Bikes, test rides",
        "front-page",
        {
            "objective": "traffic",
            "pricing_model": "cpc",
            "bid_cents": 60,
            "pacing": "even",
            "targeting": {"device": {"types": ["mobile"]}},
        },
        3_200,
        (-21, 10),
    ),
    SampleCampaign(
        "Harbour Books, opening week",
        "article",
        {**_CPM, "objective": "conversions", "bid_cents": 600, "pacing": "asap"},
        3_600,
        (-28, 7),
    ),
    SampleCampaign(
        "Fjord Travel, late summer",
        "article",
        {
            **_CPM,
            "objective": "traffic",
            "bid_cents": 520,
            "targeting": {"geo": {"include": [{"country": one} for one in ("us", "gb", "de")]}},
        },
        6_000,
        (-18, 9),
    ),
    SampleCampaign("Lumen Lamps, film", "clips", {**_CPM, "bid_cents": 1_400}, 9_500, (-28, 12)),
    SampleCampaign(
        "Old Mill Bakery, letter",
        "morning-letter",
        {**_CPM, "bid_cents": 1_500},
        9_000,
        (-28, 21),
        "pause",
    ),
    SampleCampaign(
        "Kite Festival, France only",
        "sidebar",
        {**_CPM, "bid_cents": 450, "targeting": {"geo": {"include": [{"country": "fr"}]}}},
        2_500,
        (-20, 6),
    ),
    SampleCampaign(
        "City Library, membership",
        "sidebar",
        {**_CPM, "bid_cents": 260, "pacing": "asap"},
        1_500,
        (-26, 20),
    ),
    SampleCampaign(
        "Subscribe to the Harbour Post",
        "front-page",
        {**_CPM, "bid_cents": 1, "pacing": "asap", "priority": "house"},
        None,
        (-28, 90),
    ),
    SampleCampaign(
        "Winter market", "front-page", {**_CPM, "bid_cents": 700}, 20_000, (7, 30), "draft"
    ),
)


def campaign(sample: SampleCampaign, property_id: str, end: datetime) -> dict[str, Any]:
    """The body that creates it. *end*: of the history."""
    start_at, end_at = (_at(end, days) for days in sample.days)
    return {
        "name": sample.name,
        "property_ids": [property_id],
        **sample.terms,
        "budget": sample.budget_cents and {"total_cents": sample.budget_cents},
        "start_at": start_at,
        "end_at": end_at,
    }


def _at(end: datetime, days: int) -> str:
    instant = (
        (end + timedelta(days=days)).astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    )
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
