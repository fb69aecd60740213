"""A person at the dashboard, and what they have."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.control_api import ControlApi
from tests.support.resources import Customer
from tests.support.visitor import Visitor, visiting


@pytest.fixture
async def visitor(api: ControlApi) -> AsyncIterator[Visitor]:
    """The owner of a new account, signed in."""
    async with visiting(api, await api.sign_up()) as signed_in:
        yield signed_in


@pytest.fixture
def customer(api: ControlApi, visitor: Visitor) -> Customer:
    """The visitor, at the API."""
    return Customer(api, visitor.person)


@pytest.fixture
async def campaign(customer: Customer) -> dict[str, Any]:
    site = await customer.make_property()
    return await customer.make_campaign(site["id"])
