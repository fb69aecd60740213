"""The gate `funded` closes when the money is spent, and opens in the transaction that adds some."""

from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from control.api.operator_action import operator_action
from control.billing.ledger.available_funds import Funds
from control.billing.ledger.entries import CASH, RECEIVABLE, WALLET, LedgerAccount
from control.billing.ledger.jobs import check_account_funds, check_ledger, post_spend
from control.billing.wallet import operator_actions
from control.billing.wallet.schemas import BillingMode
from tests.support.control_api import ControlApi
from tests.support.money import charge, earn, top_up
from tests.support.resources import Customer, made


@pytest.mark.parametrize(
    ("mode", "limit", "balances", "pending", "available"),
    [
        ("invoiced", None, {WALLET: -(10**15)}, 10**9, None),
        ("invoiced", 5, {WALLET: -30_000, RECEIVABLE: -10_000}, 9999, 1),
        ("invoiced", 5, {WALLET: -30_000, RECEIVABLE: -10_000}, 10_000, 0),
        ("invoiced", 0, {}, 0, 0),
        ("prepaid", None, {}, 0, 0),
        ("prepaid", 100, {WALLET: 5, CASH: -5}, 4, 1),
        ("prepaid", None, {WALLET: 5, RECEIVABLE: -5}, 0, 0),
    ],
)
def test_what_is_available(
    mode: str,
    limit: int | None,
    balances: dict[LedgerAccount, int],
    pending: int,
    available: int | None,
) -> None:
    funds = Funds(mode, limit, balances, pending)

    assert funds.available_micros == available
    assert funds.is_funded == (available is None or available > 0)


@dataclass(frozen=True, slots=True)
class Prepaid(Customer):
    """Whose one live campaign would deliver."""

    campaign: str = ""
    site: str = ""

    async def reason(self) -> str | None:
        shown: dict[str, str | None] = (await self.get(f"/v1/campaigns/{self.campaign}")).json()
        return shown["delivery_reason"]

    async def published(self) -> str:
        async with self.api.control.database.service() as session:
            return str(
                await session.scalar(
                    text("select convert_from(body, 'UTF8') from snapshot_objects where id = :id"),
                    {"id": self.person.account_id},
                )
            )

    async def charge(self, micros: int) -> None:
        account_id = self.person.account_id
        await charge(self.api.control, account_id, self.campaign, self.site, micros)

    async def run(self, statement: str, **values: Any) -> None:
        values |= {"account": self.person.account_id, "campaign": self.campaign, "site": self.site}
        async with self.api.control.database.service() as session:
            await session.execute(text(statement), values)


@pytest.fixture
async def prepaid(api: ControlApi) -> Prepaid:
    customer = Customer(api, await api.sign_up())
    site = (await customer.make_property())["id"]
    async with api.control.database.service() as session:
        await session.execute(
            text("update properties set status = 'verified' where id = :id"), {"id": site}
        )
    await customer.make_slot(site)
    campaign = (await customer.make_campaign(site))["id"]
    ad = await customer.make_ad(campaign)
    await customer.post(f"/v1/ads/{ad['id']}/activate")
    await customer.post(f"/v1/campaigns/{campaign}/activate")
    await top_up(api.control, customer.person.account_id, 1)
    async with operator_action(api.control) as act:
        await operator_actions.set_terms(act, customer.person.account_id, BillingMode.PREPAID, None)
    return Prepaid(api, customer.person, campaign, site)


async def test_an_empty_wallet_blocks_and_a_top_up_lifts_it(
    api: ControlApi, prepaid: Prepaid
) -> None:
    before = await prepaid.reason()
    await prepaid.charge(10_000)
    await check_account_funds(api.control)
    blocked, published = await prepaid.reason(), await prepaid.published()
    requested = made(await prepaid.post("/v1/wallet/top-ups", {"amount_cents": 1}))
    async with operator_action(api.control) as act:
        await operator_actions.confirm_top_up(act, requested["id"])

    assert before is None
    assert blocked is not None
    assert blocked.startswith("no_funds: ")
    assert '"funded":false' in published
    assert "funded" not in await prepaid.published()
    assert await prepaid.reason() is None


async def test_a_remaining_micro_keeps_the_account_funded(
    api: ControlApi, prepaid: Prepaid
) -> None:
    await prepaid.charge(9999)
    await check_account_funds(api.control)

    assert await prepaid.reason() is None


async def test_posting_spend_changes_nothing_about_the_gate(
    api: ControlApi, prepaid: Prepaid
) -> None:
    await prepaid.charge(10_001)
    await check_account_funds(api.control)
    await post_spend(api.control)
    wallet = (await prepaid.get("/v1/wallet")).json()

    assert (wallet["balance_micros"], wallet["pending_spend_micros"]) == (-1, 0)
    assert wallet["funded"] is False
    assert "funded" in await prepaid.published()


async def test_an_account_that_cannot_be_posted_does_not_hold_up_the_others(
    api: ControlApi, prepaid: Prepaid
) -> None:
    """Accounts are posted in the order of their ids, so the first one fails."""
    later = Customer(api, await api.sign_up())
    site = (await later.make_property())["id"]
    campaign = (await later.make_campaign(site))["id"]
    await prepaid.charge(5)
    await charge(api.control, later.person.account_id, campaign, site, 7)
    too_much = (
        "insert into charges (account_id, campaign_id, property_id, kind, units, micros) "
        "values (:account, :campaign, :site, 'impression', 1, :micros)"
    )
    for _ in range(2):  # their sum is more than a column holds
        await prepaid.run(too_much, micros=1 << 62)

    with pytest.raises(DBAPIError):
        await post_spend(api.control)
    assert (await later.get("/v1/wallet")).json()["balance_micros"] == -7

    await prepaid.run("delete from charges where account_id = :account and micros > 5")
    assert (await prepaid.get("/v1/wallet")).json()["pending_spend_micros"] == 5
    await post_spend(api.control)
    assert (await prepaid.get("/v1/wallet")).json()["pending_spend_micros"] == 0


async def test_a_credit_limit_blocks_and_no_limit_does_not(
    api: ControlApi, prepaid: Prepaid
) -> None:
    account_id = prepaid.person.account_id
    await prepaid.charge(60_000)
    reasons = []
    for limit in (5, 6, None):
        async with operator_action(api.control) as act:
            await operator_actions.set_terms(act, account_id, BillingMode.INVOICED, limit)
        reasons.append(await prepaid.reason())

    assert reasons[0] is not None
    assert reasons[1:] == [None, None]


async def test_all_postings_sum_to_zero(api: ControlApi, prepaid: Prepaid) -> None:
    await earn(api.control, prepaid.person.account_id, prepaid.campaign, prepaid.site, 777)
    await check_ledger(api.control)


async def test_an_inconsistent_ledger_is_reported(api: ControlApi, prepaid: Prepaid) -> None:
    await prepaid.charge(5)
    async with api.control.database.service() as session:
        await session.execute(
            text("delete from charges where campaign_id = :id"), {"id": prepaid.campaign}
        )

    with pytest.raises(RuntimeError, match="do not add up"):
        await check_ledger(api.control)
    async with api.control.database.service() as session:
        await session.execute(
            text("update campaign_spend set spent_micros = 0 where campaign_id = :id"),
            {"id": prepaid.campaign},
        )
