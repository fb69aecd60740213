"""Any sequence of what can happen to money: the ledger is what a small model says, and repeats change nothing."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from control.adapters.local_assets import LocalAssets
from control.api.context import ControlContext
from control.api.operator_action import operator_action
from control.billing.ledger.check import find_imbalances
from control.billing.wallet import operator_actions
from control.billing.wallet.schemas import BillingMode
from control.foundation.settings import ControlSettings
from control.foundation.signed_links import UploadLinks
from control.storage.database import Database
from tests.control.billing.ledger.books import SHARE, Books
from tests.control.billing.ledger.world import KEY_RING, Money

VERBS = (
    *("top_up", "confirm_again", "adjust", "refund", "spend", "spend", "spend", "close_month"),
    *("pay", "void", "ask", "approve", "mark_paid", "fail"),
)
STEP = st.tuples(st.sampled_from(VERBS), st.integers(0, 1 << 32))
SETTINGS = ControlSettings(
    database_url="postgresql://unused",
    redis_url="redis://unused",
    key_file=Path("unused"),
    control_url="http://unused",
    edge_live_url="http://unused",
    edge_test_url="http://unused",
)
_NO_CREDIT = 0
_IN_THE_DATABASE = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)


async def run(database: Database, mode: BillingMode, steps: list[tuple[str, int]]) -> None:
    """*mode*: either of those in which an account spends only what its wallet holds."""
    money = Money(database)
    await money.open()
    await money.set_share(SHARE)
    control = ControlContext(
        settings=SETTINGS,
        clock=money.clock,
        database=database,
        keys=KEY_RING,
        assets=LocalAssets(Path("unused"), UploadLinks(KEY_RING, "http://unused")),
    )
    async with operator_action(control) as act:
        limit = _NO_CREDIT if mode is BillingMode.INVOICED else None
        await operator_actions.set_terms(act, money.account_id, mode, limit)
    books = Books(money, control, await money.add_campaign())
    for verb, number in steps:
        await getattr(books, verb)(number)
        await books.check()
    async with database.service() as session:
        assert await find_imbalances(session) == []


@settings(max_examples=12, deadline=None, suppress_health_check=_IN_THE_DATABASE)
@given(mode=st.sampled_from(BillingMode), steps=st.lists(STEP, max_size=25))
async def test_any_sequence_leaves_the_ledger_equal_to_the_model(
    money_database: Database, mode: BillingMode, steps: list[tuple[str, int]]
) -> None:
    await run(money_database, mode, steps)


@pytest.mark.long
@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=_IN_THE_DATABASE,
    phases=(Phase.generate,),
)
@given(mode=st.sampled_from(BillingMode), steps=st.lists(STEP, min_size=100, max_size=100))
async def test_two_thousand_steps_leave_the_ledger_equal_to_the_model(
    money_database: Database, mode: BillingMode, steps: list[tuple[str, int]]
) -> None:
    await run(money_database, mode, steps)
