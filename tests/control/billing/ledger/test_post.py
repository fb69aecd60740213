"""Posting: entries sum to zero, repeats change nothing, and no balance is lost among many writers."""

import asyncio

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, ProgrammingError

from common.values.errors import Refused
from common.values.ids import new_id
from control.billing.ledger import entries
from control.billing.ledger.check import find_imbalances
from control.billing.ledger.entries import (
    ADJUSTMENTS,
    CASH,
    REVENUE,
    WALLET,
    EntryKind,
    LedgerEntry,
)
from tests.control.billing.ledger.world import Money, a_reference


async def test_a_top_up_moves_money_from_outside_into_the_wallet(money: Money) -> None:
    await money.post(entries.top_up(new_id(), 500, "operator"))

    assert await money.balances() == {CASH: -5_000_000, WALLET: 5_000_000}


async def test_the_same_reference_is_one_entry(money: Money) -> None:
    entry = entries.adjustment(a_reference(), -7, "operator")
    first, again = await money.post(entry), await money.post(entry)

    assert (again.entry_id, again.repeated) == (first.entry_id, True)
    assert await money.balances() == {ADJUSTMENTS: 70_000, WALLET: -70_000}


async def test_a_reference_that_names_something_else_is_refused(money: Money) -> None:
    reference = a_reference()
    await money.post(entries.adjustment(reference, 1, "operator"))

    with pytest.raises(Refused, match="belongs to another entry"):
        await money.post(entries.adjustment(reference, 2, "operator"))
    assert (await money.balances())[WALLET] == 10_000


@pytest.mark.parametrize("postings", [{WALLET: 5, REVENUE: -4}, {WALLET: 5}, {}])
async def test_the_database_refuses_an_entry_that_does_not_sum_to_zero(
    money: Money, postings: dict[entries.LedgerAccount, int]
) -> None:
    with pytest.raises(IntegrityError, match="postings that sum to"):
        await money.post(LedgerEntry(EntryKind.ADJUSTMENT, a_reference(), "operator", postings))

    assert await money.balances() == {}


async def test_an_old_entry_takes_no_further_posting(money: Money) -> None:
    posted = await money.post(entries.top_up(new_id(), 5, "operator"))
    await money.post(entries.adjustment(a_reference(), 5, "operator"))

    with pytest.raises(IntegrityError, match="3 postings that sum to 1"):
        await money.run(
            "insert into ledger_postings select :entry, id, account_id, 1 from ledger_accounts "
            "where account_id = :account and kind = 'adjustments'",
            entry=posted.entry_id,
            account=money.account_id,
        )


@pytest.mark.parametrize(
    "statement",
    [
        "update ledger_entries set memo = 'x'",
        "delete from ledger_entries",
        "update ledger_postings set micros = 1",
        "delete from ledger_postings",
        "truncate ledger_postings",
    ],
)
async def test_posted_entries_cannot_be_changed(money: Money, statement: str) -> None:
    await money.post(entries.top_up(new_id(), 5, "operator"))
    for transaction in (money.database.service(), money.database.tenant(money.account_id)):
        with pytest.raises(ProgrammingError, match="permission denied"):
            async with transaction as session:
                await session.execute(text(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "update ledger_accounts set balance_micros = 1",
        "insert into ledger_accounts (id, account_id, kind, balance_micros) values ('x', 'y', 'cash', 5)",
    ],
)
async def test_a_tenant_may_not_write_a_balance(money: Money, statement: str) -> None:
    with pytest.raises(ProgrammingError, match="permission denied"):
        async with money.database.tenant(money.account_id) as session:
            await session.execute(text(statement))


async def test_fifty_writers_lose_no_update(money: Money) -> None:
    cents = range(1, 51)
    await asyncio.gather(
        *(money.post(entries.top_up(new_id(), amount, "operator")) for amount in cents)
    )

    assert await money.balances() == {
        CASH: -sum(cents) * 10_000,
        WALLET: sum(cents) * 10_000,
    }
    async with money.database.service() as session:
        assert await find_imbalances(session) == []


async def test_fifty_writers_of_one_reference_post_once(money: Money) -> None:
    entry = entries.top_up(new_id(), 3, "operator")
    posted = await asyncio.gather(*(money.post(entry) for _ in range(50)))

    assert sum(not one.repeated for one in posted) == 1
    assert (await money.balances())[WALLET] == 30_000


async def test_times_of_entries_never_go_back(money: Money) -> None:
    first = await money.post(entries.top_up(new_id(), 1, "operator"))
    money.clock.advance(ms=-60_000)
    second = await money.post(entries.top_up(new_id(), 1, "operator"))

    assert second.at == first.at
