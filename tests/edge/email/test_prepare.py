"""``POST /v1/email/prepare`` with ads that are chosen before the mail is sent."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.contract.email_models import EmailPrepared
from common.pacing.holds import HoldDays, find_hold
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import Budget, FrequencyCap, ObjectType
from common.snapshot.snapshot import apply_entries
from common.tracking.token import parse_token
from common.values.enums import CampaignStatus, EventKind, Priority, Reason, Surface
from common.values.environment import Environment
from tests.edge.email.mail_world import a_body, a_mail_ad, a_mail_slot, a_sender
from tests.support.builders import a_campaign
from tests.support.leases import grant_lease
from tests.support.worker import events_of, later

_DAY_S = 86_400


async def test_an_item_has_all_that_a_mail_needs(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        prepared = await sender.prepare()

    EmailPrepared.model_validate(prepared)
    (item,) = prepared["items"]
    assert (prepared["filled"], prepared["no_fill"]) == (1, 0)
    assert prepared["expires_at"] == "2027-02-14T08:00:00.000Z"
    assert item["ref"] == "r1"
    assert item["slot"] == "newsletter"
    assert item["ad_id"] == sender.ad.id
    assert item["alt"] == "Shoes & more"
    assert item["text"] == f"Shoes, half price.\n{item['click_url']}"
    for url in (item["click_url"], item["image_url"], item["impression_url"]):
        assert url in item["html"]
    assert "\x7f" not in str(prepared)


async def test_what_one_recipient_does_counts_once_and_apart_from_the_others(
    tmp_path: Path,
) -> None:
    async with a_sender(tmp_path) as sender:
        prepared = await sender.prepare(recipients=[{"ref": "r1"}, {"ref": "r2"}])
        for item in [*prepared["items"], prepared["items"][0]]:
            await sender.open(item["impression_url"])
            clicked = await sender.open(item["click_url"])
            assert clicked.headers["location"].startswith("https://brand.example/landing")
        events = await events_of(sender.edge)

    assert [event.kind for event in events] == [EventKind.IMPRESSION, EventKind.CLICK] * 2
    assert {event.surface for event in events} == {Surface.EMAIL}
    assert {event.reason for event in events} == {Reason.OK}


@pytest.mark.parametrize(("days", "counts"), [(30, True), (2, False)])
async def test_a_mail_counts_until_it_expires(tmp_path: Path, days: int, counts: bool) -> None:  # noqa: FBT001 - a case
    async with a_sender(tmp_path) as sender:
        (item,) = (await sender.prepare(expires_in_days=days))["items"]
        later(sender.edge, s=3 * _DAY_S)
        shown = await sender.open(item["impression_url"])
        events = await events_of(sender.edge)

    assert shown.status_code == 200
    assert len(events) == counts


async def test_all_mails_of_a_send_have_one_ad_with_urls_of_their_own(tmp_path: Path) -> None:
    rival = a_campaign()
    async with a_sender(tmp_path, rival, a_mail_ad(rival)) as sender:
        names = [{"ref": f"r{number}"} for number in range(20)]
        first = await sender.prepare(mode="per_send", recipients=names[:10])
        second = await sender.prepare(mode="per_send", recipients=names[10:])

    items = first["items"] + second["items"]
    assert len({item["ad_id"] for item in items}) == 1
    assert len({item["click_url"] for item in items}) == 20


async def test_a_send_keeps_its_house_ad_when_a_campaign_begins(tmp_path: Path) -> None:
    house = a_campaign(priority=Priority.HOUSE, bid_cents=0, status=CampaignStatus.PAUSED)
    ad = a_mail_ad(house, click_url="https://shop.example/own")
    slot = a_mail_slot(house_ad_id=ad.id)
    async with a_sender(tmp_path, house, ad, slot=slot, status=CampaignStatus.PAUSED) as sender:
        first = await sender.prepare(mode="per_send")
        before = sender.edge.snapshots.current()
        begun = replace(before.campaigns[sender.ad.campaign_id], status=CampaignStatus.ACTIVE)
        change = ObjectChange(ObjectType.CAMPAIGN, begun.id, encode_object(begun))
        sender.edge.snapshots.swap(apply_entries(before, before.version + 1, [change]))
        second = await sender.prepare(mode="per_send", recipients=[{"ref": "r2"}])
        other = await sender.prepare(mode="per_send", send_id="tuesday")
        await sender.open(second["items"][0]["impression_url"])
        (event,) = await events_of(sender.edge)

    ads = [prepared["items"][0]["ad_id"] for prepared in (first, second, other)]
    assert ads == [ad.id, ad.id, sender.ad.id]
    assert event.price_micros == 0


async def test_a_send_has_no_house_ad_with_a_frequency_cap(tmp_path: Path) -> None:
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, _DAY_S)
    house = a_campaign(priority=Priority.HOUSE, bid_cents=0, frequency_caps=(cap,))
    ad = a_mail_ad(house)
    slot = a_mail_slot(house_ad_id=ad.id)
    async with a_sender(tmp_path, house, ad, slot=slot, status=CampaignStatus.PAUSED) as sender:
        prepared = await sender.prepare(mode="per_send")
    assert prepared["no_fill"] == 1


async def test_a_send_without_recipients_counts_each_copy_that_is_opened(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        prepared = await sender.prepare(mode="per_send", recipients=None)
        (item,) = prepared["items"]
        for _ in range(2):
            await sender.open(item["impression_url"])
        clicked = await sender.open(item["click_url"])
        events = await events_of(sender.edge)

    assert (item["ref"], item["track_token"]) == (None, None)
    assert clicked.headers["location"].startswith("https://brand.example/landing")
    assert [event.kind for event in events] == ["impression", "impression", "click"]


async def test_large_mailings_are_prepared_in_parts(tmp_path: Path) -> None:
    others = [a_mail_slot(key=f"s{number}") for number in range(2)]
    campaigns = [a_campaign() for _ in range(2)]
    ads = [a_mail_ad(one, advertiser_domain=f"{one.id}.example") for one in campaigns]
    people = [{"ref": f"r{number}"} for number in range(150)]
    async with a_sender(tmp_path, *others, *campaigns, *ads) as sender:
        prepared = await sender.prepare(
            slot=None, slots=["newsletter", "s0", "s1"], recipients=people
        )

    assert [item["ref"] for item in prepared["items"][::3]] == [one["ref"] for one in people]
    assert prepared["filled"] == 450
    mails = [prepared["items"][start : start + 3] for start in range(0, 450, 3)]
    assert {len({item["ad_id"] for item in mail}) for mail in mails} == {3}


async def test_a_recipients_caps_count_mails_that_were_prepared(tmp_path: Path) -> None:
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 86_400)
    people = [{"ref": "r1", "uid": "anna"}, {"ref": "r2", "uid": "ben"}, {"ref": "r3"}]
    async with a_sender(tmp_path, frequency_caps=(cap,)) as sender:
        first = await sender.prepare(recipients=people)
        second = await sender.prepare(send_id="tuesday", recipients=people)
        later(sender.edge, s=2 * _DAY_S)
        for item in first["items"][:2]:
            await sender.open(item["impression_url"])
        third = await sender.prepare(send_id="thursday", recipients=people)

    assert [item["status"] for item in first["items"]] == ["filled", "filled", "no_fill"]
    assert second["filled"] == 0
    assert third["filled"] == 2, "opening counts nothing that was counted before"


async def test_without_consent_a_uid_is_not_used(tmp_path: Path) -> None:
    people = [{"ref": "r1", "uid": "anna"}]
    async with a_sender(tmp_path) as sender:
        allowed = await sender.prepare(recipients=people)
        denied = await sender.prepare(send_id="2", recipients=people, consent={"gdpr": "1"})
        tokens = [parse_token(one["items"][0]["track_token"])[0] for one in (allowed, denied)]

    assert [bool(token.person) for token in tokens] == [True, False]


async def test_what_is_stated_about_a_recipient_is_targeted(tmp_path: Path) -> None:
    targeting = (
        '{"geo":{"include":[{"country":"br"}]},"key_values":[{"key":"plan","op":"in","values":["pro"]}],'
        '"languages":["pt"]}'
    )
    fitting = {"country": "BR", "lang": "pt-BR", "kv": {"plan": ["free", "Pro"]}}
    async with a_sender(tmp_path, targeting=targeting) as sender:
        people = [{"ref": "a", **fitting}]
        people += [{"ref": name, **fitting, name: other} for name, other in _OTHERS.items()]
        prepared = await sender.prepare(recipients=people)

    filled = {item["ref"]: item["status"] == "filled" for item in prepared["items"]}
    assert filled == {"a": True, "country": False, "lang": False, "kv": False}


_OTHERS: dict[str, Any] = {"country": "DE", "lang": "de", "kv": {"plan": "free"}}


async def test_a_send_takes_no_more_than_its_lease(tmp_path: Path) -> None:
    budget = Budget(total_micros=10_000_000, daily_micros=None)
    async with a_sender(tmp_path, budget=budget) as sender:
        budgets = sender.edge.budgets
        assert isinstance(budgets, LeasedBudgets)
        campaign = sender.edge.snapshots.current().campaigns[sender.ad.campaign_id]
        grant_lease(budgets, campaign, 3 * campaign.bid_micros)
        people = [{"ref": f"r{number}"} for number in range(5)]
        for_all = await sender.prepare(mode="per_send", recipients=people)
        each = await sender.prepare(send_id="2", recipients=people)
        again = await sender.prepare(send_id="2", recipients=people)

    assert for_all["filled"] == 0, "one ad for all needs a lease for all"
    assert each["filled"] == 3
    assert again == each


@pytest.mark.parametrize("mode", ["per_send", "per_recipient"])
async def test_each_mail_holds_its_cost_until_it_expires_and_its_event_states_that_day(
    tmp_path: Path, mode: str
) -> None:
    async with a_sender(tmp_path, budget=Budget(10_000_000, None)) as sender:
        budgets = sender.edge.budgets
        assert isinstance(budgets, LeasedBudgets)
        campaign = sender.edge.snapshots.current().campaigns[sender.ad.campaign_id]
        grant_lease(budgets, campaign, 9 * campaign.bid_micros)
        people = [{"ref": f"r{number}"} for number in range(3)]
        prepared = await sender.prepare(mode=mode, recipients=people, expires_in_days=7)
        hold, of_campaign = budgets.report(1).lines
        later(sender.edge, s=5 * _DAY_S)
        await sender.open(prepared["items"][0]["impression_url"])
        (event,) = await events_of(sender.edge)

    assert (hold.committed_micros, of_campaign.committed_micros) == (
        3 * event.price_micros,
        3 * event.price_micros,
    )
    assert event.held_until_day is not None
    found = find_hold(hold.campaign_id)
    assert found == (campaign.id, HoldDays("2027-01-15", event.held_until_day))
    assert event.held_until_day == event.issued_ms // (1_000 * _DAY_S) + 7


async def test_a_mail_whose_ad_is_chosen_when_opened_holds_nothing_before(tmp_path: Path) -> None:
    async with a_sender(tmp_path, budget=Budget(10_000_000, None)) as sender:
        budgets = sender.edge.budgets
        assert isinstance(budgets, LeasedBudgets)
        campaign = sender.edge.snapshots.current().campaigns[sender.ad.campaign_id]
        grant_lease(budgets, campaign, 9 * campaign.bid_micros)
        shared = await sender.prepare(mode="per_send", recipients=None)
        each = await sender.prepare(send_id="2", render="on_open")
        before = budgets.report(1).lines
        for prepared in (shared, each):
            (item,) = prepared["items"]
            await sender.open(item["impression_url"] or item["image_url"])
        events = await events_of(sender.edge)
        (line,) = budgets.report(2).lines

    assert before == ()
    assert line.committed_micros == sum(event.price_micros for event in events) > 0
    assert {event.held_until_day for event in events} == {None}
    assert line.campaign_id == campaign.id


async def test_a_send_waits_for_a_larger_lease(tmp_path: Path) -> None:
    budget = Budget(total_micros=10_000_000, daily_micros=None)
    async with a_sender(tmp_path, budget=budget) as sender:
        budgets = sender.edge.budgets
        assert isinstance(budgets, LeasedBudgets)
        campaign = sender.edge.snapshots.current().campaigns[sender.ad.campaign_id]
        grant_lease(budgets, campaign, campaign.bid_micros)
        units = [1]

        async def next_grants() -> None:
            await asyncio.sleep(0)
            units.append(units[-1] + 2)
            grant_lease(budgets, campaign, units[-1] * campaign.bid_micros)

        sender.edge.next_grants = next_grants
        people = [{"ref": f"r{number}"} for number in range(6)]
        prepared = await sender.prepare(recipients=people)

    assert prepared["filled"] == 6
    assert units == [1, 3, 5, 7]


async def test_test_keys_spend_nothing(tmp_path: Path) -> None:
    budget = Budget(total_micros=1, daily_micros=None)
    async with a_sender(tmp_path, environment=Environment.TEST, budget=budget) as sender:
        prepared = await sender.prepare()
        await sender.open(prepared["items"][0]["impression_url"])
        (event,) = await events_of(sender.edge)
        demo = await sender.prepare(send_id="2", slot="demo-always-fill")
        never = await sender.prepare(send_id="3", slot="demo-never-fill")
        image = await sender.open(demo["items"][0]["image_url"])

    assert event.reason is Reason.OK_TEST
    assert image.headers["content-type"] == "image/png"
    assert (demo["filled"], never["filled"]) == (1, 0)


async def test_a_slot_of_other_formats_and_an_unknown_slot_are_refused(tmp_path: Path) -> None:
    banner = a_mail_slot(key="banner", formats=())
    async with a_sender(tmp_path, banner) as sender:
        other = await sender.post(a_body(slot="banner"))
        unknown = await sender.post(a_body(slot=None, slots=["newsletter", "nowhere"]))
        twice = await sender.post(a_body(slot=None, slots=["newsletter", sender.slot.id]))

    assert (other.status_code, other.json()["error"]["param"]) == (422, "slot")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "slot_not_found")
    assert unknown.json()["error"]["param"] == "slots.1"
    assert twice.json()["error"]["param"] == "slots.1"


async def test_only_a_secret_key_of_this_environment_prepares(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        bearer = await sender.post(a_body(), key=sender.publishable)
        header = await sender.http.post(
            "/v1/email/prepare", json=a_body(), headers={"X-Service-Key": sender.publishable}
        )
        missing = await sender.http.post("/v1/email/prepare", json=a_body())
        large = await sender.post(b" " * 1_048_577)

    codes = [one.json()["error"]["code"] for one in (bearer, header, missing, large)]
    assert codes == ["invalid_key", "invalid_key", "missing_key", "payload_too_large"]


_MANY = [{"ref": f"r{number}"} for number in range(1001)]
_FAULTY: list[tuple[dict[str, Any], str]] = [
    ({"slot": None}, "slot"),
    ({"slot": 7}, "slot"),
    ({"slots": ["newsletter"]}, "slots"),
    ({"slot": None, "slots": []}, "slots"),
    ({"send_id": None}, "send_id"),
    ({"send_id": "x" * 129}, "send_id"),
    ({"mode": "each"}, "mode"),
    ({"render": "later"}, "render"),
    ({"recipients": None}, "recipients"),
    ({"recipients": []}, "recipients"),
    ({"recipients": _MANY}, "recipients"),
    ({"recipients": None, "mode": "per_send", "render": "on_open"}, "recipients"),
    ({"recipients": ["r1"]}, "recipients.0"),
    ({"recipients": [{}]}, "recipients.0.ref"),
    ({"recipients": [{"ref": "a"}, {"ref": "a"}]}, "recipients.1.ref"),
    ({"recipients": [{"ref": "a", "uid": ""}]}, "recipients.0.uid"),
    ({"recipients": [{"ref": "a", "country": "Brazil"}]}, "recipients.0.country"),
    ({"recipients": [{"ref": "a", "lang": "!"}]}, "recipients.0.lang"),
    ({"recipients": [{"ref": "a", "kv": ["x"]}]}, "recipients.0.kv"),
    ({"recipients": [{"ref": "a", "kv": {"x": 1}}]}, "recipients.0.kv.x"),
    ({"recipients": [{"ref": "a", "kv": {"?": "1"}}]}, "recipients.0.kv.?"),
    ({"recipients": [{"ref": "a", "name": "Anna"}]}, "recipients.0.name"),
    (
        {
            "recipients": [{"ref": "a", "kv": {f"k{n}": "v" * 128 for n in range(9)}}],
            "render": "on_open",
        },
        "recipients.0.kv",
    ),
    ({"expires_in_days": 0}, "expires_in_days"),
    ({"expires_in_days": 31}, "expires_in_days"),
    ({"expires_in_days": True}, "expires_in_days"),
    ({"consent": {"gdpr": 1}}, "consent.gdpr"),
    ({"consent": {"dnt": "1"}}, "consent.dnt"),
    ({"subject": "Hello"}, "subject"),
]
_ADDRESSES: list[tuple[dict[str, Any], str]] = [
    ({"send_id": "anna@example.com"}, "send_id"),
    ({"slot": "anna@example.com"}, "slot"),
    ({"recipients": [{"ref": "ANNA@EXAMPLE.COM"}]}, "recipients.0.ref"),
    (
        {"recipients": [{"ref": "r1"}, {"ref": "r2", "uid": "anna%40example.com"}]},
        "recipients.1.uid",
    ),
    ({"recipients": [{"ref": "a", "uid": "mailto:a.b+c%2540example.co.uk"}]}, "recipients.0.uid"),
    ({"recipients": [{"ref": "a", "uid": "anna\uff20example.com"}]}, "recipients.0.uid"),
    ({"recipients": [{"ref": "a", "uid": "anna&#64;example.com"}]}, "recipients.0.uid"),
    (
        {"recipients": [{"ref": "a", "kv": {"who": ["x", "anna@example.com"]}}]},
        "recipients.0.kv.who.1",
    ),
    ({"recipients": [{"ref": "a", "kv": {"anna@example.com": "x"}}]}, "recipients.0.kv"),
    ({"recipients": [{"ref": "a", "email": "anna@example.com"}]}, "recipients.0.email"),
    ({"consent": {"gpp": "anna@example.com"}}, "consent.gpp"),
]


@pytest.mark.parametrize(("fields", "param"), _FAULTY + _ADDRESSES)
async def test_a_faulty_field_is_named(tmp_path: Path, fields: dict[str, Any], param: str) -> None:
    async with a_sender(tmp_path) as sender:
        response = await sender.post(a_body(**fields))

    error = response.json()["error"]
    assert response.status_code == 422
    assert [detail["param"] for detail in error["details"]] == [param]
    if (fields, param) in _ADDRESSES:
        assert error["details"][0]["code"] == "raw_address"
        assert "example" not in response.text.lower()
