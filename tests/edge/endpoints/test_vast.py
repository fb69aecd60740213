"""``output=vast`` over a real connection: the document, its versions, and what its URLs report."""

import random
from typing import Any

import pytest

from common.contract.edge import SERVE
from common.ivt.judge_lists import JudgeLists
from common.ivt.lists import parse_ranges
from common.values.enums import Format, Reason, Surface
from common.values.environment import Environment
from edge.state.ip_lists import IpLists
from tests.edge.endpoints.players import (
    SLOT,
    SOUND,
    VIDEO,
    WHOLE,
    WRAPPER,
    a_player,
    a_video,
    an_advertiser,
    parse_document,
)
from tests.edge.endpoints.vast_rules import faults_of
from tests.support.builders import a_campaign, a_property
from tests.support.worker import events_of, later

VERSIONS = ("4.2", "3.0")


def an_ad_of(content: dict[str, Any], **changes: Any) -> tuple[Any, Any]:
    campaign = a_campaign()
    return campaign, a_video(campaign, content=content, **changes)


async def test_a_video_is_a_linear_ad_with_its_media_and_its_pixels() -> None:
    campaign, ad = an_ad_of({"media": [VIDEO], "skip_offset_ms": 5_500}, name="Ad & <Co>")
    async with a_player(campaign, ad) as player:
        answer = await player.ask("slot=pre-roll&output=vast")
        root = parse_document(answer.body)

    assert answer.headers["content-type"] == "application/xml; charset=utf-8"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "no-store"
    assert faults_of(root, "4.2") == []
    (item,) = root
    assert (item.get("id"), item.get("adType"), item.get("sequence")) == (ad.id, "video", None)
    assert root.findtext(".//AdTitle") == "Ad & <Co>"
    assert root.findtext(".//Duration") == "00:00:15"
    linear, media = root.find(".//Linear"), root.find(".//MediaFile")
    assert linear is not None
    assert linear.get("skipoffset") == "00:00:05.500"
    assert media is not None
    assert (media.text, media.get("bitrate")) == (VIDEO["url"], "800")
    assert [media.get(name) for name in ("scalable", "maintainAspectRatio")] == ["true", "true"]
    assert root.findtext(".//ClickThrough", "").startswith("https://edge.example/v1/click/")
    error = root.findtext(".//Error", "")
    assert "/v1/signal/error/" in error
    assert error.endswith(".gif?code=%5BERRORCODE%5D#[ERRORCODE]")


@pytest.mark.parametrize("output", ["json", "html", "vast"])
async def test_the_description_names_the_media_type_of_each_output(output: str) -> None:
    campaign, ad = an_ad_of({"media": [VIDEO]})
    async with a_player(campaign, ad) as player:
        answer = await player.ask(f"slot=pre-roll&output={output}")
    (filled, _) = SERVE.answers
    described = {filled.media_type, *filled.documents}
    assert answer.headers["content-type"].partition(";")[0] in described


