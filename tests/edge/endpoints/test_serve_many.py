"""Several slots in one serve call."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from common.contract.edge_models import ServedAd, ServedSlots
from common.snapshot.model import Ad, Campaign, FrequencyCap, RateLimits, Slot, SnapshotObject
from common.tracking.token import parse_token
from common.values.enums import EventKind, Format, Priority
from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.support.builders import a_campaign, a_key, a_property, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer

SLOTS = tuple(a_slot(key=key) for key in ("one", "two", "three"))


@dataclass(slots=True)
class Page:
    edge: RunningEdge
    key: str

    async def ask(self, query: str) -> RawAnswer:
        return await self.edge.serve(query, self.key)

    async def items(self, query: str = "slot=one&slot=two&slot=three") -> list[dict[str, Any]]:
        answer = await self.ask(query)
        assert answer.status == 200, answer.body
        data: list[dict[str, Any]] = answer.json["data"]
        return data


@asynccontextmanager
async def a_page(
    *objects: SnapshotObject, environment: Environment = Environment.LIVE
) -> AsyncIterator[Page]:
    text, row = a_key(KeyKind.PUBLISHABLE, environment)
    snapshot = a_snapshot(row, *SLOTS, *objects, environment=environment)
    async with running_edge(snapshot) as edge:
        yield Page(edge, text.text)


def an_advertiser(name: str, bid_cents: int, **campaign: Any) -> tuple[Campaign, Ad]:
    made = a_campaign(bid_cents=bid_cents, **campaign)
    return made, an_ad(made, advertiser_domain=f"{name}.example")


def a_sponsor(name: str, slots: tuple[Slot, Slot], **campaign: Any) -> tuple[Campaign, Ad, Ad]:
    made = a_campaign(priority=Priority.SPONSORSHIP, **campaign)
    one, two = (
        an_ad(made, advertiser_domain=f"{name}.example", slot_ids=(slot.id,)) for slot in slots
    )
    return made, one, two


async def test_slots_are_answered_in_the_requested_order_each_with_its_own_token() -> None:
    async with a_page(*an_advertiser("a", 300), *an_advertiser("b", 200)) as page:
        items = await page.items("slot=two&slot=one")
    assert [(item["slot"], item["status"]) for item in items] == [
        ("two", "filled"),
        ("one", "filled"),
    ]
    tokens = [parse_token(item["track_token"])[0] for item in items]
    assert [str(token.slot_id) for token in tokens] == [SLOTS[1].id, SLOTS[0].id]
    assert len({item["decision_id"] for item in items}) == 2


async def test_an_item_is_the_answer_for_one_slot_with_its_name() -> None:
    async with a_page(*an_advertiser("a", 300)) as page:
        alone = (await page.ask("slot=one")).json
        answer = await page.ask("slot=one&slot=two")
    item = answer.json["data"][0]
    assert list(item) == ["slot", "status", *alone]
    assert ServedAd.model_validate(item).ad_id == alone["ad_id"]
    ServedSlots.model_validate_json(answer.body)
    assert answer.headers["cache-control"] == "no-store"


async def test_one_slot_named_once_gets_a_single_answer() -> None:
    async with a_page(*an_advertiser("a", 300)) as page:
        one = await page.ask("slot=one&slot=")
        none = await page.ask("slot=two&format=video")
    assert one.json["slot_id"] == SLOTS[0].id
    assert none.status == 204


@pytest.mark.parametrize(
    "query",
    [
        "slot=one,two,three",
        "slot=one%2Ctwo%2cthree",
        "slot=one,two&slot=three",
        "slot=one&slot=,two,,three",
        "slot=,&slot=one,two,three",
        "sl%6Ft=one&sl%6Ft=two&slot=three",
        "sl%6Ft=one&sl%6Ft=two&sl%6Ft=three",
    ],
)
async def test_slots_by_comma_repeated_and_mixed_are_the_same(query: str) -> None:
    async with a_page(*an_advertiser("a", 300)) as page:
        again = [await page.items(query) for _ in range(3)]  # from the second on by the fast path
    assert [[item["slot"] for item in items] for items in again] == [["one", "two", "three"]] * 3


async def test_one_slot_with_a_trailing_comma_gets_a_single_answer() -> None:
    async with a_page(*an_advertiser("a", 300)) as page:
        answer = await page.ask("slot=one,&keywords=a,b")
        after_a_comma = [await page.ask(f"slot={first}&slot=one") for first in (",", "%2C,", "")]
        none = await page.ask("slot=,&slot=%2c")
    assert {one.json["slot_id"] for one in (answer, *after_a_comma)} == {SLOTS[0].id}
    assert (none.status, none.json["error"]["param"]) == (422, "slot")


async def test_no_advertiser_is_shown_twice() -> None:
    best, other = an_advertiser("a", 300), an_advertiser("b", 200)
    async with a_page(*best, *an_advertiser("a", 250), *other) as page:
        items = await page.items()
    assert [item.get("ad_id") for item in items] == [best[1].id, other[1].id, None]
    assert items[2] == {"slot": "three", "status": "no_fill"}


async def test_advertisers_without_a_name_may_stand_side_by_side() -> None:
    campaign = a_campaign()
    async with a_page(campaign, an_ad(campaign, advertiser_domain=None, click_url=None)) as page:
        items = await page.items()
    assert {item["status"] for item in items} == {"filled"}


async def test_a_test_key_sees_why_a_slot_stayed_empty() -> None:
    stock = an_advertiser("a", 300, environment=Environment.TEST)
    async with a_page(*stock, environment=Environment.TEST) as page:
        items = await page.items("slot=one&slot=two&slot=demo-never-fill")
    assert [item.get("reason") for item in items] == [
        None,
        "advertiser_already_shown",
        "demo_never_fills",
    ]


async def test_a_sponsor_takes_every_slot_it_has_an_ad_for() -> None:
    sponsor = a_sponsor("s", (SLOTS[0], SLOTS[2]))
    other = an_advertiser("a", 900)
    async with a_page(*sponsor, *other) as page:
        items = await page.items()
    assert [item["ad_id"] for item in items] == [sponsor[1].id, other[1].id, sponsor[2].id]


async def test_the_sponsor_of_the_first_slot_goes_before_better_paying_sponsors() -> None:
    """Without the roadblock the second slot would be the other's, which bids more."""
    first = a_sponsor("s", (SLOTS[0], SLOTS[1]), bid_cents=100)
    richer = a_sponsor("r", (SLOTS[1], SLOTS[2]), bid_cents=900)
    async with a_page(*first, *richer) as page:
        items = await page.items()
    assert [item["ad_id"] for item in items] == [first[1].id, first[2].id, richer[2].id]


