"""The operator's money commands, by the command line as it is run."""

import asyncio
import os
import sys

import orjson
import pytest
from sqlalchemy import text

from tests.support.control_api import ControlApi
from tests.support.money import bill_last_month
from tests.support.resources import Customer, made


async def _money(api: ControlApi, *arguments: str) -> tuple[int, bytes, bytes]:
    settings = api.control.settings
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PLACARD_")},  # noqa: TID251 - the child's own
        "PLACARD_DATABASE_URL": settings.database_url,
        "PLACARD_REDIS_URL": settings.redis_url,
        "PLACARD_KEY_FILE": str(settings.key_file),
        "PLACARD_CONTROL_URL": settings.control_url,
        "PLACARD_EDGE_LIVE_URL": settings.edge_live_url,
        "PLACARD_EDGE_TEST_URL": settings.edge_test_url,
    }
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "control", "admin", "money", *arguments),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await child.communicate()
    return child.returncode or 0, output, errors


@pytest.fixture
async def customer(api: ControlApi) -> Customer:
    return Customer(api, await api.sign_up())


async def test_confirming_a_top_up_prints_the_wallet_and_is_audited(
    api: ControlApi, customer: Customer
) -> None:
    top_up = made(await customer.post("/v1/wallet/top-ups", {"amount_cents": 250}))
    code, output, errors = await _money(api, "confirm-top-up", "--top-up", top_up["id"])

    assert code == 0, errors
    printed = orjson.loads(output)
    assert (printed["balance_cents"], printed["status"]) == (250, "confirmed")
    async with api.control.database.service() as session:
        acts = await session.scalars(
            text("select actor from audit_log where action = 'top_up.confirm' and object_id = :id"),
            {"id": top_up["id"]},
        )
        assert list(acts) == ["operator"]


async def test_paying_an_invoice_prints_it(api: ControlApi, customer: Customer) -> None:
    invoice = await bill_last_month(api.control, customer.person.account_id, 100)
    code, output, errors = await _money(api, "pay-invoice", "--invoice", invoice.id)

    assert code == 0, errors
    assert orjson.loads(output)["status"] == "paid"
    shown = (await customer.get(f"/v1/billing/invoices/{invoice.id}")).json()
    assert (shown["status"], [line["micros"] for line in shown["lines"]]) == ("paid", [1_000_000])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pay-invoice", "--invoice", "nothing"), b"There is no invoice 'nothing'.\n"),
        (("approve-payout", "--payout", "nothing"), b"There is no payout 'nothing'.\n"),
    ],
)
async def test_what_is_not_there_is_said_in_a_sentence(
    api: ControlApi, arguments: tuple[str, ...], said: bytes
) -> None:
    assert await _money(api, *arguments) == (1, b"", said)


async def test_more_than_the_wallet_holds_is_not_refunded(
    api: ControlApi, customer: Customer
) -> None:
    account = ("--account", customer.person.account_id)
    code, _, errors = await _money(
        api, "refund", *account, "--amount-cents", "5", "--memo", "Sent back"
    )

    assert (code, errors) == (1, b"The wallet holds 0 cents that were not spent.\n")


async def test_the_check_says_that_nothing_is_off(api: ControlApi) -> None:
    code, output, errors = await _money(api, "check")

    assert (code, orjson.loads(output)) == (0, {"drift": []}), errors