async def test_the_macro_of_an_error_stands_as_players_replace_it_where_the_tag_asks_for_that() -> (
    None
):
    async with a_player(*an_ad_of({"media": [VIDEO]})) as player:
        roots = [
            await player.load(f"slot=pre-roll&output=vast{more}") for more in ("", "&macros=plain")
        ]
        error = roots[1].findtext(".//Error", "").replace("[ERRORCODE]", "405")
        await player.get(error)
        codes = dict(player.edge.context.metrics.player_errors)

    ends = [root.findtext(".//Error", "").rpartition(".gif")[2] for root in roots]
    assert ends == ["?code=%5BERRORCODE%5D#[ERRORCODE]", "?code=[ERRORCODE]"]
    assert codes == {"405": 1}


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_field_of_the_content_is_in_the_document(version: str) -> None:
    trackers = {
        "impression_trackers": ("https://t.example/i?a=1&b=2",),
        "click_trackers": ("https://t.example/c",),
    }
    campaign, ad = an_ad_of(WHOLE, categories=("IAB7-3",), **trackers)
    async with a_player(campaign, ad) as player:
        answer = await player.ask(f"slot=pre-roll&output=vast&vast_version={version}")

    root = parse_document(answer.body)
    assert faults_of(root, version) == []
    texts = {one.text for one in root.iter()}
    attributes = {value for one in root.iter() for value in one.attrib.values()}
    left_out = {"https://cdn.example/source.mov", "ad-id.org"} if version == "3.0" else set()
    for expected in (
        *("https://cdn.example/b.webm", "https://cdn.example/source.mov"),
        *("https://cdn.example/c.png", "a < b", "https://cdn.example/i.png"),
        *("https://choices.example/", "https://choices.example/seen"),
        *("https://vendor.example/omid.js", '{"k":"<v>"}'),
        *("https://vendor.example/failed?r=[REASON]", *ad.impression_trackers, *ad.click_trackers),
    ):
        assert (expected in texts) is (expected not in left_out), expected
    assert {"vendor.example-omid", "AdChoices", "00:00:01", "00:00:05"} <= attributes
    assert "CNPA0484000H" in texts | attributes
    if version == "4.2":
        assert {"IAB7-3", "CNPA0484000H"} <= texts
        assert "ad-id.org" in attributes


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_ad_of_another_server_is_a_wrapper_and_serves_in_no_other_output(
    version: str,
) -> None:
    campaign, ad = an_advertiser("w", content=WRAPPER)
    async with a_player(campaign, ad) as player:
        root = await player.load(f"slot=pre-roll&output=vast&vast_version={version}")
        elsewhere = [
            (await player.ask(f"slot=pre-roll{more}")).status for more in ("", "&output=html")
        ]

    assert elsewhere == [204, 204]
    assert faults_of(root, version) == []
    wrapper = root.find("Ad/Wrapper")
    assert wrapper is not None
    assert wrapper.findtext("VASTAdTagURI") == WRAPPER["wrapper"]["url"]
    clicks = [one.text or "" for one in wrapper.iter("ClickTracking")]
    assert "/v1/signal/click/" in clicks[0]
    if version == "4.2":
        assert wrapper.attrib == {
            "followAdditionalWrappers": "false",
            "allowMultipleAds": "false",
            "fallbackOnNoAd": "true",
        }


async def test_a_sound_is_an_audio_ad() -> None:
    companion = {"image_url": "https://cdn.example/c.png", "width": 300, "height": 250, "alt": ""}
    content = {"media": [SOUND], "companion": companion}
    campaign, ad = an_ad_of(content, format=Format.AUDIO)
    async with a_player(campaign, ad) as player:
        root = await player.load()

    assert faults_of(root, "4.2") == []
    assert root[0].get("adType") == "audio"
    media = root.find(".//MediaFile")
    assert media is not None
    assert (media.get("type"), media.get("width")) == ("audio/mpeg", "0")
    assert {"scalable", "maintainAspectRatio"}.isdisjoint(media.keys())
    assert root.findtext(".//Companion/StaticResource") == companion["image_url"]


async def test_without_an_ad_it_is_204_or_an_empty_document() -> None:
    async with a_player(environment=Environment.TEST) as player:
        none = await player.ask("slot=pre-roll&output=vast")
        empty = await player.ask("slot=pre-roll&output=vast&empty=vast")
        counted = player.edge.counted()

    assert (none.status, none.body) == (204, b"")
    assert (empty.status, empty.headers["x-no-fill-reason"]) == (200, "no_candidate")
    root = parse_document(empty.body)
    assert (root.tag, root.get("version"), list(root)) == ("VAST", "4.2", [])
    assert counted == {"no_candidate": 2}


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ("output=vast&vast_version=2.0", "vast_version"),
        ("output=vast&pod=0", "pod"),
        ("output=vast&pod=21", "pod"),
        ("output=vast&max_duration_ms=0", "max_duration_ms"),
        ("output=vast&max_duration_ms=15s", "max_duration_ms"),
        ("output=vast&empty=yes", "empty"),
        ("output=vast&macros=yes", "macros"),
        ("output=vast&format=banner", "format"),
        ("output=vmap&breaks=start&format=banner", "format"),
        ("output=amp&format=html", "format"),
        ("output=vmap", "breaks"),
        ("output=vmap&breaks=middle", "breaks"),
        ("output=vpaid", "output"),
        ("output=vast&slot=pre-roll", "output"),
    ],
)
async def test_bad_parameters_are_refused_by_name(query: str, param: str) -> None:
    async with a_player(*an_advertiser("a")) as player:
        answer = await player.ask(f"slot=pre-roll&{query}")

    assert (answer.status, answer.json["error"]["param"]) == (422, param)


