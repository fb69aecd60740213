"""A person in front of the dashboard of a running stack, and a reader in front of a publisher's page: real browsers."""

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

from PIL import Image
from playwright.async_api import Browser, FilePayload, Page, Route, expect

from deploy.standalone.background import Background
from tests.e2e.customer import PASSWORD
from tests.support.browser import PUBLISHER, Watched, opened
from tests.support.web_site import running_site

READER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36"
"""Of a browser that is no robot: events of a headless one are not valid."""


@dataclass(frozen=True, slots=True)
class Seat:
    """``seen`` is the page of somebody whom only the screens help."""

    stack: Background
    seen: Watched

    @property
    def page(self) -> Page:
        return self.seen.page

    @property
    def url(self) -> str:
        """Of the dashboard."""
        return str(self.stack.demo["control_url"])

    async def go(self, path: str) -> None:
        await self.page.goto(self.url + path)

    async def press(self, name: str) -> None:
        """The one button of that name."""
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def follow(self, name: str) -> None:
        """The one link of that name."""
        await self.page.get_by_role("link", name=name, exact=True).click()

    async def fill(self, **fields: str) -> None:
        """Inputs by name; dots are written as ``__``."""
        for name, value in fields.items():
            field = f"[name='{name.replace('__', '.')}']:not([type=hidden])"
            await self.page.locator(field).fill(value)

    async def reads(self, words: str) -> None:
        """*words* stand on the page, or come to."""
        await expect(self.page.locator("main")).to_contain_text(words)

    async def sign_up(self) -> str:
        """The address of the new owner."""
        email = f"{uuid4().hex}@journeys.example"
        await self.go("/sign-up")
        await self.fill(name="Harbour News", email=email, password=PASSWORD)
        await self.press("Create account")
        await self.page.wait_for_url("**/test/first-steps")
        return email

    async def sign_in(self, email: str) -> None:
        await self.go("/sign-in")
        await self.fill(email=email, password=PASSWORD)
        await self.press("Sign in")
        await self.page.wait_for_url("**/live*")

    async def make_campaign(self, name: str, *, bid: str = "2.50") -> str:
        """A draft, by the form of the environment that is looked at; its page's path."""
        await self.fill(name=name, bid_cents=bid)
        await self.page.get_by_role("button", name="Save as draft", exact=True).click()
        await expect(self.page.get_by_role("heading", name=name, level=1)).to_be_visible()
        return self.page.url.removeprefix(self.url).split("?")[0]

    async def make_banner(self, name: str, *, then: str = "The ad is active.") -> None:
        """From the campaign's page: a picture goes up, the ad is made and started, and back."""
        await self.follow("Add an ad")
        await self.page.locator("a[href*='format=banner']").click()
        file = FilePayload(name="harbour.png", mimeType="image/png", buffer=picture())
        await self.page.set_input_files("input[type=file]", files=file)
        await expect(self.page.locator("[data-upload-status]")).not_to_be_empty()
        await self.fill(
            name=name, click_url="https://advertiser.example/landing", content__alt="The harbour"
        )
        await self.press("Create ad")
        await self.press("Activate")
        await self.reads(then)
        await self.page.locator("dl a[href*='/campaigns/']").click()


@asynccontextmanager
async def seated(stack: Background, chromium: Browser) -> AsyncIterator[Seat]:
    """A browser of its own at the dashboard; at the end, nothing may have gone wrong on its page."""
    async with opened(chromium, user_agent=READER, accept_downloads=True) as seen:
        yield Seat(stack, seen)
        seen.check()


@asynccontextmanager
async def reading(chromium: Browser, markup: str) -> AsyncIterator[Page]:
    """A reader at a publisher's page of another origin, with *markup* in it; nothing may go wrong there."""
    async with running_site() as site, opened(chromium, user_agent=READER) as seen:
        site.page(
            f"{PUBLISHER}/",
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>News</title>'
            f'<link rel="icon" href="data:,"><h1>News</h1>{markup}</html>',
            "Content-Type: text/html; charset=utf-8",
        )
        await seen.page.route("https://advertiser.example/**", _answer)
        await seen.page.goto(f"http://{PUBLISHER}:{site.port}/")
        yield seen.page
        seen.check()


async def sees_an_ad(page: Page) -> None:
    """The reader does: the picture is there, at its size, and the click leads through the edge."""
    shown = page.locator("service-ad[data-state=filled]")
    await expect(shown).to_be_visible()
    picture = shown.get_by_role("img", name="The harbour")
    await expect(picture).to_be_visible()
    loaded = await picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)")
    assert loaded == 300


async def _answer(route: Route) -> None:
    """As the advertiser's own host would."""
    await route.fulfill(status=200, content_type="image/png", body=picture())


def picture() -> bytes:
    """A PNG of 300 by 250."""
    file = io.BytesIO()
    Image.new("RGB", (300, 250), "navy").save(file, "PNG")
    return file.getvalue()
