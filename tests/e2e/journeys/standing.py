"""A customer whose property stands and is verified, for journeys that begin later than at sign-up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.values.enums import PropertyStatus
from control.api.context import ControlContext
from control.api.operator_action import operator_action
from control.foundation.settings import ControlSettings
from control.operations.admin_cli.members import verify_persons_address
from control.operations.admin_cli.properties import set_status
from control.wiring import open_control
from deploy.standalone.background import Background
from tests.e2e.customer import Customer
from tests.support.http_client import http_client


@asynccontextmanager
async def standing(stack: Background) -> AsyncIterator[Customer]:
    """With a slot, and keys of every kind in both environments."""
    async with http_client() as http:
        customer = await Customer.sign_up(stack.demo, http)
        await customer.set_up()
        await _verify(stack, customer)
        yield customer


def element_of(customer: Customer) -> str:
    """What the customer's own page holds, with the live key."""
    urls = customer.demo
    return (
        f'<script type="module" src="{urls["control_url"]}/sdk/placard.js"></script>'
        f'<service-ad publisher-key="{customer.text("pk_live")}" slot-id="{customer.slot_key}"'
        f' edge-url="{urls["edge_live_url"]}" width="300" height="250"></service-ad>'
    )


@asynccontextmanager
async def operating(stack: Background) -> AsyncIterator[ControlContext]:
    """What the operator's tool opens, which the journey of the first hour starts: that takes seconds each time."""
    given = {
        name.removeprefix("PLACARD_").lower(): value for name, value in stack.environment.items()
    }
    async with open_control(ControlSettings.model_validate(given)) as control:
        yield control


async def _verify(stack: Background, customer: Customer) -> None:
    async with operating(stack) as control, operator_action(control) as act:
        await verify_persons_address(act, customer.email)
        await set_status(act, customer.property_id, PropertyStatus.VERIFIED, "verify")
