"""Somebody with a property whose events the tests make, who exports them."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest

from control.reporting.exports.jobs import make_exports
from tests.support.control_api import ControlApi, Person
from tests.support.person_world import edge, person, world

EXPORTS = "/v1/reports/exports"

__all__ = ["edge", "person", "world"]


@dataclass(frozen=True, slots=True)
class Exporter:
    """A caller of the API who exports; `make` is what the scheduler does meanwhile."""

    api: ControlApi
    headers: dict[str, str]
    environment: str | None = "live"

    async def post(self, headers: dict[str, str] | None = None, **changes: Any) -> httpx.Response:
        """An export as CSV of the events of three days around now, but for *changes*; None leaves a field out."""
        today = self.api.control.clock.now().date()
        body = {
            "kind": "events",
            "format": "csv",
            "from": (today - timedelta(days=1)).isoformat(),
            "to": (today + timedelta(days=2)).isoformat(),
        } | changes
        return await self.api.http.post(
            EXPORTS,
            json={name: value for name, value in body.items() if value is not None},
            params={"environment": self.environment} if self.environment else {},
            headers=self.headers | (headers or {}),
        )

    async def ask(self, **changes: Any) -> str:
        """Its id."""
        answer = await self.post(**changes)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    async def get(self, export_id: str) -> dict[str, Any]:
        answer = await self.api.http.get(f"{EXPORTS}/{export_id}", headers=self.headers)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def make(self) -> None:
        await make_exports(self.api.control)

    async def made(self, **changes: Any) -> dict[str, Any]:
        """A new export as it is when the scheduler has done what it could."""
        export_id = await self.ask(**changes)
        await self.make()
        return await self.get(export_id)

    async def download(self, export: dict[str, Any], method: str = "GET") -> httpx.Response:
        """From the port where the API really listens."""
        path = export["url"].removeprefix(self.api.control.settings.control_url)
        return await self.api.http.request(method, path)


@pytest.fixture
def exporter(api: ControlApi, person: Person) -> Exporter:
    return Exporter(api, person.headers)
