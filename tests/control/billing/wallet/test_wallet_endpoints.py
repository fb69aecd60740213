"""The wallet through the API, and the operator's acts on it."""

from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from control.api.operator_action import NotFound, OperatorAction, operator_action
from control.billing.wallet import operator_actions
from control.billing.wallet.schemas import BillingMode
from control.ports.payments import PaymentProvider, PaymentRequest, PaymentStarted
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.money import charge, earn
from tests.support.resources import Customer, made, params_of


@pytest.fixture
async def customer(api: ControlApi) -> Customer:
    return Customer(api, await api.sign_up())


async def _confirm(api: ControlApi, top_up_id: str) -> None:
    async with operator_action(api.control) as act:
        await operator_actions.confirm_top_up(act, top_up_id)


@pytest.mark.usefixtures("customer")  # the first account is the operator's
async def test_a_new_wallet_is_empty_and_invoiced_up_to_a_limit(api: ControlApi) -> None:
    later = Customer(api, await api.sign_up())
    answer = await later.get("/v1/wallet")

    assert answer.json() == {
        "currency": "USD",
        "mode": "invoiced",
        "balance_cents": 0,
        "balance_micros": 0,
        "pending_spend_micros": 0,
        "invoiced_cents": 0,
        "credit_limit_cents": 500_000,
        "available_micros": 5_000_000_000,
        "funded": True,
    }


async def test_a_top_up_is_pending_until_the_operator_confirms_it(
    api: ControlApi, customer: Customer
) -> None:
    requested = await customer.post("/v1/wallet/top-ups", {"amount_cents": 12_345})
    top_up = made(requested)
    before = (await customer.get("/v1/wallet")).json()
    await _confirm(api, top_up["id"])
    after = (await customer.get("/v1/wallet")).json()
    shown = (await customer.get(requested.headers["location"])).json()

    assert top_up["status"] == "pending"
    assert "USD 123.45" in top_up["instructions"]
    assert top_up["provider_reference"] in top_up["instructions"]
    assert (before["balance_cents"], after["balance_cents"]) == (0, 12_345)
    assert (shown["status"], shown["settled_at"] is None) == ("confirmed", False)


async def test_confirming_twice_pays_in_once(api: ControlApi, customer: Customer) -> None:
    top_up = made(await customer.post("/v1/wallet/top-ups", {"amount_cents": 100}))
    await _confirm(api, top_up["id"])
    await _confirm(api, top_up["id"])

    entries = (await customer.get("/v1/wallet/entries")).json()["data"]
    assert [entry["amount_micros"] for entry in entries] == [1_000_000]
    assert entries[0]["reference"] == f"top_up:{top_up['id']}"


class _Counting:
    """Counts the payments that *provider* starts."""

    def __init__(self, provider: PaymentProvider) -> None:
        self._provider = provider
        self.started = 0

    async def start(self, payment: PaymentRequest) -> PaymentStarted:
        self.started += 1
        return await self._provider.start(payment)


