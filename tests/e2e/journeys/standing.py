"""A customer whose property stands and is verified, for journeys that begin later than at sign-up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from deploy.standalone.background import Background
from tests.e2e.customer import Customer


@asynccontextmanager
async def standing(stack: Background) -> AsyncIterator[Customer]:
    """With a slot, and keys of every kind in both environments."""
    async with httpx.AsyncClient(timeout=10) as http:
        customer = await Customer.sign_up(stack.demo, http)
        await customer.set_up()
        assert stack.admin("verify-property", "--property", customer.property_id) == 0
        yield customer


def element_of(customer: Customer) -> str:
    """What the customer's own page holds, with the live key."""
    urls = customer.demo
    return (
        f'<script type="module" src="{urls["control_url"]}/sdk/placard.js"></script>'
        f'<service-ad publisher-key="{customer.text("pk_live")}" slot-id="{customer.slot_key}"'
        f' edge-url="{urls["edge_live_url"]}" width="300" height="250"></service-ad>'
    )