async def test_a_generated_thousand_documents_keep_every_rule() -> None:
    rng = random.Random(17)
    names = ("skip_offset_ms", "mezzanine", "universal_ad_id", "companions", "icons")
    objects: list[Any] = []
    for number in range(100):
        content: dict[str, Any] = {
            "media": [VIDEO | {"duration_ms": rng.randrange(5_600, 60_000)}] * rng.randint(1, 4)
        }
        if rng.random() < 0.2:
            content = dict(WRAPPER)
        else:
            content |= {name: WHOLE[name] for name in names if rng.random() < 0.5}
        if rng.random() < 0.5:
            content["verifications"] = WHOLE["verifications"] * rng.randint(1, 3)
        name = "".join(rng.choices("ab<>&\"'\x01]é中", k=12))
        campaign = a_campaign(bid_cents=rng.randint(1, 900))
        ad = a_video(
            campaign,
            content=content,
            name=name,
            advertiser_domain=f"a{number}.example",
            categories=("IAB1", "IAB2-3")[: rng.randint(0, 2)],
        )
        objects += [campaign, ad]

    async with a_player(*objects) as player:
        documents = 0
        for number in range(1_100):  # some bounds leave no ad
            if number % 250 == 249:
                later(player.edge.context, s=60)  # more requests than an address has in a minute
            version = VERSIONS[number % 2]
            size = rng.choice((1, 1, 1, 1, 2, 2, 3, 20))
            query = f"slot=pre-roll&output=vast&vast_version={version}&pod={size}"
            bound = f"&max_duration_ms={rng.randint(6_000, 90_000)}" if number % 3 else ""
            answer = await player.ask(query + bound)
            assert answer.status in {200, 204}, answer.body
            if answer.status == 200:
                documents += 1
                assert faults_of(parse_document(answer.body), version) == [], answer.body

    assert documents >= 1_000, documents


async def test_each_url_of_the_document_reports_its_event_once() -> None:
    campaign, ad = an_ad_of({"media": [VIDEO]})
    async with a_player(campaign, ad) as player:
        root = await player.load()
        urls = [one.text or "" for one in root.iter("Tracking")]
        urls += [root.findtext(".//Impression", ""), root.findtext(".//Viewable", "")]
        urls.append(root.findtext(".//Error", "").replace("%5BERRORCODE%5D", "405").split("#")[0])
        answers = [await player.get(url) for url in urls * 2]
        kinds = [record.kind.value for record in await events_of(player.edge.context)]
        errors = dict(player.edge.context.metrics.player_errors)

    assert {(answer.status, answer.headers["content-type"]) for answer in answers} == {
        (200, "image/gif")
    }
    assert sorted(kinds) == sorted(
        [
            *("impression", "viewable", "start", "first_quartile", "midpoint", "third_quartile"),
            *("complete", "skip", "error"),
        ]
    )
    assert errors == {"405": 2}


