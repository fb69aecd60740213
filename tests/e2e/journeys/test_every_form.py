"""The main button of every form of every page, pressed in a browser: it sends the form, or a field says why not."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import asyncpg
from playwright.async_api import Browser, Page

from control.api.operator_action import operator_action
from control.billing.invoicing import operator_actions
from control.dashboard.page import PageRoute
from control.dashboard.page_registry import SCREENS
from control.foundation.subscription_terms import Term
from deploy.standalone.background import Background
from tests.e2e.customer import Customer, eventually
from tests.e2e.journeys.pressing import Fill, Form, forms_of, nothing_is_sent, press
from tests.e2e.journeys.seat import Seat, picture
from tests.e2e.journeys.standing import operating, standing
from tests.support.browser import Watched, opened
from tests.support.money import bill_last_month

_PAGES = [screen for screen in SCREENS if not screen.is_part]
_OF_ONE_KIND = 2
"""Pages of a kind that are looked at: one campaign is active, another is a draft."""
_TABS = 3
_FILLS: tuple[Fill, ...] = ("untouched", "nothing", "everything", "wrong")
_LEAD_ON = {"start": "overview", "sign_out": "overview", "test_page": "first_steps"}
"""Pages that show nothing of their own, here in live, and where they lead who is signed in.
The form to sign out is on every page."""
_AFTER_SIGN_IN = {"own_data"}
"""Pages that a form alone leads to: `test_self_service.py` has the one of a user who is a member of no account."""


@dataclass(slots=True)
class _Walk:
    """
    From page to page by their links, in several tabs at a time. ``reached``: how many pages of each kind were asked
    for; ``shown``: the screens that were shown; ``stuck``: what came of a button, where that was nothing.
    """

    tabs: list[Page]
    url: str
    known: set[str] = field(default_factory=set)
    reached: dict[tuple[str, ...], int] = field(default_factory=dict)
    pressed: set[Form] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)
    stuck: list[str] = field(default_factory=list)

    async def go(self, *starts: str) -> None:
        waiting: asyncio.Queue[str] = asyncio.Queue()
        self._note(starts, waiting)
        async with asyncio.TaskGroup() as group:
            walking = [group.create_task(self._walk(tab, waiting)) for tab in self.tabs]
            await waiting.join()
            for one in walking:
                one.cancel()

    async def _walk(self, tab: Page, waiting: asyncio.Queue[str]) -> None:
        while True:
            self.shown.add(await self.open(await waiting.get(), tab))
            links = await tab.eval_on_selector_all(
                "a[href^='/']", "(links) => links.map((link) => link.getAttribute('href'))"
            )
            self._note(links, waiting)
            await self._press_all(tab)
            waiting.task_done()

    def _note(self, links: Iterable[str], waiting: asyncio.Queue[str]) -> None:
        for link in links:
            if link not in self.known and self._is_wanted(link):
                waiting.put_nowait(link)
            self.known.add(link)

    async def open(self, path: str, tab: Page) -> str:
        """The screen that *path* leads to."""
        await tab.goto(self.url + path, wait_until="domcontentloaded")
        screen = _screen_at(urlsplit(tab.url).path)
        return screen.name if screen else ""

    def _is_wanted(self, link: str) -> bool:
        parts = urlsplit(link)
        screen = _screen_at(parts.path)
        if screen is None:
            return False
        query = dict(parse_qsl(parts.query))
        kind = (screen.name, query.get("format", ""), query.get("kind", ""))
        self.reached[kind] = self.reached.get(kind, 0) + 1
        return self.reached[kind] <= _OF_ONE_KIND

    async def _press_all(self, tab: Page) -> None:
        fresh = [form for form in await forms_of(tab) if form not in self.pressed]
        self.pressed.update(fresh)
        if not fresh:
            return
        async with nothing_is_sent(tab) as sent:
            for form in dict.fromkeys(fresh):
                for fill in _FILLS:
                    wrong = await press(tab, form, fill, sent)
                    if wrong:
                        self.stuck.append(f"{tab.url}: {form.button}, {fill}: {wrong}")


@asynccontextmanager
async def _tabs(chromium: Browser, count: int) -> AsyncIterator[Watched]:
    """The first of *count* tabs, which share their cookies."""
    async with opened(chromium) as seen:
        for _ in range(count - 1):
            await seen.page.context.new_page()
        yield seen


async def test_every_form_is_sent_or_says_why_not(
    streams_stack: Background, chromium: Browser
) -> None:
    url = str(streams_stack.demo["control_url"])
    async with (
        standing(streams_stack) as customer,
        _tabs(chromium, 1) as strange,
        _tabs(chromium, _TABS) as seen,
    ):
        outside = _Walk(strange.page.context.pages, url)
        public = [f"{screen.path}?token=a" for screen in _PAGES if screen.is_public]
        async with asyncio.TaskGroup() as group:
            group.create_task(outside.go(*public))
            group.create_task(_fill_the_account(streams_stack, customer))
        await Seat(streams_stack, seen).sign_in(customer.email)
        inside = _Walk(seen.page.context.pages, url)
        plain = [one for one in _PAGES if "<" not in one.path and not one.is_public]
        await inside.go(*(_start_of(one) + one.path for one in plain))
        led_to = {
            one.name: await inside.open(_start_of(one) + one.path, seen.page)
            for one in plain
            if one.name in _LEAD_ON
        }
        led_to["start"] = await inside.open("/", seen.page)
        await _suspend(streams_stack, customer)
        suspended = _Walk([seen.page], url)
        await suspended.go("/suspended")

    assert not outside.stuck + inside.stuck + suspended.stuck
    assert led_to == _LEAD_ON
    shown = outside.shown | inside.shown | suspended.shown
    assert {screen.name for screen in _PAGES} - shown == set(_LEAD_ON) | _AFTER_SIGN_IN


async def _verify_address(stack: Background, customer: Customer) -> None:
    """Without its mail: who is not verified may invite nobody."""
    connection = await asyncpg.connect(stack.environment["PLACARD_DATABASE_URL"])
    try:
        await connection.execute(
            "update users set email_verified_at = now() where email = $1", customer.email
        )
    finally:
        await connection.close()


async def _fill_the_account(stack: Background, customer: Customer) -> None:
    """Something of every kind, so that every page is reached."""
    await _verify_address(stack, customer)
    async with operating(stack) as control:
        await bill_last_month(control, customer.account_id, 4900)
        ends_on = control.clock.now() + timedelta(days=10)
        terms = operator_actions.SubscriptionTerms(
            price_cents=4900, term=Term.MONTH, ends_on=ends_on
        )
        async with operator_action(control) as act:
            await operator_actions.start_subscription(act, customer.account_id, "standard", terms)
    campaign_id = await customer.run_campaign("live")
    filled = await customer.serve_until_filled("live", campaign_id)
    await customer.track("live", filled["track_token"])
    uploaded = await customer.http.post(
        f"{customer.demo['control_url']}/v1/assets?environment=live",
        files={"file": ("harbour.png", picture())},
        headers={"Authorization": f"Bearer {customer.access_token}"},
    )
    assert uploaded.is_success, uploaded.text
    requested = {"objective": "awareness", "pricing_model": "cpm", "bid_cents": 250}
    draft = {"name": "Draft", "property_ids": [customer.property_id], **requested}
    await customer.call("POST", "/v1/campaigns?environment=live", draft)
    await customer.call(
        "POST", "/v1/members", {"email": f"{customer.account_id}@people.example", "role": "analyst"}
    )
    await customer.call("POST", "/v1/privacy/requests", {"uid": "reader-4711", "kind": "export"})
    export = {"kind": "events", "format": "csv", "from": "2026-01-01", "to": "2026-01-02"}
    await customer.call("POST", "/v1/reports/exports?environment=live", export)
    await eventually(lambda: _first_event(customer))


async def _suspend(stack: Background, customer: Customer) -> None:
    async with operating(stack) as control, operator_action(control) as act:
        await operator_actions.end_subscription(act, customer.account_id)


async def _first_event(customer: Customer) -> dict[str, Any] | None:
    return next(iter(await customer.events("live")), None)


def _start_of(screen: PageRoute) -> str:
    return "/live" if screen.of_environment else ""


def _screen_at(path: str) -> PageRoute | None:
    """Fixed parts of a path go before places to be filled in."""
    fitting = [
        screen
        for screen in _PAGES
        if re.fullmatch(_start_of(screen) + re.sub(r"<\w+:str>", "[^/]+", screen.path), path)
    ]
    return min(fitting, key=lambda screen: screen.path.count("<"), default=None)
