"""Images and links of mails whose ad is chosen when they are opened."""

import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.contract.email_models import EmailPrepared
from common.decision.rules.outcome import Fill
from common.snapshot.model import FrequencyCap, SnapshotObject
from common.values.enums import CampaignStatus, EventKind, Priority, Reason, Source, Surface
from edge.email.chosen_before import chosen_before
from edge.state.ip_lists import IpLists
from tests.edge.email.mail_world import THUNDERBIRD, Sender, a_mail_ad, a_mail_slot, a_sender
from tests.support.builders import a_campaign, a_snapshot, an_opportunity
from tests.support.worker import events_of, later

_GMAIL = "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"


async def _on_open(sender: Sender, **fields: Any) -> dict[str, Any]:
    prepared = await sender.prepare(render="on_open", **fields)
    EmailPrepared.model_validate(prepared)
    item: dict[str, Any] = prepared["items"][0]
    return item


def _change_campaign(sender: Sender, **campaign: Any) -> None:
    before = sender.edge.snapshots.current()
    changed = replace(before.campaigns[sender.ad.campaign_id], **campaign)
    keys = before.keys_by_hash.values()
    ads = [ad for ad in before.ads.values() if ad.campaign_id != changed.id]
    others = [one for one in before.campaigns.values() if one.id != changed.id]
    kept: list[SnapshotObject] = [*before.slots.values(), *others, *ads, *keys]
    after = a_snapshot(changed, sender.ad, *kept, version=before.version + 1)
    sender.edge.snapshots.adopt(after, confirmed_ms=sender.edge.clock.now_ms())


async def test_the_image_shows_the_ad_of_the_moment_and_the_click_leads_to_it(
    tmp_path: Path,
) -> None:
    rival = a_campaign(bid_cents=50)
    second = a_mail_ad(rival, click_url="https://other.example/", advertiser_domain="other.example")
    async with a_sender(tmp_path, rival, second) as sender:
        item = await _on_open(sender)
        first = await sender.open(item["image_url"])
        clicked = await sender.open(item["click_url"])
        _change_campaign(sender, status=CampaignStatus.PAUSED)
        last_shown = await sender.open(item["click_url"])
        await sender.open(item["image_url"])
        then = await sender.open(item["click_url"])
        events = await events_of(sender.edge)

    assert (first.status_code, first.headers["location"]) == (302, "https://cdn.example/shoes.png")
    assert "no-store" in first.headers["cache-control"]
    hosts = [one.headers["location"].split("/")[2] for one in (clicked, last_shown, then)]
    assert hosts == ["brand.example", "brand.example", "other.example"]
    assert [event.kind for event in events] == ["impression", "click", "impression", "click"]
    assert {event.surface for event in events} == {Surface.EMAIL}


