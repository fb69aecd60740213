"""A publisher's site on one origin, an edge on another, and a browser that comes to read."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
from playwright.async_api import Browser, BrowserContext, Page, Route

from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad, Slot, SnapshotObject
from common.tracking.event import EventRecord
from common.values.enums import Format
from common.values.environment import Environment
from tests.support import waiting
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.web_site import WebSite, running_site

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "clients" / "web" / "dist"
PICTURE = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='300' height='250'%3E"
    "%3Crect width='300' height='250' fill='%23246'/%3E%3C/svg%3E"
)
BANNER = {"image_url": PICTURE, "width": 300, "height": 250, "alt": "Shoes"}
PUBLIC_EDGE = "https://edge.example"
"""As the edge's own addresses have it."""
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_TELLTALE = """
window.told = [];
for (const name of ["load", "empty", "error", "impression", "viewable", "click"])
  document.addEventListener(`ad-${name}`, (event) => window.told.push(
    [event.target.getAttribute("slot-id"), name, event.detail.error?.code ?? event.detail.reason ?? null]));
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""
"""Runs in every page before its own scripts, as no page could."""


@dataclass
class Publisher:
    """``place`` puts slots into the edge, ``open`` a page before the reader."""

    edge: RunningEdge
    site: WebSite
    context: BrowserContext
    key: str
    objects: list[SnapshotObject]
    preflights: list[str] = field(default_factory=list)
    """Addresses the browser asked leave for."""
    _opened: int = 0

    @property
    def edge_url(self) -> str:
        return f"http://127.0.0.1:{self.edge.port}"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.site.port}"

    def place(self, key: str, ad_format: Format = Format.BANNER, **changes: Any) -> tuple[Slot, Ad]:
        """A slot of *key* and the only ad it takes; ``content`` and other fields of the ad may be given."""
        content = changes.pop("content", BANNER)
        slot = a_slot(key=key, formats=(ad_format,))
        campaign = a_campaign(
            environment=Environment.TEST, frequency_caps=changes.pop("frequency_caps", ())
        )
        size = (content.get("width"), content.get("height"))
        ad = an_ad(
            campaign,
            format=ad_format,
            content=canonical_json(content),
            width=size[0],
            height=size[1],
            slot_ids=(slot.id,),
            **changes,
        )
        self.objects += [slot, campaign, ad]
        self.adopt()
        return slot, ad

    def adopt(self) -> None:
        self.edge.adopt(a_snapshot(*self.objects, environment=Environment.TEST))

    def element(self, slot: str, more: str = "", inside: str = "") -> str:
        """Without an ``edge-url``: the page says in a script which edge there is, as our own host does."""
        return (
            f'<service-ad publisher-key="{self.key}" slot-id="{slot}" {more}>{inside}</service-ad>'
        )

    async def open(
        self, body: str, *headers: str, policy: str | None = None, query: str = ""
    ) -> Page:
        """A page with the library, its styles, and *body*; *policy*: its Content-Security-Policy."""
        self._opened += 1
        place = f"/page-{self._opened}{query}"
        sent = ["Content-Type: text/html; charset=utf-8", *headers]
        if policy is not None:
            sent.append(f"Content-Security-Policy: {policy}")
        edges = orjson.dumps({"test": self.edge_url}).decode()
        self.site.page(
            "127.0.0.1/edges.js",
            f"globalThis.serviceAdEdges = {edges};",
            "Content-Type: text/javascript",
        )
        self.site.page(
            f"127.0.0.1{place}",
            '<!doctype html><meta charset="utf-8"><title>News</title><link rel="icon" href="data:,">'
            '<link rel="stylesheet" href="/sdk/placard.css"><script src="/edges.js"></script>'
            f'<script type="module" src="/sdk/placard.js"></script><body>{body}</body>',
            *sent,
        )
        page = await self.context.new_page()
        await self._serve_preflights(page)
        await page.goto(f"{self.origin}{place}")
        return page

    async def events(self) -> list[tuple[str, str]]:
        """Kind and reason of what the edge has kept, in order."""
        records = await self.edge.context.spool.read(0, 1_000_000)
        return [
            (record.body.kind.value, record.body.reason.value)
            for record in records
            if isinstance(record.body, EventRecord)
        ]

    async def kept(self, count: int, of: str | None = None) -> list[tuple[str, str]]:
        """`events`, once there are *count* of them, or of one kind."""

        async def are_there() -> bool:
            return sum(of in (None, kind) for kind, _ in await self.events()) >= count

        await waiting.until(are_there)
        return await self.events()

    async def _serve_preflights(self, page: Page) -> None:
        session = await self.context.new_cdp_session(page)

        def hear(event: dict[str, Any]) -> None:
            if event["request"]["method"] == "OPTIONS":
                self.preflights.append(event["request"]["url"])

        session.on("Network.requestWillBeSent", hear)
        await session.send("Network.enable")


async def until(page: Page, condition: str) -> None:
    """Waits for *condition*, an expression of the page; asked from outside, for a strict policy forbids `eval`."""

    async def holds() -> bool:
        return bool(await page.evaluate(condition))

    await waiting.until(holds)


async def reported(page: Page, slot: str) -> list[str]:
    """Names of the events of one slot's element, in order."""
    return [name for of, name, _ in await page.evaluate("window.told") if of == slot]


@asynccontextmanager
async def publishing(browser: Browser) -> AsyncIterator[Publisher]:
    key, known = a_key(environment=Environment.TEST)
    snapshot = a_snapshot(known, environment=Environment.TEST)
    async with running_edge(snapshot) as edge, running_site() as site:
        for path in DIST.iterdir():
            if kind := _TYPES.get(path.suffix):
                site.page(f"127.0.0.1/sdk/{path.name}", path.read_bytes(), f"Content-Type: {kind}")
        context = await browser.new_context(viewport={"width": 1000, "height": 800})
        context.set_default_timeout(15_000)
        await context.add_init_script(_TELLTALE)

        async def to_our_edge(route: Route) -> None:
            """The edge's public name leads to where it runs."""
            answer = await edge.get(urlsplit(route.request.url).path)
            headers = dict(answer.headers)
            await route.fulfill(status=answer.status, headers=headers, body=answer.body)

        await context.route(f"{PUBLIC_EDGE}/v1/frame/**", to_our_edge)
        yield Publisher(edge, site, context, key.text, [known])
        await context.close()
