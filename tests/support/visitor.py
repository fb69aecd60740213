"""Somebody at the dashboard with a browser that runs no scripts: pages, forms, cookies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from selectolax.lexbor import LexborHTMLParser

from tests.support.control_api import PASSWORD, ControlApi, Person
from tests.support.http_client import http_client

FROM_OUR_PAGE = {"Sec-Fetch-Site": "same-origin"}


@dataclass(frozen=True, slots=True)
class Visitor:
    http: httpx.AsyncClient
    person: Person

    async def look(self, path: str, *, status: int = 200, language: str = "en") -> LexborHTMLParser:
        """The page at *path*, after redirects."""
        answer = await self.http.get(
            path, follow_redirects=True, headers={"Accept-Language": language}
        )
        assert answer.status_code == status, answer.text
        return LexborHTMLParser(answer.text)

    async def send(self, path: str, **fields: Any) -> httpx.Response:
        """The form's answer, no redirect followed. Dots in names are written as ``__``."""
        form = {name.replace("__", "."): value for name, value in fields.items()}
        return await self.http.post(path, data=form, headers=FROM_OUR_PAGE)

    async def act(self, path: str, **fields: Any) -> LexborHTMLParser:
        """The page that an accepted form leads to."""
        answer = await self.send(path, **fields)
        assert answer.status_code == 303, text_of(LexborHTMLParser(answer.text))
        return await self.look(answer.headers["location"])


@asynccontextmanager
async def visiting(api: ControlApi, person: Person) -> AsyncIterator[Visitor]:
    """*person* at the dashboard, signed in."""
    async with http_client(base_url=api.http.base_url) as http:
        visitor = Visitor(http, person)
        signed_in = await visitor.send("/sign-in", email=person.email, password=PASSWORD)
        assert signed_in.status_code == 303, signed_in.text
        yield visitor


def text_of(page: LexborHTMLParser) -> str:
    """What a person reads in the page's main part, blanks made one."""
    node = page.css_first("main") or page.body
    return " ".join(node.text(separator=" ").split()) if node else ""
