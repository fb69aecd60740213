"""Row-level security alone keeps one account's money from another's."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from tests.support.control_api import ControlApi, Person
from tests.support.money import bill_last_month, charge, earn, top_up
from tests.support.resources import Customer

TABLES = (
    *("ledgers", "ledger_accounts", "ledger_entries", "ledger_postings", "charges"),
    *("spend_months", "top_ups", "invoices", "invoice_lines", "payouts", "flat_rate_days"),
)


@pytest.fixture(scope="module")
async def rich(api: ControlApi) -> Person:
    """Has a row in every table of money."""
    person = await api.sign_up()
    customer = Customer(api, person)
    account_id = person.account_id
    site = (await customer.make_property())["id"]
    campaign = (await customer.make_campaign(site))["id"]
    await bill_last_month(api.control, account_id, 5)
    await earn(api.control, account_id, campaign, site, 1_000_000)
    await charge(api.control, account_id, campaign, site, 7)
    await top_up(api.control, account_id, 9)
    await customer.post("/v1/wallet/top-ups", {"amount_cents": 5})
    await customer.post("/v1/payouts", {"property_id": site})
    async with api.control.database.service() as session:
        await session.execute(
            text("insert into flat_rate_days values (:campaign, '2026-03-01', :account, 1, now())"),
            {"campaign": campaign, "account": account_id},
        )
    return person


@pytest.mark.parametrize("table", TABLES)
async def test_a_tenant_sees_its_own_money_only(
    api: ControlApi, owner: Person, rich: Person, table: str
) -> None:
    counts = []
    for account_id in (rich.account_id, owner.account_id):
        async with api.control.database.tenant(account_id) as session:
            counts.append(await session.scalar(text(f"select count(*) from {table}")))  # noqa: S608 - a name from above

    assert counts[0]
    assert counts[1] == 0


@pytest.mark.parametrize(
    "statement",
    [
        (
            "insert into ledger_entries (id, account_id, at, kind, reference, actor) "
            "values ('x', :other, now(), 'top_up', 'x', 'x')"
        ),
        (
            "insert into top_ups (id, account_id, amount_cents, status, provider, provider_reference, "
            "instructions, created_at) values ('x', :other, 1, 'pending', 'x', 'x', 'x', now())"
        ),
        "update accounts set funded = true, credit_limit_cents = 5 where id = :other",
        "update invoices set status = 'paid' where account_id <> :other",
        "update top_ups set status = 'confirmed' where account_id <> :other",
        "update payouts set status = 'approved' where account_id <> :other",
        "delete from charges where account_id <> :other",
    ],
)
async def test_a_tenant_can_neither_write_anothers_entries_nor_settle_its_own(
    api: ControlApi, owner: Person, rich: Person, statement: str
) -> None:
    with pytest.raises(ProgrammingError, match=r"row-level security|permission denied"):
        async with api.control.database.tenant(rich.account_id) as session:
            await session.execute(text(statement), {"other": owner.account_id})
