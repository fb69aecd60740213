"""Wallet, billing and payouts."""

from control.billing.wallet.examples import TOP_UP_BODY
from tests.control.matrix_registry import Maker, Room, Thing
from tests.support.money import bill_last_month, earn
from tests.support.resources import made


async def _top_up(maker: Maker) -> str:
    return str(made(await maker.customer.post("/v1/wallet/top-ups", TOP_UP_BODY))["id"])


async def _invoice(maker: Maker) -> str:
    return (await bill_last_month(maker.api.control, maker.owner.account_id, 100)).id


async def _payout(maker: Maker) -> str:
    site = await maker.id_of("properties")
    campaign = await maker.id_of("campaigns")
    await earn(maker.api.control, maker.owner.account_id, campaign, site, 20_000)
    body = {"property_id": site, "amount_cents": 1}
    return str(made(await maker.customer.post("/v1/payouts", body))["id"])


ROOM = Room(
    things=(
        Thing("wallet/top-ups", _top_up),
        Thing("billing/invoices", _invoice),
        Thing("payouts", _payout),
    )
)
