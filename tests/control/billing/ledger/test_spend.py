"""From ingest's charges into the ledger: to the micro, once, and nothing of test traffic."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.values.enums import EventKind, PricingModel
from control.billing.ledger.check import find_imbalances
from control.billing.ledger.entries import REVENUE, WALLET, payable, share
from tests.control.billing.ledger.world import Money
from tests.control.events.ingest.world import Edge


async def test_charges_are_posted_to_the_micro(money: Money) -> None:
    campaign = await money.add_campaign()
    await money.charge(campaign, 1001, 1002)

    assert await money.post_spend() == 1
    assert await money.balances() == {WALLET: -2003, REVENUE: 2003}
    assert await money.spent_micros(campaign) == 2003


async def test_posting_twice_changes_nothing(money: Money) -> None:
    await money.charge(await money.add_campaign(), 1000)
    await money.post_spend()

    assert await money.post_spend() == 0
    assert (await money.balances())[WALLET] == -1000


async def test_two_posters_at_once_post_once(money: Money) -> None:
    campaign = await money.add_campaign()
    for _ in range(3):
        await money.charge(campaign, 1000)

    taken = await asyncio.gather(*(money.post_spend() for _ in range(4)))

    assert sum(taken) == 3
    assert (await money.balances())[WALLET] == -3000


async def test_a_property_gets_its_share_and_the_house_the_rest(money: Money) -> None:
    await money.set_share(33)
    await money.charge(await money.add_campaign(), 1000, 10)
    await money.post_spend()

    assert await money.balances() == {
        WALLET: -1010,
        payable(money.property_id): 333,
        REVENUE: 677,
    }


async def test_shares_do_not_depend_on_how_spend_was_cut(money: Money) -> None:
    await money.set_share(33)
    campaign = await money.add_campaign()
    for _ in range(10):
        await money.charge(campaign, 101)
        await money.post_spend()

    assert (await money.balances())[payable(money.property_id)] == 1010 * 33 // 100


async def test_a_retracted_charge_retracts_the_share(money: Money) -> None:
    await money.set_share(50)
    campaign = await money.add_campaign()
    await money.charge(campaign, 1000)
    await money.post_spend()
    await money.run(
        "insert into charges (account_id, campaign_id, property_id, kind, units, micros) "
        "values (:account, :campaign, :property, 'impression', -1, -1000)",
        account=money.account_id,
        campaign=campaign,
        property=money.property_id,
    )
    await money.run(
        "update campaign_spend set spent_micros = 0 where campaign_id = :id", id=campaign
    )
    await money.post_spend()

    assert await money.balances() == {}


async def test_months_count_the_bought_events(money: Money) -> None:
    campaign = await money.add_campaign(pricing_model=PricingModel.CPC)
    await money.charge(campaign, 500, 500, kind=EventKind.CLICK, pricing_model=PricingModel.CPC)
    await money.charge(campaign, 500, pricing_model=PricingModel.CPC)
    await money.post_spend()

    rows = await money.rows(
        "select kind, units, micros from spend_months where campaign_id = :id", id=campaign
    )
    assert [tuple(row) for row in rows] == [("click", 2, 1000)]


async def test_events_past_the_budget_are_not_queued(money: Money) -> None:
    campaign = await money.add_campaign(budget_cents=1)
    await money.charge(campaign, 6000, 6000, 6000)
    await money.post_spend()

    assert (await money.balances())[WALLET] == -10_000


@pytest.mark.parametrize("kind", list(EventKind))
async def test_test_traffic_touches_no_row_of_money(
    money: Money, edge: Edge, kind: EventKind
) -> None:
    for environment in ("test", "live"):
        campaign = await money.add_campaign(environment=environment)
        await money.ingest([edge.event(campaign, kind=kind, is_test=True) for _ in range(3)])

    assert len(await money.events()) == 6
    for table in ("charges", "ledgers", "ledger_entries", "spend_months", "campaign_spend"):
        rows = await money.rows(
            f"select 1 from {table} where account_id = :id",  # noqa: S608 - a name from above
            id=money.account_id,
        )
        assert rows == [], table


async def test_every_charge_is_posted_or_queued(money: Money) -> None:
    campaigns = [await money.add_campaign() for _ in range(3)]
    for price, campaign in enumerate(campaigns * 3, start=1):
        await money.charge(campaign, price)
    await money.post_spend()
    await money.charge(campaigns[0], 77)

    async with money.database.service() as session:
        assert await find_imbalances(session) == []


async def test_spend_without_charges_is_an_imbalance_unless_the_account_is_a_sample(
    money: Money,
) -> None:
    mark = "update accounts set is_sample = :is_sample where id = :id"
    await money.run(mark, is_sample=True, id=money.account_id)
    campaign = await money.add_campaign()
    await money.charge(campaign, 500)

    async def imbalances_of_campaign() -> list[int]:
        async with money.database.service() as session:
            found = await find_imbalances(session)
        return [one.off_micros for one in found if one.object_id == campaign]

    assert await imbalances_of_campaign() == []
    await money.run(mark, is_sample=False, id=money.account_id)
    try:
        assert await imbalances_of_campaign() == [500]
    finally:  # other tests of this database find no imbalance
        await money.run(mark, is_sample=True, id=money.account_id)


@given(
    pieces=st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=30),
    percent=st.integers(0, 100),
)
def test_shares_of_parts_sum_to_the_share_of_the_whole(pieces: list[int], percent: int) -> None:
    remainder = total = 0
    for piece in pieces:
        micros, remainder = share(piece, percent, remainder)
        assert 0 <= remainder < 100
        total += micros

    assert total == sum(pieces) * percent // 100
