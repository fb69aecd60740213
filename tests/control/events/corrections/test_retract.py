"""Taking events back: a correction beside each, everything that counted it one less, the money given back once."""

import asyncio
from datetime import timedelta

from common.snapshot.model import ObjectType
from common.values.clock import to_ms
from common.values.enums import EventKind, PricingModel, Reason, Source
from control.billing.ledger.entries import REVENUE, WALLET, payable
from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.ingest.world import Edge, an_event

CLICK = EventKind.CLICK


async def test_a_correction_stands_beside_what_it_corrects(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign, country="de", device="mobile")])
    (original,) = await mailbox.events()
    mailbox.clock.advance(ms=3 * 3_600_000)

    done = await mailbox.retract(original.id)
    first, correction = await mailbox.events()

    assert (done.events, done.micros) == (1, 1000)
    assert first == original
    assert (correction.corrects, correction.reason, correction.valid) == (
        original.id,
        "retracted",
        False,
    )
    assert (correction.charged_micros, correction.at) == (-1000, mailbox.clock.now())
    assert (correction.kind, correction.country, correction.device) == (
        "impression",
        "de",
        "mobile",
    )
    assert (correction.token_id, correction.campaign_id) == (
        original.token_id,
        original.campaign_id,
    )
    assert correction.xid > original.xid


async def test_every_sum_that_counted_the_event_decreases_by_one(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign) for _ in range(3)])
    before = await mailbox.check()
    await mailbox.retract((await mailbox.events())[0].id)

    assert before == {"counted": 3, "not_counted": 0, "micros": 3000}
    assert await mailbox.check() == {"counted": 2, "not_counted": 0, "micros": 2000}


async def test_a_retracted_preview_decreases_no_sum(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign()
    shown = an_event(mailbox, campaign)
    preview = an_event(mailbox, campaign, ad_id=shown.ad_id, preview=True, source=Source.PREVIEW)
    await mailbox.ingest([edge.wrap(shown), edge.wrap(preview)])
    sums = (
        "select (select count(*) from event_hourly where account_id = :account), s.impressions, a.impressions "
        "from campaign_spend s join ad_counts a on a.ad_id = :ad where s.campaign_id = :campaign"
    )
    (previewed,) = [row for row in await mailbox.events() if row.source == Source.PREVIEW]

    done = await mailbox.retract(previewed.id)

    rows = await mailbox.rows(sums, account=mailbox.account_id, ad=shown.ad_id, campaign=campaign)
    assert done.events == 1
    assert [tuple(row) for row in rows] == [(1, 1, 1)]


async def test_a_retraction_counts_in_its_own_hour_and_changes_no_earlier_one(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign)])
    hours = "select hour, reason, count, charged_micros from event_hourly where account_id = :account order by 1, 2"
    (before,) = await mailbox.rows(hours, account=mailbox.account_id)
    mailbox.clock.advance(ms=2 * 3_600_000)
    await mailbox.retract((await mailbox.events())[0].id)

    first, *made = await mailbox.rows(hours, account=mailbox.account_id)
    assert first == before
    assert [(row.reason, row.count, row.charged_micros) for row in made] == [
        ("retracted", -1, -1000),
    ]
    assert {row.hour for row in made} == {
        mailbox.clock.now().replace(minute=0, second=0, microsecond=0)
    }


async def test_concurrent_retractions_retract_an_event_once(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign) for _ in range(4)])
    ids = [row.id for row in await mailbox.events()]
    done = await asyncio.gather(*(mailbox.retract(*ids) for _ in range(4)))
    mailbox.clock.advance(ms=3 * 86_400_000)
    again = await mailbox.retract(*ids)

    assert sum(one.events for one in done) == 4
    assert (again.events, again.micros) == (0, 0)
    assert await mailbox.check() == {"counted": 0, "not_counted": 0, "micros": 0}


async def test_the_money_comes_back_by_an_entry_of_its_own(mailbox: Mailbox, edge: Edge) -> None:
    await mailbox.set_share(50)
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign), edge.event(campaign)])
    await mailbox.post_spend()
    entries = (
        "select kind, reference from ledger_entries where account_id = :account order by at, id"
    )
    before = await mailbox.rows(entries, account=mailbox.account_id)

    await mailbox.retract((await mailbox.events())[0].id)
    await mailbox.post_spend()

    after = await mailbox.rows(entries, account=mailbox.account_id)
    assert after[: len(before)] == before
    assert len(after) == len(before) + 1
    assert await mailbox.balances() == {
        WALLET: -1000,
        REVENUE: 500,
        payable(mailbox.property_id): 500,
    }


async def test_a_month_that_is_over_stays_as_it_was(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign), edge.event(campaign)])
    await mailbox.post_spend()
    months = (
        "select month, units, micros from spend_months where account_id = :account order by month"
    )
    (before,) = await mailbox.rows(months, account=mailbox.account_id)
    mailbox.clock.advance(ms=40 * 86_400_000)

    await mailbox.retract((await mailbox.events())[0].id)
    await mailbox.post_spend()
    first, now = await mailbox.rows(months, account=mailbox.account_id)

    assert first == before
    assert (now.month, now.units, now.micros) == (
        mailbox.clock.now().date().replace(day=1),
        -1,
        -1000,
    )


