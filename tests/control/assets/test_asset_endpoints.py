"""Assets over HTTP: uploaded in a form, or announced and put; listed, read, archived."""

import httpx
import pytest_asyncio

from tests.control.assets.files import an_image
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer, made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def customer(api: ControlApi, owner: Person) -> Customer:
    return Customer(api, owner)


async def upload(
    customer: Customer,
    content: bytes,
    headers: dict[str, str] | None = None,
    environment: str = "live",
    filename: str = "a.bin",
    **fields: str,
) -> httpx.Response:
    return await customer.api.http.post(
        f"/v1/assets?environment={environment}",
        files={"file": (filename, content)},
        data=fields,
        headers=headers or customer.headers,
    )


async def test_an_image_is_ready_at_once(customer: Customer) -> None:
    asset = made(await upload(customer, an_image(), filename="spring.png"))

    assert (asset["status"], asset["kind"], asset["mime"]) == ("ready", "image", "image/png")
