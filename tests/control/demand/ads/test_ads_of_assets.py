"""Ads made of uploaded files: what each role fills in, and which files it takes."""

from typing import Any

import pytest

from common.values.ids import new_id
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import CLIP, IMAGE, SOUND, Customer, an_asset, made, params_of

CLIP_OF_OURS = {
    "url": "https://cdn.example/a.mp4",
    "mime": "video/mp4",
    "width": 640,
    "height": 360,
    "duration_ms": 15_000,
}


async def a_campaign(customer: Customer) -> str:
    site = await customer.make_property()
    return str((await customer.make_campaign(site["id"]))["id"])


async def test_an_image_gives_a_banner_its_address_and_size(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    image = await an_asset(api, owner, **IMAGE)

    found = await customer.make_ad(
        await a_campaign(customer), content={"alt": "A"}, asset_ids={"image": image}
    )

    content = found["content"]
    assert found["asset_ids"] == {"image": image}
    assert (content["width"], content["height"], content["alt"]) == (300, 250, "A")
    assert content["image_url"].startswith(api.control.settings.assets_url)


async def test_renditions_and_a_companion_make_an_audio_ad(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    low, high = [await an_asset(api, owner, **SOUND) for _ in range(2)]
    image = await an_asset(api, owner, **IMAGE)

    found = await customer.make_ad(
        await a_campaign(customer),
        format="audio",
        content={"companion": {"alt": "Beside"}},
        asset_ids={"media.1": high, "companion": image, "media.0": low},
    )

    media, companion = found["content"]["media"], found["content"]["companion"]
    assert [(one["bitrate_kbps"], one["duration_ms"]) for one in media] == [(96, 15_000)] * 2
    assert media[0]["url"] != media[1]["url"]
    assert (companion["alt"], companion["width"]) == ("Beside", 300)


async def test_a_video_asset_fills_in_its_measured_fields(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    clip = await an_asset(api, owner, **CLIP)

    found = await customer.make_ad(
        await a_campaign(customer),
        format="video",
        content={"skip_offset_ms": 5_000},
        asset_ids={"media.0": clip},
    )

    only = found["content"]["media"][0]
    assert (only["mime"], only["width"], only["duration_ms"]) == ("video/mp4", 640, 15_000)


async def test_an_image_is_the_poster_of_a_video(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    clip, image = await an_asset(api, owner, **CLIP), await an_asset(api, owner, **IMAGE)
    chosen = {"media.0": clip, "poster": image}

    ad = await customer.make_ad(
        await a_campaign(customer), format="video", content={}, asset_ids=chosen
    )
    changed = await customer.patch(f"/v1/ads/{ad['id']}", 1, {"content": {"skip_offset_ms": 5_000}})

    assert ad["content"]["poster"].startswith(api.control.settings.assets_url)
    assert "width" not in ad["content"]
    assert changed.json()["content"]["poster"] == ad["content"]["poster"]


async def _an_html_file(customer: Customer, markup: str) -> str:
    sent = await customer.api.http.post(
        "/v1/assets?environment=live",
        files={"file": ("ad.html", markup.encode())},
        headers=customer.person.headers,
    )
    return str(made(sent)["id"])


async def test_an_html_file_gives_an_ad_its_markup(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    size = {"width": 300, "height": 250}
    first, second = [
        await _an_html_file(customer, f"<p>Offer {n} <a href='{{click_url}}'>é</a></p>")
        for n in (1, 2)
    ]

    ad = await customer.make_ad(
        await a_campaign(customer), format="html", content=size, asset_ids={"html": first}
    )
    path = f"/v1/ads/{ad['id']}"
    wider = (await customer.patch(path, 1, {"content": size | {"width": 728}})).json()
    moved = (await customer.patch(path, 2, {"asset_ids": {"html": second}})).json()

    assert ad["content"] == size | {"html": "<p>Offer 1 <a href='{click_url}'>é</a></p>"}
    assert wider["content"] == ad["content"] | {"width": 728}
    assert "Offer 2" in moved["content"]["html"]


async def test_an_html_file_over_64_kib_makes_no_ad(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    large = await an_asset(api, owner, kind="html", mime="text/html", bytes=65_537)

    refused = await customer.post(
        "/v1/ads?environment=live",
        {
            "campaign_id": await a_campaign(customer),
            "name": "Large",
            "format": "html",
            "content": {"width": 300, "height": 250},
            "asset_ids": {"html": large},
        },
    )

    assert params_of(refused) == ["asset_ids.html"]
    assert "64 KiB" in refused.text


async def test_another_asset_replaces_what_the_one_before_filled_in(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    small, large = [await an_asset(api, owner, **IMAGE | {"width": w}) for w in (300, 728)]
    ad = await customer.make_ad(await a_campaign(customer), content={}, asset_ids={"image": small})
    path = f"/v1/ads/{ad['id']}"

    moved = (await customer.patch(path, 1, {"asset_ids": {"image": large}})).json()
    alone = (await customer.patch(path, 2, {"asset_ids": {}})).json()

    assert (moved["content"]["width"], alone["content"]["width"]) == (728, 728)
    assert alone["asset_ids"] == {}


@pytest.mark.parametrize(
    ("columns", "ad_format", "role"),
    [
        (SOUND, "banner", "image"),
        (IMAGE, "banner", "icon"),
        (IMAGE, "html", "image"),
        (SOUND, "audio", "media.1"),
        (IMAGE | {"status": "processing", "object_name": None}, "banner", "image"),
    ],
)
async def test_a_role_takes_its_own_kind_of_ready_file(
    api: ControlApi, owner: Person, columns: dict[str, Any], ad_format: str, role: str
) -> None:
    customer = Customer(api, owner)
    asset = await an_asset(api, owner, **columns)
    body = {
        "campaign_id": await a_campaign(customer),
        "name": "A",
        "format": ad_format,
        "content": {"width": 300, "height": 250} if ad_format == "html" else {},
        "asset_ids": {role: asset},
    }

    assert params_of(await customer.post("/v1/ads?environment=live", body)) == [f"asset_ids.{role}"]


@pytest.mark.parametrize(
    ("ad_format", "content", "assets", "params"),
    [
        (
            "native",
            {"title": "T" * 91, "body": "B", "cta": "Go"},
            {"icon": SOUND, "image": IMAGE | {"status": "processing"}, "logo": IMAGE},
            ["asset_ids.icon", "asset_ids.image", "asset_ids.logo", "content.title", "slot_ids"],
        ),
        (
            "email",
            {"alt": "A"},
            {"picture": IMAGE},
            ["asset_ids.picture", "content.text_fallback", "slot_ids"],
        ),
        (
            "audio",
            {"companion": {"alt": 5}},
            {"media.0": IMAGE, "media.1": IMAGE, "media.3": SOUND, "companion": SOUND},
            [
                "asset_ids.companion",
                "asset_ids.media.0",
                "asset_ids.media.1",
                "asset_ids.media.3",
                "content.companion.alt",
                "slot_ids",
            ],
        ),
        (
            "video",
            {"media": [CLIP_OF_OURS], "skip_offset_ms": 5_000},
            {"media.1": IMAGE, "media.2": CLIP},
            ["asset_ids.media.1", "slot_ids"],
        ),
        ("video", {"media": 5}, {"media.0": IMAGE}, ["asset_ids.media.0", "slot_ids"]),
    ],
)
async def test_all_faults_of_an_ad_are_named_at_once(  # noqa: PLR0917
    api: ControlApi,
    owner: Person,
    ad_format: str,
    content: dict[str, Any],
    assets: dict[str, dict[str, Any]],
    params: list[str],
) -> None:
    customer = Customer(api, owner)
    body = {
        "campaign_id": await a_campaign(customer),
        "name": "A",
        "format": ad_format,
        "content": content,
        "asset_ids": {role: await an_asset(api, owner, **one) for role, one in assets.items()},
        "slot_ids": [new_id()],
    }

    answer = await customer.post("/v1/ads?environment=live", body)

    assert (answer.status_code, sorted(params_of(answer))) == (422, params)


async def test_a_gap_names_the_first_media_that_is_missing(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    sounds = {
        role: await an_asset(api, owner, **SOUND) for role in ("media.0", "media.2", "media.3")
    }
    body = {
        "campaign_id": await a_campaign(customer),
        "name": "A",
        "format": "audio",
        "content": {},
        "asset_ids": sounds,
    }

    details = (await customer.post("/v1/ads?environment=live", body)).json()["error"]["details"]

    assert [one["param"] for one in details] == ["asset_ids.media.2", "asset_ids.media.3"]
    assert all(one["message"].startswith("`media.1` is missing.") for one in details)


async def test_a_change_names_all_faults_at_once(api: ControlApi, owner: Person) -> None:
    customer = Customer(api, owner)
    image, sound = [await an_asset(api, owner, **one) for one in (IMAGE, SOUND)]
    ad = await customer.make_ad(await a_campaign(customer), content={}, asset_ids={"image": image})
    body = {
        "content": {"alt": 5},
        "asset_ids": {"image": sound, "logo": image},
        "slot_ids": [new_id()],
    }

    answer = await customer.patch(f"/v1/ads/{ad['id']}", 1, body)

    assert sorted(params_of(answer)) == [
        "asset_ids.image",
        "asset_ids.logo",
        "content.alt",
        "slot_ids",
    ]
    assert (await customer.get(f"/v1/ads/{ad['id']}")).json() == ad


async def test_fields_that_no_asset_fills_in_are_still_required(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    image = await an_asset(api, owner, **IMAGE)
    body = {
        "campaign_id": await a_campaign(customer),
        "name": "A",
        "format": "email",
        "content": {"alt": "A"},
        "asset_ids": {"image": image},
    }

    answer = await customer.post("/v1/ads?environment=live", body)

    assert params_of(answer) == ["content.text_fallback"]


async def test_an_asset_of_another_account_or_environment_is_not_found(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    outsider = await api.sign_up()
    campaign = await a_campaign(customer)
    for asset in (
        await an_asset(api, outsider, **IMAGE),
        await an_asset(api, owner, **IMAGE, environment="test"),
        new_id(),
    ):
        body = {
            "campaign_id": campaign,
            "name": "A",
            "format": "banner",
            "content": {},
            "asset_ids": {"image": asset},
        }
        answer = await customer.post("/v1/ads?environment=live", body)
        assert (answer.status_code, code_of(answer)) == (404, "not_found")


async def test_a_key_changes_the_content_of_an_ad_whose_asset_it_cannot_see(
    api: ControlApi, owner: Person
) -> None:
    customer = Customer(api, owner)
    site = (await customer.make_property())["id"]
    campaign = (await customer.make_campaign(site))["id"]
    image = await an_asset(api, owner, **IMAGE)
    ad = await customer.make_ad(campaign, content={"alt": "Old"}, asset_ids={"image": image})
    path, key = f"/v1/ads/{ad['id']}", await customer.key_headers(site)

    changed = await customer.patch(path, 1, {"content": {"alt": "New"}}, key)
    same = await customer.patch(path, 2, {"asset_ids": {"image": image}}, key)
    foreign = await customer.patch(
        path, 3, {"asset_ids": {"image": await an_asset(api, owner, **IMAGE)}}, key
    )

    assert changed.json()["content"] == ad["content"] | {"alt": "New"}
    assert same.json()["content"] == changed.json()["content"]
    assert (foreign.status_code, code_of(foreign)) == (404, "not_found")


@pytest.mark.parametrize(
    ("ad_format", "content", "assets"),
    [
        ("banner", {"alt": "A"}, {"image": IMAGE}),
        ("audio", {"companion": {"alt": "A"}}, {"companion": IMAGE, "media.0": SOUND}),
        ("video", {"skip_offset_ms": 5_000}, {"media.0": CLIP, "media.1": CLIP}),
        ("native", {"title": "T", "body": "B", "cta": "Go"}, {"icon": IMAGE, "image": IMAGE}),
    ],
)
async def test_an_unchanged_role_keeps_its_content_though_its_asset_is_archived(
    api: ControlApi,
    owner: Person,
    ad_format: str,
    content: dict[str, Any],
    assets: dict[str, dict[str, Any]],
) -> None:
    customer = Customer(api, owner)
    ad = await customer.make_ad(
        await a_campaign(customer),
        format=ad_format,
        content=content,
        asset_ids={role: await an_asset(api, owner, **one) for role, one in assets.items()},
    )
    for asset_id in ad["asset_ids"].values():
        await customer.execute("update assets set status = 'archived' where id = :id", id=asset_id)

    changed = await customer.patch(f"/v1/ads/{ad['id']}", 1, {"content": content})

    assert changed.status_code == 200, changed.text
    assert changed.json()["content"] == ad["content"]