async def test_an_item_is_markup_before_its_ad_is_known(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        item = await _on_open(sender)

    assert item["status"] == "filled"
    assert (item["width"], item["height"]) == (600, 200)
    assert item["image_url"] in item["html"]
    assert item["click_url"] in item["html"]
    assert item["click_url"] in item["text"]
    nulls = ("ad_id", "campaign_id", "impression_url", "track_token")
    assert [item[name] for name in nulls] == [None] * 4


async def test_one_mail_counts_an_ad_once_however_often_it_is_opened(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        item = await _on_open(sender)
        for s in (0, 3600, 86_400):
            later(sender.edge, s=s)
            await sender.open(item["image_url"])
        events = await events_of(sender.edge)

    assert [event.reason for event in events] == [Reason.OK]


async def test_without_an_ad_a_transparent_image_keeps_the_place(tmp_path: Path) -> None:
    async with a_sender(tmp_path, status=CampaignStatus.PAUSED) as sender:
        item = await _on_open(sender)
        image = await sender.open(item["image_url"])
        clicked = await sender.open(item["click_url"])

    assert image.status_code == 200
    assert struct.unpack(">II", image.content[16:24]) == (600, 200)
    data = image.content[image.content.index(b"IDAT") + 4 :]
    assert zlib.decompressobj().decompress(data) == bytes(200 * (1 + 600 // 8))
    assert clicked.headers["location"] == "https://shop.example/"


async def test_a_house_ad_fills_what_nobody_buys(tmp_path: Path) -> None:
    house = a_campaign(priority=Priority.HOUSE, bid_cents=0, status=CampaignStatus.PAUSED)
    ad = a_mail_ad(house, click_url="https://shop.example/own")
    slot = a_mail_slot(house_ad_id=ad.id)
    async with a_sender(tmp_path, house, ad, slot=slot, status=CampaignStatus.PAUSED) as sender:
        item = await _on_open(sender)
        await sender.open(item["image_url"])
        clicked = await sender.open(item["click_url"])
        events = await events_of(sender.edge)

    assert clicked.headers["location"].startswith("https://shop.example/own?sa_click_id=")
    assert {event.price_micros for event in events} == {0}


async def test_a_click_before_any_image_leads_to_the_ad_of_the_moment(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        item = await _on_open(sender)
        clicked = await sender.open(item["click_url"])
        events = await events_of(sender.edge)

    assert clicked.headers["location"].startswith("https://brand.example/landing")
    assert [event.kind for event in events] == ["click"]


async def test_an_expired_mail_counts_nothing(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        item = await _on_open(sender, expires_in_days=1)
        await sender.http.head(item["image_url"].removeprefix(sender.edge.settings.edge_url))
        later(sender.edge, s=2 * 86_400)
        image = await sender.open(item["image_url"])
        clicked = await sender.open(item["click_url"])
        events = await events_of(sender.edge)

    assert (image.status_code, clicked.status_code, events) == (200, 302, [])


async def test_caps_hold_when_mails_are_opened(tmp_path: Path) -> None:
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 86_400)
    people = [{"ref": "r1", "uid": "anna"}]
    async with a_sender(tmp_path, frequency_caps=(cap,)) as sender:
        items = [await _on_open(sender, send_id=name, recipients=people) for name in "ab"]
        images = [await sender.open(item["image_url"]) for item in items]
        again = await sender.open(items[0]["image_url"])

    assert [image.status_code for image in images] == [302, 200]
    assert again.status_code == 200


async def test_what_is_stated_about_a_recipient_is_targeted_when_opened(tmp_path: Path) -> None:
    targeting = '{"key_values":[{"key":"plan","op":"in","values":["pro"]}]}'
    people = [{"ref": plan, "kv": {"plan": plan}} for plan in ("pro", "free")]
    async with a_sender(tmp_path, targeting=targeting) as sender:
        prepared = await sender.prepare(render="on_open", recipients=people)
        for_all = await sender.prepare(
            render="on_open", mode="per_send", send_id="2", recipients=people
        )
        items = prepared["items"] + for_all["items"]
        images = [await sender.open(item["image_url"]) for item in items]

    assert [image.status_code for image in images] == [302, 200, 200, 200]


async def test_links_are_of_one_use_and_cannot_be_made_up(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        item = await _on_open(sender)
        token = item["image_url"].rpartition("/")[2]
        wrong = [f"/v1/email/click/{token}", f"/v1/impression/{token}.gif"]
        wrong += [
            f"/v1/email/image/{token[:-2]}AA",
            "/v1/email/image/x",
            f"/v1/email/image/{'A' * 9000}",
        ]
        statuses = [(await sender.open(path)).status_code for path in wrong]

    assert set(statuses) <= {404, 414}


_APPLE = "Mozilla/5.0"
_PREFETCHED = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 "
    "Safari/537.36 Edge/12.246 Mozilla/5.0"
)
_YAHOO = "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html"
_CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 "
    "Safari/537.36"
)
_BARRACUDA = "BarracudaCentral/1.0"


@pytest.mark.parametrize("render", ["fixed", "on_open"])
@pytest.mark.parametrize(
    ("agent", "image", "click"),
    [
        (THUNDERBIRD, Reason.OK, Reason.OK),
        (_CHROME, Reason.OK, Reason.OK),
        (_APPLE, Reason.MAIL_PRIVACY_PROXY, None),
        (_PREFETCHED, Reason.MAIL_PRIVACY_PROXY, None),
        (_GMAIL, Reason.MAIL_PRIVACY_PROXY, None),
        (_YAHOO, Reason.MAIL_PRIVACY_PROXY, None),
        (_BARRACUDA, None, Reason.MAIL_LINK_SCANNER),
    ],
)
async def test_proxies_and_scanners_of_mail_do_not_count(
    tmp_path: Path, render: str, agent: str, image: Reason | None, click: Reason | None
) -> None:
    async with a_sender(tmp_path) as sender:
        (item,) = (await sender.prepare(render=render))["items"]
        await sender.open(item["impression_url"] or item["image_url"], agent=agent)
        await sender.open(item["click_url"], agent=agent)
        shown, clicked = await events_of(sender.edge)

    assert image in {None, shown.reason}
    assert click in {None, clicked.reason}


async def test_a_person_after_a_scanner_and_a_proxy_counts(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        item = await _on_open(sender)
        for agent in (_APPLE, THUNDERBIRD):
            await sender.open(item["image_url"], agent=agent)
        for agent in (_BARRACUDA, THUNDERBIRD):
            await sender.open(item["click_url"], agent=agent)
        events = await events_of(sender.edge)

    counted = [(event.kind, event.reason) for event in events if event.reason.valid]
    assert counted == [(EventKind.IMPRESSION, Reason.OK), (EventKind.CLICK, Reason.OK)]
    assert len(events) == 4


async def test_scanners_are_known_by_their_networks(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        behind_a_proxy = sender.edge.settings.model_copy(update={"proxies_count": 1})
        sender.edge.settings, sender.edge.lists = behind_a_proxy, IpLists.read(None)
        item = await _on_open(sender)
        path = item["click_url"].removeprefix(sender.edge.settings.edge_url)
        headers = {"User-Agent": _CHROME, "X-Forwarded-For": "64.235.150.7"}
        await sender.http.get(path, headers=headers)
        prefetch = {"User-Agent": _CHROME, "Sec-Purpose": "prefetch"}
        await sender.http.get(path, headers=prefetch)
        events = await events_of(sender.edge)

    assert [event.reason for event in events] == [Reason.MAIL_LINK_SCANNER, Reason.PREFETCH]


def test_an_ad_chosen_before_is_free_where_it_is_the_slots_own_house_ad() -> None:
    campaign = a_campaign(bid_cents=300)
    ad = a_mail_ad(campaign)
    found = []
    for slot in (a_mail_slot(), a_mail_slot(house_ad_id=ad.id)):
        snapshot = a_snapshot(slot, campaign, ad)
        found.append(chosen_before(snapshot, an_opportunity(slot), ad.id))
    assert found == [
        Fill(campaign, ad, Source.AUCTION, campaign.bid_micros),
        Fill(campaign, ad, Source.HOUSE, 0),
    ]
