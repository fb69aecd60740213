"""An owner chooses whether the subscription renews: by the API, and by the button of the billing page."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from common.values.clock import to_iso
from control.api.operator_action import operator_action
from control.billing.invoicing import operator_actions
from control.foundation.subscription_terms import Term
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.forms import attribute, the
from tests.support.resources import Customer
from tests.support.visitor import Visitor, text_of, visiting

ACT = "main form input[name=act]"


@pytest.fixture
async def person(api: ControlApi) -> Person:
    """The owner of an account whose subscription has a term, which renews."""
    person = await api.sign_up()
    terms = operator_actions.SubscriptionTerms(
        price_cents=4900,
        term=Term.MONTH,
        ends_on=api.control.clock.now() + timedelta(days=10),
        renews=True,
    )
    async with operator_action(api.control) as act:
        await operator_actions.start_subscription(act, person.account_id, "standard", terms)
    return person


@pytest.fixture
async def visitor(api: ControlApi, person: Person) -> AsyncIterator[Visitor]:
    async with visiting(api, person) as found:
        yield found


async def test_a_cancelled_subscription_ends_with_its_term_and_may_be_renewed_until_then(
    api: ControlApi, person: Person
) -> None:
    customer = Customer(api, person)

    cancelled = await _say(customer, "cancel")
    after_cancelling = await _subscription(customer)
    renewed = await _say(customer, "renew")
    after_renewing = await _subscription(customer)

    assert (cancelled.status_code, renewed.status_code) == (200, 200)
    assert (cancelled.json(), renewed.json()) == (after_cancelling, after_renewing)
    assert (after_cancelling["status"], after_cancelling["renews"]) == ("active", False)
    grace = timedelta(days=api.control.settings.subscription_grace_days)
    async with api.control.database.service() as session:
        ends_at = await session.scalar(
            text("select subscription_ends_at from accounts where id = :id"),
            {"id": person.account_id},
        )
        recorded = await session.scalars(
            text(
                "select action from audit_log where account_id = :id and action like '%Subscription' "
                "order by id"
            ),
            {"id": person.account_id},
        )
        assert recorded.all() == ["cancelSubscription", "renewSubscription"]
    assert after_cancelling["ends_at"] == to_iso(ends_at)
    assert after_cancelling["suspends_at"] == to_iso(ends_at + grace)
    assert (after_renewing["renews"], after_renewing["suspends_at"]) == (True, None)
    assert after_renewing["ends_at"] == after_cancelling["ends_at"]


async def test_repeating_a_renewal_or_cancellation_changes_nothing(
    api: ControlApi, person: Person
) -> None:
    customer = Customer(api, person)

    first, second = [(await _say(customer, "cancel")).json() for _ in range(2)]

    assert first == second


@pytest.mark.parametrize("verb", ["cancel", "renew"])
async def test_a_subscription_without_a_term_or_that_ended_is_409(
    api: ControlApi, verb: str
) -> None:
    person = await api.sign_up()
    customer = Customer(api, person)

    endless = await _say(customer, verb)
    async with operator_action(api.control) as act:
        await operator_actions.end_subscription(act, person.account_id)
    ended = await _say(customer, verb)

    assert (endless.status_code, code_of(endless)) == (409, "invalid_state")
    assert "has no term" in endless.json()["error"]["message"]
    assert (ended.status_code, code_of(ended)) in {
        (409, "invalid_state"),
        (403, "tenant_suspended"),
    }


async def test_a_user_who_only_reads_billing_gets_403_and_no_button(
    api: ControlApi, person: Person, visitor: Visitor
) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text("update memberships set role = 'analyst' where user_id = :id"),
            {"id": person.user_id},
        )

    answers = [await _say(Customer(api, person), verb) for verb in ("cancel", "renew")]
    page = await visitor.look("/billing")

    assert [answer.status_code for answer in answers] == [403, 403]
    assert page.css_first(ACT) is None
    assert (await visitor.send("/billing", act="cancel")).status_code == 403


async def test_the_button_of_the_page_cancels_and_renews(
    api: ControlApi, person: Person, visitor: Visitor
) -> None:
    customer = Customer(api, person)
    before = await visitor.look("/billing")

    cancelled = await visitor.act("/billing", act=attribute(before, ACT, "value"))
    is_cancelled = not (await _subscription(customer))["renews"]
    renewed = await visitor.act("/billing", act=attribute(cancelled, ACT, "value"))

    assert the(before, "main form button").text() == "Cancel renewal"
    assert "The subscription ends with its term." in text_of(cancelled)
    assert "then suspended on" in text_of(cancelled)
    assert is_cancelled
    assert the(cancelled, "main form button").text() == "Renew"
    assert "The subscription will be renewed." in text_of(renewed)
    assert (await _subscription(customer))["renews"]


async def test_the_button_is_in_portuguese(visitor: Visitor) -> None:
    page = await visitor.look("/billing", language="pt-BR")

    assert the(page, "main form button").text() == "Não renovar"


async def _say(customer: Customer, verb: str) -> httpx.Response:
    return await customer.post(f"/v1/billing/subscription/{verb}")


async def _subscription(customer: Customer) -> dict[str, Any]:
    found: dict[str, Any] = (await customer.get("/v1/billing")).json()["subscription"]
    return found
