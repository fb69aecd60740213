"""Bodies of mailings that are made to take long, mails that cannot show an ad, and what is not counted."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from common.snapshot.messages import ObjectChange
from common.snapshot.model import ObjectType
from common.snapshot.snapshot import apply_entries
from common.values.enums import CampaignStatus
from edge.request.raw_addresses import contains_address
from tests.edge.email.mail_world import a_body, a_mail_ad, a_sender
from tests.support.builders import a_campaign

_MEGABYTE = 1_000_000


def _nested(levels: int) -> bytes:
    return b'{"x":' + b"[" * levels + b"]" * levels + b"}"


def test_a_long_text_is_searched_in_one_pass() -> None:
    """Without a bound, a pattern that looks back from each place would take hours."""
    assert not contains_address("a" * _MEGABYTE + "@")
    assert not contains_address("%25" * (_MEGABYTE // 3))
    assert not contains_address("&#" + "1" * 5_000 + ";@")
    assert not contains_address("a@(" * _MEGABYTE)
    assert not contains_address("a@[" + "1" * _MEGABYTE)
    assert not contains_address("a@[1." * _MEGABYTE)
    assert contains_address("a" * 200 + "@example.com")


@pytest.mark.parametrize(
    "text",
    [
        *("john@example.com", "JOHN@EXAMPLE.COM.", "mailto:john@example.com?subject=x"),
        *('"john"@example.com', '"john doe"@example.com', '"a@b"@example.com', '"\\""@example.com'),
        *("john(work)@example.com", "john@(work)example.com", "o'@example.com", "%22john%22@a.org"),
        *(
            "john@[192.0.2.1]",
            "john@[IPv6:2001:db8::1]",
            "john@[ipv6:::1]",
            "john%40%5b192.0.2.1%5D",
        ),
        *("&quot;john&quot;&#64;example.com", "\uff02john\uff02\uff20example.com"),
        *("<john@example.com>", "John <john@example.com>, x", "josé@exämple.com"),
    ],
)
def test_an_address_is_found_however_it_is_written(text: str) -> None:
    assert contains_address(text)


@pytest.mark.parametrize(
    "text",
    [
        *("john", "a@b", "4f1c@", "@example", "@example.com", "(@example.com)", "see @example.com"),
        *("seat@[12]", "x@[cafe]", "a@[.]", "a@[1.2.3]", "a@[2001:db8::1]"),
        *("john@[]", "john@[", "x@[y]", "john@(work)", "a(@b)", "price: 3 @ 1.50", "a @ b.com"),
    ],
)
def test_other_texts_with_an_at_sign_are_no_addresses(text: str) -> None:
    assert not contains_address(text)


@pytest.mark.parametrize(
    ("kv", "render"),
    [
        (_nested(300), "on_open"),
        (_nested(900), "on_open"),
        (_nested(900).replace(b"x", b"%"), "fixed"),
        (b'{"' + b"x" * 90_000 + b'":["anna@example.com"]}', "fixed"),
        (orjson.dumps({"x": ["y"] * 51}), "fixed"),
    ],
    ids=["nested", "nested deeper", "nested and searched", "a long name", "many values"],
)
async def test_odd_key_values_are_refused_with_their_field(
    tmp_path: Path, kv: bytes, render: str
) -> None:
    recipients = b'[{"ref":"a","kv":' + kv + b"}]"
    body = orjson.dumps(a_body(render=render, recipients=[])).replace(b"[]", recipients)
    async with a_sender(tmp_path) as sender:
        response = await sender.post(body)

    assert response.status_code == 422
    assert len(response.content) < 2_000
    assert response.json()["error"]["param"].startswith("recipients.0.kv")


async def test_a_body_of_too_many_values_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        many = await sender.post(a_body(recipients=[[]] * 80_000))
        names = {f"n{number}": ["a@b.cc"] * 100 for number in range(600)}
        addresses = await sender.post(a_body(recipients=[{"ref": "a", "kv": names}]))

    error = many.json()["error"]
    assert (many.status_code, error["param"]) == (422, "body")
    assert (addresses.status_code, len(addresses.json()["error"]["details"])) == (422, 100)


async def test_the_largest_valid_mailing_is_prepared(tmp_path: Path) -> None:
    """A thousand recipients with fifty key-values, some with commas, which look like more values."""
    values = {f"k{number}": "a,b,c" for number in range(50)}
    people = [{"ref": f"r{number}", "kv": values} for number in range(1000)]
    async with a_sender(tmp_path) as sender:
        body = orjson.dumps(a_body(recipients=people))
        prepared = await sender.post(body)

    assert len(body) < 1 << 20
    assert prepared.json()["filled"] == 1000


@pytest.mark.parametrize("fields", [{}, {"mode": "per_send"}, {"mode": "per_send", "n": 0}])
async def test_an_ad_that_mails_cannot_show_leaves_its_place_to_the_next(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    """Six trackers of the greatest length make its markup longer than a mail's ad may be."""
    best = a_campaign(bid_cents=900)
    trackers = tuple(f"https://t.example/{number}?{'x' * 1_950}" for number in range(6))
    long = a_mail_ad(best, impression_trackers=trackers, advertiser_domain="long.example")
    is_shared = fields.pop("n", 1) == 0
    async with a_sender(tmp_path, best, long) as sender:
        prepared = await sender.prepare(**fields, **({"recipients": None} if is_shared else {}))
        counted = dict(sender.edge.metrics.decisions)

    assert [item["ad_id"] for item in prepared["items"]] == [sender.ad.id]
    assert counted == ({} if is_shared else {"fill": 1})


async def test_only_an_image_that_is_loaded_counts_a_no_fill(tmp_path: Path) -> None:
    async with a_sender(tmp_path, status=CampaignStatus.PAUSED) as sender:
        (item,) = (await sender.prepare(render="on_open"))["items"]
        path = item["image_url"].removeprefix(sender.edge.settings.edge_url)
        await sender.http.head(path)
        await sender.open(item["click_url"])
        before = dict(sender.edge.metrics.decisions)
        await sender.open(path)

    assert before == {}
    assert sum(sender.edge.metrics.decisions.values()) == 1


async def test_a_click_on_an_ad_that_is_gone_leads_to_the_propertys_site(tmp_path: Path) -> None:
    async with a_sender(tmp_path) as sender:
        (item,) = (await sender.prepare(render="on_open"))["items"]
        await sender.open(item["image_url"])
        before = sender.edge.snapshots.current()
        without = apply_entries(
            before, before.version + 1, [ObjectChange(ObjectType.AD, sender.ad.id, None)]
        )
        sender.edge.snapshots.swap(without)
        clicked = await sender.open(item["click_url"])

    assert clicked.headers["location"] == "https://shop.example/"