async def test_a_top_up_is_made_once_an_idempotency_key(
    api: ControlApi, customer: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = _Counting(api.control.payments)
    monkeypatch.setattr(api.control, "payments", provider)
    headers = {**customer.headers, "Idempotency-Key": "one"}
    answers = [
        await customer.post("/v1/wallet/top-ups", {"amount_cents": 7}, headers) for _ in range(2)
    ]

    assert provider.started == 1
    assert answers[0].content == answers[1].content
    listed = (await customer.get("/v1/wallet/top-ups")).json()["data"]
    assert [one["id"] for one in listed] == [answers[0].json()["id"]]


async def test_a_top_up_that_failed_says_why_and_can_still_be_confirmed(
    api: ControlApi, customer: Customer
) -> None:
    top_up = made(await customer.post("/v1/wallet/top-ups", {"amount_cents": 100}))
    async with operator_action(api.control) as act:
        await operator_actions.fail_top_up(act, top_up["id"], "No transfer was seen.")
    failed = (await customer.get("/v1/wallet/top-ups?status=failed")).json()["data"]
    await _confirm(api, top_up["id"])

    assert [one["failure_reason"] for one in failed] == ["No transfer was seen."]
    assert (await customer.get("/v1/wallet")).json()["balance_cents"] == 100


async def test_a_cancelled_top_up_is_confirmed_by_money_that_arrives_late(
    api: ControlApi, customer: Customer
) -> None:
    top_up = made(await customer.post("/v1/wallet/top-ups", {"amount_cents": 100}))
    path = f"/v1/wallet/top-ups/{top_up['id']}/cancel"
    cancelled = await customer.post(path, None)
    again = await customer.post(path, None)
    await _confirm(api, top_up["id"])

    assert cancelled.status_code == 200, cancelled.text
    assert (cancelled.json()["status"], cancelled.json()["settled_at"] is None) == (
        "cancelled",
        False,
    )
    assert code_of(again) == "invalid_state"
    assert (await customer.get("/v1/wallet")).json()["balance_cents"] == 100


async def test_a_confirmed_top_up_cannot_be_cancelled(api: ControlApi, customer: Customer) -> None:
    top_up = made(await customer.post("/v1/wallet/top-ups", {"amount_cents": 100}))
    await _confirm(api, top_up["id"])
    answer = await customer.post(f"/v1/wallet/top-ups/{top_up['id']}/cancel", None)

    assert code_of(answer) == "invalid_state"
    assert (await customer.get("/v1/wallet")).json()["balance_cents"] == 100


async def test_a_tenant_cannot_confirm_a_top_up(api: ControlApi, customer: Customer) -> None:
    top_up = made(await customer.post("/v1/wallet/top-ups", {"amount_cents": 100}))
    confirming = text("update top_ups set status = 'confirmed' where id = :id")
    with pytest.raises(ProgrammingError, match="row-level security"):
        async with api.control.database.tenant(customer.person.account_id) as session:
            await session.execute(confirming, {"id": top_up["id"]})


async def test_amounts_are_whole_cents_within_bounds(customer: Customer) -> None:
    for amount in (0, -1, 1_000_000_001, 1.5, "5", None):
        answer = await customer.post("/v1/wallet/top-ups", {"amount_cents": amount})
        assert params_of(answer) == ["amount_cents"]

    assert (await customer.get("/v1/wallet/top-ups")).json()["data"] == []


async def test_queued_charges_are_pending_and_reduce_the_available_balance(
    api: ControlApi, customer: Customer
) -> None:
    site = (await customer.make_property())["id"]
    campaign = (await customer.make_campaign(site))["id"]
    async with operator_action(api.control) as act:
        await operator_actions.set_terms(act, customer.person.account_id, BillingMode.PREPAID, None)
        await operator_actions.adjust(act, customer.person.account_id, 100, "gift", "Welcome")
    await charge(api.control, customer.person.account_id, campaign, site, 4000)
    wallet = (await customer.get("/v1/wallet")).json()

    assert wallet["balance_micros"] == 1_000_000
    assert wallet["pending_spend_micros"] == 4000
    assert wallet["available_micros"] == 996_000


async def test_a_prepaid_account_expects_no_amount_on_its_next_invoice(
    api: ControlApi, customer: Customer
) -> None:
    account_id, expected = customer.person.account_id, []
    async with operator_action(api.control) as act:
        await operator_actions.adjust(act, account_id, -5, "taken", "Correction")
    for mode in (BillingMode.INVOICED, BillingMode.PREPAID):
        async with operator_action(api.control) as act:
            await operator_actions.set_terms(act, account_id, mode, None)
        billing = (await customer.get("/v1/billing")).json()
        expected.append(billing["next_invoice"]["amount_cents"])

    assert expected == [5, 0]


async def test_entries_are_filtered_and_paged(api: ControlApi, customer: Customer) -> None:
    account_id = customer.person.account_id
    for number in range(3):
        async with operator_action(api.control) as act:
            await operator_actions.adjust(act, account_id, number + 1, f"a{number}", "Gift")
    async with operator_action(api.control) as act:
        await operator_actions.refund(act, account_id, 2, "back", "Sent back")
    first = (await customer.get("/v1/wallet/entries?kind=adjustment&limit=2")).json()
    cursor = first["next_cursor"]
    second = (
        await customer.get(f"/v1/wallet/entries?kind=adjustment&limit=2&cursor={cursor}")
    ).json()
    everything = (await customer.get("/v1/wallet/entries")).json()["data"]
    none = (await customer.get("/v1/wallet/entries?until=2020-01-01T00:00:00Z")).json()["data"]
    all_since = (await customer.get("/v1/wallet/entries?since=2020-01-01T00:00:00Z")).json()["data"]

    amounts = [entry["amount_micros"] for entry in first["data"] + second["data"]]
    assert (amounts, second["has_more"]) == ([30_000, 20_000, 10_000], False)
    assert everything[0]["kind"] == "refund"
    assert (none, len(all_since)) == ([], 4)


async def test_a_repeated_adjustment_is_posted_once(api: ControlApi, customer: Customer) -> None:
    text = []
    for _ in range(2):
        async with operator_action(api.control) as act:
            text.append(
                await operator_actions.adjust(
                    act, customer.person.account_id, -5, "x", "Correction"
                )
            )

    assert [one["repeated"] for one in text] == [False, True]
    assert text[1]["balance_micros"] == -50_000


@pytest.mark.parametrize("work", [operator_actions.confirm_top_up, operator_actions.wallet_of])
async def test_operations_on_missing_objects_are_404(
    api: ControlApi, work: Callable[[OperatorAction, str], Awaitable[object]]
) -> None:
    with pytest.raises(NotFound, match="nothing"):
        async with operator_action(api.control) as act:
            await work(act, "nothing")


async def test_earnings_are_shown_by_property(api: ControlApi, customer: Customer) -> None:
    site = (await customer.make_property())["id"]
    campaign = (await customer.make_campaign(site))["id"]
    await earn(api.control, customer.person.account_id, campaign, site, 123_456)

    assert (await customer.get("/v1/wallet/earnings")).json()["data"] == [
        {"property_id": site, "payable_micros": 123_456, "payable_cents": 12, "currency": "USD"}
    ]


async def test_a_manager_may_not_see_the_wallet(api: ControlApi, owner: Person) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text("update memberships set role = 'manager' where account_id = :id"),
            {"id": owner.account_id},
        )
    for path in ("/v1/wallet", "/v1/billing", "/v1/payouts"):
        answer = await api.http.get(path, headers=owner.headers)
        assert code_of(answer) == "permission_denied", path
