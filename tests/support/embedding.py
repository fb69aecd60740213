"""An embedded window without a browser: a key asks for it, it is opened once, its bearer looks and acts."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import orjson
from selectolax.lexbor import LexborHTMLParser

from tests.support.control_api import ControlApi, bearer
from tests.support.http_client import http_client

ORIGIN = "https://app.customer.example"
_DATA = re.compile(r'<script type="application/json" id="window">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class EmbeddedWindow:
    http: httpx.AsyncClient
    bearer: str
    start: str

    async def get(self, path: str) -> httpx.Response:
        return await self.http.get(path, headers=bearer(self.bearer))

    async def look(self, path: str, *, status: int = 200) -> LexborHTMLParser:
        answer = await self.get(path)
        assert answer.status_code == status, answer.text
        return LexborHTMLParser(answer.text)

    async def send(self, path: str, **fields: Any) -> httpx.Response:
        """The form's answer, no redirect followed. Dots in names are written as ``__``."""
        form = {name.replace("__", "."): value for name, value in fields.items()}
        return await self.http.post(path, data=form, headers=bearer(self.bearer))


async def ask(
    api: ControlApi, headers: dict[str, str], component: str = "ad_create", **changes: Any
) -> httpx.Response:
    body = {"component": component, "origin": ORIGIN} | changes
    return await api.http.post("/v1/embed/sessions", json=body, headers=headers)


async def secret_of(api: ControlApi, headers: dict[str, str], **requested: Any) -> str:
    answer = await ask(api, headers, **requested)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["client_secret"])


def data_of(page: httpx.Response) -> dict[str, Any]:
    """What the page's script starts with."""
    found = _DATA.search(page.text)
    assert found, page.text
    values: dict[str, Any] = orjson.loads(found[1])
    return values


@asynccontextmanager
async def window_of(
    api: ControlApi, headers: dict[str, str], **requested: Any
) -> AsyncIterator[EmbeddedWindow]:
    """Opened by a client of its own, which has no cookie."""
    secret = await secret_of(api, headers, **requested)
    async with http_client(base_url=api.http.base_url) as http:
        page = await http.get("/embed", params={"cs": secret})
        assert page.status_code == 200, page.text
        data = data_of(page)
        yield EmbeddedWindow(http, data["bearer"], data["start"])
