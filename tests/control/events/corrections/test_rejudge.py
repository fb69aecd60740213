"""Judging what is stored again: the same lists find nothing, newer ones what they know more."""

import uuid
from dataclasses import replace
from pathlib import Path

from common.ivt import ivt_flags
from common.ivt.judge_lists import JudgeLists, make_lists
from common.ivt.windows import LIMITS, Limits
from common.values.enums import EventKind, Format, Reason, Surface
from edge.state.ip_lists import IpLists
from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.corrections.stage import HOUR_MS, a_stage
from tests.control.events.ingest.world import FACTS, Edge

CLOUD = make_lists("203.0.113.0/24")
PART_OF_IT = make_lists("203.0.113.0/25")
NOTHING = JudgeLists()


async def test_a_played_day_judged_again_by_the_same_lists_stays_as_it_is(
    mailbox: Mailbox, tmp_path: Path
) -> None:
    async with a_stage(mailbox, tmp_path, HOUR_MS) as stage:
        await stage.ingest(stage.day.play(2_000), polls=10)
        lists = stage.day.live.lists.current
        found = await mailbox.find(lists, mailbox.limits)

    assert await mailbox.events()
    assert found == {}


async def test_newer_lists_retract_what_they_newly_recognise(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign()
    elsewhere = replace(FACTS, ip_prefix="198.51.100.0/24", client_hash="beef")
    await mailbox.ingest(
        [edge.event(campaign, signs=0), edge.event(campaign, signs=0, facts=elsewhere)]
    )
    assert await mailbox.find(NOTHING) == {}
    assert await mailbox.find(PART_OF_IT) == {}

    found = await mailbox.find(CLOUD)
    assert list(found.values()) == ["datacenter_ip"]
    await mailbox.retract(*found)
    assert await mailbox.check() == {"counted": 1, "not_counted": 0, "micros": 1000}
    assert await mailbox.find(CLOUD) == {}


async def test_a_server_rendering_caller_is_not_invalid_as_data_centre(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign, signs=ivt_flags.SERVER_CALLER)])
    assert await mailbox.find(CLOUD) == {}


async def test_what_was_stored_before_signs_were_kept_stays(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign)])
    assert await mailbox.find(CLOUD) == {}


async def test_a_click_in_a_mail_from_a_network_now_known_is_a_scanners(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign()
    mail = {"surface": Surface.EMAIL, "signs": 0}
    await mailbox.ingest(
        [edge.event(campaign, kind=EventKind.CLICK, **mail), edge.event(campaign, **mail)]
    )
    assert list((await mailbox.find(CLOUD)).values()) == ["mail_link_scanner"]


async def test_an_email_ad_that_was_stored_as_a_servers_is_judged_by_the_rules_of_mail(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign()
    proxy = {"format": Format.EMAIL, "signs": ivt_flags.UNKNOWN_AGENT}
    reader = {"format": Format.EMAIL, "signs": 0}
    banner = {"signs": ivt_flags.UNKNOWN_AGENT}
    server = Surface.SERVER
    await mailbox.ingest(
        [edge.event(campaign, surface=server, **one) for one in (proxy, reader, banner)]
    )
    assert list((await mailbox.find(NOTHING)).values()) == ["mail_privacy_proxy"]


async def test_narrower_limits_find_the_events_that_exceed_them(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign, ad = await mailbox.add_campaign(), uuid.uuid4()
    now_ms = mailbox.clock.now_ms()
    clicks = [
        edge.event(
            campaign,
            kind=EventKind.CLICK,
            ad_id=ad,
            facts=FACTS,
            at_ms=at_ms,
            issued_ms=at_ms - 9_000,
        )
        for at_ms in (now_ms - 20_000, now_ms - 15_000)
    ]
    await mailbox.ingest(clicks)
    assert await mailbox.find(NOTHING, LIMITS) == {}
    assert list((await mailbox.find(NOTHING, Limits(click_dedup_window_ms=10_000))).values()) == [
        "duplicate_click"
    ]


async def test_the_inputs_of_the_traffic_filter_are_stored_and_nothing_more(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign()
    robot = {
        "reason": Reason.BOT_USER_AGENT,
        "signs": ivt_flags.ROBOT,
        "lists_version": "abc123abc123",
    }
    await mailbox.ingest([edge.event(campaign, **robot)])
    (row,) = await mailbox.events()

    assert (row.signs, row.lists_version) == (ivt_flags.ROBOT, "abc123abc123")
    assert str(row.network) == "203.0.113.0/24"
    assert len(row.client) == 8


def test_the_lists_of_the_service_have_a_version_that_follows_their_content() -> None:
    own = IpLists.read(None).current
    assert own.version == IpLists.read(None).current.version
    assert len({own.version, CLOUD.version, PART_OF_IT.version}) == 3
    assert make_lists("203.0.113.0/24", count_opens=True).version != CLOUD.version
