"""An API whose store is a folder of its own, and what tests of assets do with it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from control.demand.assets.jobs import inspect_assets
from tests.support.control_api import ControlApi, DatabaseTemplate, Person, running_control
from tests.support.resources import Customer, made


@dataclass(frozen=True, slots=True)
class Uploader:
    """A customer who uploads; ``store`` is the folder that the API keeps assets in."""

    customer: Customer
    store: Path

    @property
    def api(self) -> ControlApi:
        return self.customer.api

    async def send(
        self,
        content: bytes,
        *,
        headers: dict[str, str] | None = None,
        environment: str | None = "live",
        filename: str = "a.bin",
        **fields: str,
    ) -> httpx.Response:
        """In a form."""
        query = f"?environment={environment}" if environment else ""
        return await self.api.http.post(
            f"/v1/assets{query}",
            files={"file": (filename, content)},
            data=fields,
            headers=headers or self.customer.headers,
        )

    async def announce(self, content: bytes, **changes: Any) -> dict[str, Any]:
        body = {
            "kind": "image",
            "filename": "a.png",
            "mime": "image/png",
            "bytes": len(content),
        } | changes
        return made(await self.customer.post("/v1/assets?environment=live", body))

    async def put(self, asset: dict[str, Any], content: bytes) -> httpx.Response:
        """To the link in *asset*, on the port where the API really listens."""
        upload = asset["upload"]
        path = upload["url"].removeprefix(self.api.control.settings.control_url)
        return await self.api.http.request(
            upload["method"], path, content=content, headers=upload["headers"]
        )

    async def complete(self, asset: dict[str, Any]) -> httpx.Response:
        return await self.customer.post(f"/v1/assets/{asset['id']}/complete")

    async def settled(self, asset: dict[str, Any]) -> dict[str, Any]:
        """As it is when the scheduler has looked into it."""
        await inspect_assets(self.api.control)
        return await self.read(asset)

    async def read(self, asset: dict[str, Any]) -> dict[str, Any]:
        found = await self.customer.get(f"/v1/assets/{asset['id']}")
        assert found.status_code == 200, found.text
        body: dict[str, Any] = found.json()
        return body

    def kept(self) -> dict[str, bytes]:
        """Every file of the store by its name, unfinished ones too."""
        return {
            str(path.relative_to(self.store)): path.read_bytes()
            for path in self.store.rglob("*")
            if path.is_file()
        }

    def served(self, asset: dict[str, Any]) -> bytes:
        """The bytes behind the asset's url."""
        name = asset["url"].removeprefix(f"{self.api.control.settings.assets_url}/")
        content: bytes = (self.store / name).read_bytes()
        return content


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def api(migrated: DatabaseTemplate, servers_folder: Path) -> AsyncIterator[ControlApi]:
    """Image cap 200 kB and storage 1 MB, so that small files reach them."""
    folder = servers_folder / f"assets-{uuid4().hex[:8]}"
    folder.mkdir()
    async with running_control(
        migrated.new_database(),
        folder,
        asset_image_bytes=200_000,
        asset_html_bytes=10_000,
        asset_account_bytes=1_000_000,
    ) as running:
        yield running


@pytest_asyncio.fixture
async def uploader(api: ControlApi) -> Uploader:
    person: Person = await api.sign_up()
    return Uploader(Customer(api, person), api.control.settings.state / "assets")


@pytest.fixture
def store(api: ControlApi) -> Path:
    return api.control.settings.state / "assets"
