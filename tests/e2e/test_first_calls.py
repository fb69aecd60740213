"""A campaign shows from its activation on: workers hold a lease of it before anybody calls."""

import asyncio
from collections import Counter
from datetime import timedelta

import httpx
import pytest

from common.values.clock import SystemClock
from tests.e2e.customer import Customer, eventually
from tests.support.http_client import http_client

BURST = 64
BUDGET_CENTS = 10_000_000
EVEN_CENTS = BURST * 60 * 24 // 4
"""A burst a minute, at a quarter of a cent an impression."""
BUDGETS = {"asap": {"total_cents": BUDGET_CENTS}, "even": {"daily_cents": EVEN_CENTS}}
"""By pacing. The next minute of the even one's plan has room for one burst, whichever worker it meets."""


async def has_reached_edges(customer: Customer) -> bool | None:
    """Whether every worker of the live edge decides by the newest snapshot there is now."""
    head = (await customer.call("GET", "/v1/propagation/1"))["head"]

    async def ask() -> bool | None:
        path = f"/v1/propagation/{head}?environment=live"
        return (await customer.call("GET", path))["complete"] or None

    return await eventually(ask)


async def burst(customer: Customer, slot: str, connections: int) -> Counter[str]:
    """Answers to `BURST` calls at once over so many connections, by status and the reason for none."""
    params = {"slot": slot}
    headers = {"X-Service-Key": customer.text("pk_live"), "User-Agent": "Mozilla/5.0"}
    async with http_client(connections=connections) as http:
        url = f"{customer.edge('live')}/v1/serve"
        answers = await asyncio.gather(
            *(http.get(url, params=params, headers=headers) for _ in range(BURST))
        )
    return Counter(f"{a.status_code} {a.headers.get('X-No-Fill-Reason', '')}" for a in answers)


@pytest.mark.parametrize("pacing", BUDGETS)
async def test_the_first_call_and_a_burst_are_filled_whichever_worker_they_meet(
    customer: Customer, pacing: str
) -> None:
    slot_ids = [await customer.make_slot(f"{pacing}-{number}") for number in (1, 2)]
    end_at = (SystemClock().now() + timedelta(days=20)).isoformat()
    for slot_id in slot_ids:
        await customer.run_campaign(
            "live", slot_ids=(slot_id,), pacing=pacing, budget=BUDGETS[pacing], end_at=end_at
        )
    await has_reached_edges(customer)

    first = await customer.serve("live", slot=f"{pacing}-1")
    by_many = await burst(customer, f"{pacing}-1", BURST)
    by_one = await burst(customer, f"{pacing}-2", 1)

    assert first.status_code == httpx.codes.OK, first.headers
    assert by_many["200 "] >= 60, by_many
    assert by_one["200 "] >= 60, by_one
