"""Test traffic of any kind leaves every row about money as it was."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.values.enums import (
    EventKind,
    Format,
    PricingModel,
    QualitySignal,
    Reason,
    Source,
    Surface,
)
from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.ingest.world import Edge

_MONEY = (
    "charges",
    "campaign_spend",
    "campaign_spend_days",
    "spend_months",
    "flat_rate_days",
    "ledgers",
    "ledger_accounts",
    "ledger_entries",
    "ledger_postings",
)
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from([*EventKind, *QualitySignal]),
            "surface": st.sampled_from(Surface),
            "source": st.sampled_from(Source),
            "format": st.sampled_from(Format),
            "pricing_model": st.sampled_from(PricingModel),
            "price_micros": st.integers(0, 2**40),
            "reason": st.sampled_from(Reason),
            "preview": st.booleans(),
            "consent_limited": st.booleans(),
            "value_cents": st.none() | st.integers(0, 10**6),
            "order_id": st.none() | st.sampled_from(["a", "b"]),
            "signs": st.none() | st.integers(0, 1023),
        }
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture
async def campaigns(mailbox: Mailbox) -> list[str]:
    """Of both environments, one about to use up its budget, and some money on the books already."""
    live = await mailbox.add_campaign(budget_cents=1, bill_in_session=True)
    test = await mailbox.add_campaign(budget_cents=1, environment="test", bill_in_session=True)
    await mailbox.ingest([Edge(mailbox).event(live)])
    await mailbox.post_spend()
    return [live, test]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(events=EVENTS, of_live=st.booleans(), back=st.booleans())
async def test_test_traffic_of_any_kind_touches_no_money(
    mailbox: Mailbox,
    campaigns: list[str],
    events: list[dict[str, Any]],
    of_live: bool,  # noqa: FBT001 - drawn
    back: bool,  # noqa: FBT001 - drawn
) -> None:
    """Even where it names a live campaign, and where it is taken back."""
    before = await _money(mailbox)
    edge = Edge(mailbox)
    campaign = campaigns[0] if of_live else campaigns[1]
    await mailbox.ingest([edge.event(campaign, is_test=True, **one) for one in events])
    if back:
        await mailbox.retract(*(row.id for row in await mailbox.events() if row.is_test))
    await mailbox.post_spend()

    assert await _money(mailbox) == before


async def _money(mailbox: Mailbox) -> dict[str, list[Any]]:
    found = {}
    for table in _MONEY:
        rows = await mailbox.rows(
            f"select to_jsonb(t) from {table} t where account_id = :account order by 1",  # noqa: S608 - ours
            account=mailbox.account_id,
        )
        found[table] = [row[0] for row in rows]
    completed = "select id, status from campaigns where account_id = :account order by id"
    found["campaigns"] = [
        tuple(row) for row in await mailbox.rows(completed, account=mailbox.account_id)
    ]
    return found
