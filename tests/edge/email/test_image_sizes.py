"""Images that are chosen when mails are opened, in slots of several sizes."""

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from common.snapshot.codec import canonical_json
from common.snapshot.messages import ObjectChange
from common.snapshot.model import Budget, FrequencyCap, ObjectType, Size
from common.snapshot.snapshot import apply_entries
from common.values.enums import CampaignStatus, EventKind, Priority
from edge.email.links import LinkUse, open_link, seal_link
from tests.edge.email.mail_world import Sender, a_mail_ad, a_mail_slot, a_sender
from tests.support.builders import a_campaign

_WIDE, _SMALL, _TALL = (600, 200), (300, 200), (600, 300)
"""The ad of `a_sender` is wide."""
_SHOES, _CUP = "https://cdn.example/shoes.png", "https://cdn.example/cup.png"


def _slot(*sizes: tuple[int, int], **changes: Any) -> Any:
    return a_mail_slot(sizes=tuple(Size(*size) for size in sizes), **changes)


def _a_small_ad(**changes: Any) -> tuple[Any, Any]:
    campaign = a_campaign(**changes)
    content = {"image_url": _CUP, "width": 300, "height": 200, "alt": "A cup"}
    return campaign, a_mail_ad(campaign, content=canonical_json(content), width=300, height=200)


async def _shown(sender: Sender, item: dict[str, Any]) -> Any:
    """What the image shows: the URL of an ad's image, or the size of a transparent one."""
    image = await sender.open(item["image_url"])
    return image.headers.get("location") or struct.unpack(">II", image.content[16:24])


async def _open(sender: Sender, **fields: Any) -> list[tuple[tuple[int, int], Any]]:
    """For each item the size that the mail states, and what its image shows."""
    items = (await sender.prepare(render="on_open", **fields))["items"]
    return [((item["width"], item["height"]), await _shown(sender, item)) for item in items]


def _delete_ad(sender: Sender) -> None:
    before = sender.edge.snapshots.current()
    change = ObjectChange(ObjectType.AD, sender.ad.id, None)
    sender.edge.snapshots.swap(apply_entries(before, before.version + 1, [change]))


@pytest.mark.parametrize("mode", ["per_send", "per_recipient"])
async def test_a_mail_states_the_size_of_the_ad_that_its_slot_has(
    tmp_path: Path, mode: str
) -> None:
    slot = _slot(_TALL, _SMALL, _WIDE)
    async with a_sender(tmp_path, slot=slot) as sender:
        assert await _open(sender, mode=mode) == [(_WIDE, _SHOES)]


async def test_an_ad_of_a_smaller_size_is_never_scaled(tmp_path: Path) -> None:
    slot = _slot(_TALL, _SMALL, _WIDE)
    async with a_sender(tmp_path, *_a_small_ad(bid_cents=1), slot=slot) as sender:
        (before,) = (await sender.prepare(render="on_open"))["items"]
        _delete_ad(sender)
        shown = await _shown(sender, before)
        after = await _open(sender, send_id="2")

    assert shown == (before["width"], before["height"]) == _WIDE
    assert after == [(_SMALL, _CUP)]


async def test_mails_from_before_sizes_were_exact_still_show_an_ad_of_another_size(
    tmp_path: Path,
) -> None:
    async with a_sender(tmp_path, slot=_slot(_TALL, _WIDE)) as sender:
        (item,) = (await sender.prepare(render="on_open"))["items"]
        start, _, text = item["image_url"].rpartition("/")
        edge = sender.edge
        link, prop = open_link(edge.secrets, edge.snapshots.current(), text, LinkUse.IMAGE)
        earlier = replace(link, width=_TALL[0], height=_TALL[1], is_exact=False)
        sealed = seal_link(edge.secrets, prop, edge.environment, earlier, LinkUse.IMAGE)
        assert await _shown(sender, {"image_url": f"{start}/{sealed}"}) == _SHOES


async def test_a_house_ad_of_another_size_is_not_scaled_either(tmp_path: Path) -> None:
    house = _a_small_ad(priority=Priority.HOUSE, bid_cents=0, status=CampaignStatus.PAUSED)
    slot = _slot(_TALL, _SMALL, _WIDE, house_ad_id=house[1].id)
    async with a_sender(tmp_path, *house, slot=slot) as sender:
        (before,) = (await sender.prepare(render="on_open"))["items"]
        _delete_ad(sender)
        shown = await _shown(sender, before)
        after = await _open(sender, send_id="2")

    assert shown == _WIDE
    assert after == [(_SMALL, _CUP)]


async def test_each_recipient_gets_the_size_of_the_ad_that_is_targeted_at_it(
    tmp_path: Path,
) -> None:
    small = _a_small_ad(targeting='{"geo":{"include":[{"country":"br"}]}}', bid_cents=900)
    people = [{"ref": country, "country": country} for country in ("BR", "DE")]
    async with a_sender(tmp_path, *small, slot=_slot(_TALL, _SMALL, _WIDE)) as sender:
        shown = await _open(sender, recipients=people)

    assert shown == [(_SMALL, _CUP), (_WIDE, _SHOES)]


async def test_an_ad_with_a_frequency_cap_has_its_size_where_the_person_is_known(
    tmp_path: Path,
) -> None:
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 86_400)
    people = [{"ref": "r1", "uid": "anna"}, {"ref": "r2"}]
    stock = _a_small_ad(bid_cents=1)
    slot = _slot(_TALL, _SMALL, _WIDE)
    async with a_sender(tmp_path, *stock, slot=slot, frequency_caps=(cap,)) as sender:
        shown = await _open(sender, recipients=people)

    assert shown == [(_WIDE, _SHOES), (_SMALL, _CUP)]


async def test_an_ad_whose_budget_waits_now_has_its_size(tmp_path: Path) -> None:
    budget = Budget(total_micros=10_000_000, daily_micros=None)
    async with a_sender(tmp_path, slot=_slot(_TALL, _WIDE), budget=budget) as sender:
        shown = await _open(sender)

    assert shown == [(_WIDE, _WIDE)], "the worker has no lease, so the image is transparent"