async def test_a_pixel_of_a_signal_counts_no_click_and_a_click_pixel_counts_nothing_else() -> None:
    async with a_player(*an_advertiser("w", content=WRAPPER)) as player:
        root = await player.load()
        click = root.findtext(".//ClickTracking", "")
        start = next(iter(root.iter("Tracking"))).text or ""
        swapped = [
            (await player.get(start.replace("/start/", "/click/"))).status,
            (await player.get(click.replace("/click/", "/start/"))).status,
            (await player.get(start.replace("/start/", "/impression/"))).status,
        ]
        counted = await player.get(click)
        kinds = [record.kind.value for record in await events_of(player.edge.context)]

    assert swapped == [404, 404, 404]
    assert (counted.status, kinds) == (200, ["click"])


async def test_a_ctv_property_shows_on_ctv_and_its_server_names_the_device() -> None:
    prop = a_property(kind="ctv", server_rendering=True)
    device = ("X-Device-IP: 203.0.113.9", "X-Device-User-Agent: Roku/DVP-12.5 (12.5.0.4178)")
    async with a_player(prop, *an_advertiser("a")) as player:
        answer = await player.ask("slot=pre-roll&output=vast", *device)
        root = parse_document(answer.body)
        await player.get(root.findtext(".//Impression", ""), *device, "User-Agent: stitcher/1.0")
        (record,) = await events_of(player.edge.context)
        bad = await player.ask("slot=pre-roll&output=vast", "X-Device-IP: nowhere")

    assert record.surface is Surface.CTV
    assert (record.facts.ip_prefix, record.device) == ("203.0.113.0/24", "tv")
    assert (bad.status, bad.json["error"]["param"]) == (422, "X-Device-IP")


@pytest.mark.parametrize(
    ("device", "facts"),
    [
        ("X-Device-User-Agent: Roku/DVP-12.5 (12.5.0.4178)", (None, "tv")),
        ("X-Device-IP: 203.0.113.9", ("203.0.113.0/24", None)),
    ],
)
async def test_a_pixel_is_judged_only_by_what_the_server_names_of_the_device(
    device: str, facts: tuple[str | None, str | None]
) -> None:
    prop = a_property(server_rendering=True, excluded_ip_ranges=("127.0.0.0/8",))
    async with a_player(prop, *an_advertiser("a")) as player:
        player.edge.context.lists = IpLists(JudgeLists(parse_ranges("127.0.0.0/8")))
        answer = await player.ask("slot=pre-roll&output=vast&surface=ios")
        pixel = parse_document(answer.body).findtext(".//Impression", "")
        await player.get(pixel, device, "User-Agent: python-requests/2.32.0")
        (record,) = await events_of(player.edge.context)

    assert record.reason in {Reason.OK, Reason.OK_TEST}
    assert (record.live_reason or Reason.OK) is Reason.OK
    assert (record.facts.ip_prefix, record.device) == facts


async def test_device_headers_of_clients_that_are_no_servers_are_ignored() -> None:
    async with a_player(a_property(kind="ctv"), *an_advertiser("a")) as player:
        answer = await player.ask("slot=pre-roll&output=vast", "X-Device-IP: nowhere")
        root = parse_document(answer.body)
        await player.get(root.findtext(".//Impression", ""), "X-Device-IP: 203.0.113.9")
        (record,) = await events_of(player.edge.context)

    assert answer.status == 200
    assert record.facts.ip_prefix != "203.0.113.0/24"


async def test_a_vmap_names_the_ad_tag_of_each_break() -> None:
    async with a_player(*an_advertiser("a")) as player:
        root = await player.load("slot=pre-roll&output=vmap&breaks=start,600500,end&pod=2")
        offsets = [one.get("timeOffset") for one in root]
        tag = root.findtext(".//AdTagURI", "")
        vast = await player.edge.get("/v1/" + tag.partition("/v1/")[2])

    assert (root.tag, root.get("version")) == ("VMAP", "1.0")
    assert offsets == ["start", "00:10:00.500", "end"]
    assert {one.get("breakType") for one in root} == {"linear"}
    assert faults_of(parse_document(vast.body), "4.2") == []
    assert SLOT.key in tag
