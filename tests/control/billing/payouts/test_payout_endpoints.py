"""Payouts through the API, and the operator's part in them."""

import asyncio
from dataclasses import dataclass

import pytest

from common.values.errors import Refused
from control.api.operator_action import operator_action
from control.billing.ledger.check import find_imbalances
from control.billing.payouts import operator_actions
from tests.support.control_api import ControlApi, code_of
from tests.support.money import earn
from tests.support.resources import Customer, made


@dataclass(frozen=True, slots=True)
class Earner(Customer):
    """A customer with one property that has earned 10 000 cents and 5 micros."""

    site: str = ""

    async def ask(self, cents: int | None = None) -> dict[str, object]:
        body = {"property_id": self.site} | ({} if cents is None else {"amount_cents": cents})
        return made(await self.post("/v1/payouts", body))

    async def payable_micros(self) -> int:
        listed = (await self.get(f"/v1/wallet/earnings?property_id={self.site}")).json()["data"]
        return int(listed[0]["payable_micros"])


@pytest.fixture
async def earner(api: ControlApi) -> Earner:
    person = await api.sign_up()
    customer = Customer(api, person)
    site = (await customer.make_property())["id"]
    campaign = (await customer.make_campaign(site))["id"]
    await earn(api.control, person.account_id, campaign, site, 100_000_005)
    return Earner(api, person, site)


async def test_a_payout_reserves_the_money(earner: Earner) -> None:
    payout = await earner.ask(4000)

    assert (payout["status"], payout["payee"], payout["amount_cents"]) == ("requested", "Ana", 4000)
    assert await earner.payable_micros() == 60_000_005


async def test_without_an_amount_it_is_all_whole_cents(earner: Earner) -> None:
    assert (await earner.ask())["amount_cents"] == 10_000
    assert await earner.payable_micros() == 5


async def test_more_than_was_earned_is_refused(earner: Earner) -> None:
    body = {"property_id": earner.site, "amount_cents": 10_001}
    answer = await earner.post("/v1/payouts", body)

    assert (answer.status_code, code_of(answer)) == (409, "insufficient_balance")
    assert "10000 cents" in answer.json()["error"]["message"]
    assert await earner.payable_micros() == 100_000_005


async def test_many_at_once_never_pay_out_more_than_there_is(
    api: ControlApi, earner: Earner
) -> None:
    body = {"property_id": earner.site, "amount_cents": 3000}
    answers = await asyncio.gather(*(earner.post("/v1/payouts", body) for _ in range(8)))

    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 5
    assert await earner.payable_micros() == 10_000_005
    async with api.control.database.service() as session:
        assert await find_imbalances(session) == []


async def test_a_property_without_payee_cannot_be_paid(api: ControlApi) -> None:
    customer = Customer(api, await api.sign_up())
    site = (await customer.make_property())["id"]
    answer = await customer.post("/v1/payouts", {"property_id": site})

    assert (answer.status_code, code_of(answer)) == (409, "invalid_state")


async def test_approved_and_paid(api: ControlApi, earner: Earner) -> None:
    payout_id = str((await earner.ask(4000))["id"])
    for act_on in (
        operator_actions.approve,
        operator_actions.approve,
        operator_actions.mark_paid,
        operator_actions.mark_paid,
    ):
        async with operator_action(api.control) as act:
            await act_on(act, payout_id)
    payout = (await earner.get(f"/v1/payouts/{payout_id}")).json()

    assert payout["status"] == "paid"
    assert payout["approved_at"] <= payout["paid_at"]
    assert await earner.payable_micros() == 60_000_005


async def test_a_failed_payout_returns_the_money(api: ControlApi, earner: Earner) -> None:
    payout_id = str((await earner.ask(4000))["id"])
    for _ in range(2):
        async with operator_action(api.control) as act:
            await operator_actions.fail(act, payout_id, "Account closed")
    payout = (await earner.get("/v1/payouts?status=failed")).json()["data"][0]

    assert (payout["id"], payout["failure_reason"]) == (payout_id, "Account closed")
    assert await earner.payable_micros() == 100_000_005


async def test_a_payout_is_not_paid_before_it_is_approved(api: ControlApi, earner: Earner) -> None:
    payout_id = str((await earner.ask(1))["id"])
    with pytest.raises(Refused, match="approve"):
        async with operator_action(api.control) as act:
            await operator_actions.mark_paid(act, payout_id)


async def test_one_idempotency_key_is_one_payout(earner: Earner) -> None:
    headers = {**earner.headers, "Idempotency-Key": "mine"}
    body = {"property_id": earner.site, "amount_cents": 100}
    answers = await asyncio.gather(*(earner.post("/v1/payouts", body, headers) for _ in range(5)))

    made_ids = {answer.json()["id"] for answer in answers if answer.status_code == 201}
    assert len(made_ids) == 1
    assert await earner.payable_micros() == 99_000_005