async def test_a_campaign_that_is_no_sponsorship_is_not_shown_again() -> None:
    stock = an_advertiser("a", 300, priority=Priority.STANDARD)
    async with a_page(*stock) as page:
        items = await page.items()
    assert [item["status"] for item in items] == ["filled", "no_fill", "no_fill"]


async def test_a_house_ad_of_a_slot_may_repeat() -> None:
    house = a_campaign(bid_cents=0, priority=Priority.HOUSE)
    ad = an_ad(house, slot_ids=(SLOTS[0].id,))
    slots = tuple(a_slot(key=key, house_ad_id=ad.id) for key in ("left", "right"))
    async with a_page(house, ad, *slots) as page:
        items = await page.items("slot=left&slot=right")
    assert [item["ad_id"] for item in items] == [ad.id, ad.id]


@pytest.mark.parametrize(
    ("query", "params"),
    [
        ("&".join(["slot=one"] * 11), ["slot"]),
        ("slot=one&slot=two&output=html", ["output"]),
        ("&".join(["slot=one"] * 11) + "&format=x&h=0", ["format", "h", "slot"]),
    ],
)
async def test_parameters_that_several_slots_cannot_have_are_refused(
    query: str, params: list[str]
) -> None:
    async with a_page() as page:
        answer = await page.ask(query)
    assert answer.code == "validation_failed"
    assert [detail["param"] for detail in answer.json["error"]["details"]] == params


async def test_a_preview_is_of_one_slot() -> None:
    async with a_page(environment=Environment.TEST) as page:
        answer = await page.ask(f"slot=one&slot=two&preview_ad={SLOTS[0].id}")
    assert answer.json["error"]["param"] == "preview_ad"


async def test_an_unknown_slot_among_others_is_named() -> None:
    async with a_page(*an_advertiser("a", 300)) as page:
        answer = await page.ask("slot=one&slot=nowhere")
        counted = page.edge.counted()
    assert (answer.status, answer.code) == (404, "slot_not_found")
    assert [detail["message"] for detail in answer.json["error"]["details"]] == [
        "There is no slot `nowhere` on this property."
    ]
    assert counted == {}


async def test_a_request_may_name_ten_slots() -> None:
    async with a_page(*an_advertiser("a", 300)) as page:
        items = await page.items("&".join(["slot=one"] * 10))
    assert len(items) == 10


async def test_every_slot_counts_against_the_rate() -> None:
    limits = RateLimits(2, 1000, 1000, 1000)
    async with a_page(a_property(rate_limits=limits), *an_advertiser("a", 300)) as page:
        statuses = [(await page.ask("slot=one&slot=two")).status for _ in range(4)]
    assert statuses == [200, 200, 200, 429]


async def test_every_slot_is_counted_as_a_decision() -> None:
    async with a_page(*an_advertiser("a", 300)) as page:
        await page.items()
        counted = page.edge.counted()
    assert counted == {"fill": 1, "advertiser_already_shown": 2}


async def test_a_slot_of_several_formats_uses_the_same_parameters() -> None:
    campaign = a_campaign()
    native = an_ad(campaign, format=Format.NATIVE, advertiser_domain=None, click_url=None)
    async with a_page(campaign, an_ad(campaign), native) as page:
        items = await page.items("slot=one&slot=two&format=native")
    assert {item["format"] for item in items} == {"native"}


async def test_a_sponsor_s_cap_holds_over_the_slots_of_one_call() -> None:
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 3600)
    sponsor = a_sponsor("s", (SLOTS[0], SLOTS[1]), frequency_caps=(cap,))
    async with a_page(*sponsor) as page:
        items = await page.items("slot=one&slot=two&seen=none")
    assert [item["status"] for item in items] == ["filled", "no_fill"]


async def test_slots_requested_for_one_person_use_the_counts_of_the_store() -> None:
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 3600)
    sponsor = a_sponsor("s", (SLOTS[0], SLOTS[1]), frequency_caps=(cap,))
    async with a_page(*sponsor) as page:
        query = "slot=one&slot=two&uid=u&gdpr=0"
        first, again = await page.items(query), await page.items(query)
    assert [item["status"] for item in first] == ["filled", "no_fill"]
    assert [item["status"] for item in again] == ["no_fill", "no_fill"]