async def test_a_budget_that_was_used_up_has_room_again(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign(budget_cents=1)
    await mailbox.ingest([edge.event(campaign) for _ in range(10)])
    status = "select status from campaigns where id = :id"
    assert (await mailbox.rows(status, id=campaign))[0].status == "completed"

    done = await mailbox.retract((await mailbox.events())[0].id)

    assert done.reopened == [campaign]
    assert (await mailbox.rows(status, id=campaign))[0].status == "active"
    assert mailbox.flushed[-1] == (ObjectType.CAMPAIGN, campaign)
    await mailbox.ingest([edge.event(campaign)])
    assert (await mailbox.check())["micros"] == 10_000


async def test_a_refund_does_not_resume_a_paused_campaign(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign(budget_cents=1)
    await mailbox.run("update campaigns set status = 'paused' where id = :id", id=campaign)
    await mailbox.ingest([edge.event(campaign) for _ in range(10)])

    done = await mailbox.retract((await mailbox.events())[0].id)

    status = "select status from campaigns where id = :id"
    assert done.reopened == []
    assert (await mailbox.rows(status, id=campaign))[0].status == "paused"


async def test_a_refund_reopens_a_campaign_that_was_paused_at_its_end_as_paused(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign(budget_cents=1)
    await mailbox.ingest([edge.event(campaign) for _ in range(10)])
    was = "update campaigns set completed_from = 'paused' where id = :id"
    await mailbox.run(was, id=campaign)

    done = await mailbox.retract((await mailbox.events())[0].id)

    status = "select status from campaigns where id = :id"
    assert done.reopened == [campaign]
    assert (await mailbox.rows(status, id=campaign))[0].status == "paused"


async def test_a_refund_that_pays_for_no_impression_reopens_nothing(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign(budget_cents=1, bid_cents=300)
    await mailbox.ingest([edge.event(campaign, price_micros=1_000) for _ in range(10)])
    ids = [row.id for row in await mailbox.events()]

    reopened = [(await mailbox.retract(*some)).reopened for some in (ids[:2], ids[2:3])]

    assert reopened == [[], [campaign]]


async def test_a_campaign_that_is_over_does_not_begin_again(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign(budget_cents=1)
    await mailbox.ingest([edge.event(campaign) for _ in range(10)])
    ended = mailbox.clock.now() - timedelta(seconds=1)
    await mailbox.run("update campaigns set end_at = :at where id = :id", at=ended, id=campaign)

    assert (await mailbox.retract((await mailbox.events())[0].id)).reopened == []


async def test_the_day_of_the_serve_gets_its_money_back(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign(daily_cents=1, timezone="Asia/Tokyo")
    await mailbox.ingest([edge.event(campaign) for _ in range(12)])
    charged = [row for row in await mailbox.events() if row.charged_micros]
    await mailbox.retract(charged[0].id)
    await mailbox.ingest([edge.event(campaign), edge.event(campaign)])

    assert sorted(row.charged_micros for row in (await mailbox.events())[-2:]) == [0, 1000]


async def test_a_retracted_click_returns_the_cost_of_the_click(
    mailbox: Mailbox, edge: Edge
) -> None:
    campaign = await mailbox.add_campaign(pricing_model=PricingModel.CPC)
    priced = {"pricing_model": PricingModel.CPC, "price_micros": 70_000}
    await mailbox.ingest(
        [edge.event(campaign, **priced), edge.event(campaign, kind=CLICK, **priced)]
    )
    await mailbox.retract(*(row.id for row in await mailbox.events()))

    charges = "select kind, units, micros from charges where account_id = :account order by id"
    rows = [tuple(row) for row in await mailbox.rows(charges, account=mailbox.account_id)]
    assert rows == [("click", 1, 70_000), ("click", -1, -70_000)]
    assert (await mailbox.check())["micros"] == 0


async def test_an_event_that_never_counted_is_not_retracted(mailbox: Mailbox, edge: Edge) -> None:
    campaign = await mailbox.add_campaign()
    await mailbox.ingest([edge.event(campaign, reason=Reason.BOT_USER_AGENT), edge.event(campaign)])
    robot = next(row for row in await mailbox.events() if not row.valid)
    assert (await mailbox.retract(robot.id)).events == 0

    valid = next(row for row in await mailbox.events() if row.valid)
    await mailbox.retract(valid.id)
    correction = next(row for row in await mailbox.events() if row.corrects)
    assert (await mailbox.retract(correction.id)).events == 0
    assert to_ms(correction.at) == mailbox.clock.now_ms()


async def test_taking_back_test_traffic_moves_no_money(mailbox: Mailbox, edge: Edge) -> None:
    await mailbox.ingest([edge.event(is_test=True, reason=Reason.OK_TEST)])
    done = await mailbox.retract((await mailbox.events())[0].id)

    assert (done.events, done.micros) == (1, 0)
    assert not await mailbox.rows(
        "select 1 from charges where account_id = :id", id=mailbox.account_id
    )
