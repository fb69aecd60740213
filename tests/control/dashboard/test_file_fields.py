"""The field of a file in an ad's form, in a browser: files are dropped, pasted or picked, and chosen once processed."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Browser, FilePayload, Page, Route, expect

from control.demand.assets.jobs import inspect_assets
from tests.control.demand.assets.files import HTML, a_film, a_sound
from tests.e2e.journeys.seat import picture
from tests.support.browser import opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer

_TRANSFER = """([name, type, content]) => {
  const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name, { type }));
  return transfer;
}"""
_PASTE = """(clipboardData) => document.activeElement.dispatchEvent(
  new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))"""
_PICTURE = ("harbour.png", "image/png", picture())
_SOUNDS = {
    "an MP3": ("spot.mp3", "audio/mpeg", "mp3", "libmp3lame"),
    "an M4A by a brand that films have too": ("spot.m4a", "audio/x-m4a", "mp4", "aac"),
}


@pytest.fixture
async def person(api: ControlApi) -> Person:
    return await api.sign_up()


@asynccontextmanager
async def _form(
    api: ControlApi, chromium: Browser, person: Person, ad_format: str
) -> AsyncIterator[Page]:
    """The form of a new ad."""
    customer = Customer(api, person)
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.route(f"{api.control.settings.assets_url}/**", _answer)
        query = f"campaign_id={campaign['id']}&format={ad_format}"
        await seen.page.goto(f"{base_url}/live/ads/new?{query}", wait_until="networkidle")
        yield seen.page
        seen.check()


async def _answer(route: Route) -> None:
    """As the host of assets would, with a file that any element takes."""
    await route.fulfill(status=200, content_type="image/png", body=picture())


async def _transfer(page: Page, name: str, mime: str, content: bytes) -> Any:
    return await page.evaluate_handle(_TRANSFER, [name, mime, base64.b64encode(content).decode()])


async def test_a_dropped_file_goes_up_and_is_chosen(
    api: ControlApi, chromium: Browser, person: Person
) -> None:
    async with _form(api, chromium, person, "banner") as page:
        drop = page.locator("[data-drop]")
        transfer = await _transfer(page, *_PICTURE)
        await drop.dispatch_event("dragover", {"dataTransfer": transfer})
        await expect(drop).to_have_class("drop is-over")
        await drop.dispatch_event("drop", {"dataTransfer": transfer})

        await expect(drop).to_have_class("drop")
        await expect(page.get_by_role("status")).to_contain_text("Uploaded and selected.")
        await expect(page.locator("[data-shown] img")).to_be_visible()
        chosen = page.locator("[name='asset_ids.image'] option:checked")
        await expect(chosen).to_have_text("harbour.png (300 × 250)")


async def test_a_pasted_file_goes_to_the_field_that_has_the_focus(
    api: ControlApi, chromium: Browser, person: Person
) -> None:
    async with _form(api, chromium, person, "native") as page:
        await page.get_by_label("Upload: Icon").focus()
        await page.evaluate(_PASTE, await _transfer(page, *_PICTURE))

        icon = page.locator("[name='asset_ids.icon'] option:checked")
        await expect(icon).to_have_text("harbour.png (300 × 250)")
        await expect(page.locator("[name='asset_ids.image']")).to_have_value("")


async def test_without_a_focus_a_pasted_file_goes_to_the_first_empty_field(
    api: ControlApi, chromium: Browser, person: Person
) -> None:
    async with _form(api, chromium, person, "native") as page:
        transfer = await _transfer(page, *_PICTURE)
        await page.evaluate(_PASTE, transfer)
        image = page.locator("[name='asset_ids.image'] option:checked")
        await expect(image).to_have_text("harbour.png (300 × 250)")
        await page.evaluate(_PASTE, transfer)

        icon = page.locator("[name='asset_ids.icon'] option:checked")
        await expect(icon).to_have_text("harbour.png (300 × 250)")


@pytest.mark.parametrize("sound", _SOUNDS.values(), ids=_SOUNDS)
async def test_a_sound_is_chosen_once_it_is_processed(
    api: ControlApi, chromium: Browser, person: Person, sound: tuple[str, str, str, str]
) -> None:
    async with _form(api, chromium, person, "audio") as page:
        name, mime, *encoding = sound
        await _upload(page, name, mime, a_sound(*encoding))
        await _process(api, page)

        chosen = page.locator("[name='asset_ids.media.0'] option:checked")
        await expect(chosen).to_have_text(name)
        await expect(page.locator("[data-shown] audio")).to_be_visible()


async def test_a_form_is_sent_once_its_file_is_processed(
    api: ControlApi, chromium: Browser, person: Person
) -> None:
    async with _form(api, chromium, person, "audio") as page:
        name, mime, *encoding = _SOUNDS["an MP3"]
        await _upload(page, name, mime, a_sound(*encoding))
        await page.locator("[name=name]").fill("Spot")
        status = page.locator("[data-upload-status]").first
        await expect(status).to_have_text("The file is being processed.")
        await page.get_by_role("button", name="Create ad").click()
        await expect(status).to_have_text("The form is sent once the file is ready.")
        await inspect_assets(api.control)

        await expect(page.get_by_role("heading", name="Spot", level=1)).to_be_visible()


async def test_a_film_is_chosen_once_it_is_processed(
    api: ControlApi, chromium: Browser, person: Person
) -> None:
    async with _form(api, chromium, person, "video") as page:
        await _upload(page, "spot.mp4", "video/mp4", a_film())
        await _process(api, page)

        chosen = page.locator("[name='asset_ids.media.0'] option:checked")
        await expect(chosen).to_have_text("spot.mp4 (160 × 120)")
        await expect(page.locator("[data-shown] video")).to_be_visible()


async def test_an_html_file_is_chosen_and_a_larger_one_is_refused_at_the_field(
    api: ControlApi, chromium: Browser, person: Person
) -> None:
    async with _form(api, chromium, person, "html") as page:
        await _upload(page, "spring.html", "text/html", HTML)

        chosen = page.locator("[name='asset_ids.html'] option:checked")
        await expect(chosen).to_have_text("spring.html")

        await _upload(page, "large.html", "text/html", HTML + b" " * 65_536)
        await expect(page.locator("[data-upload-status]")).to_have_text(
            "The file may have at most 64 KiB. Choose a smaller one."
        )
        await expect(chosen).to_have_text("spring.html")


async def test_a_file_of_another_kind_is_refused_at_the_field(
    api: ControlApi, chromium: Browser, person: Person
) -> None:
    async with _form(api, chromium, person, "audio") as page:
        await _upload(page, *_PICTURE)

        status = page.locator("[data-upload-status]").first
        await expect(status).to_have_text("This field takes another kind of file.")


async def _upload(page: Page, name: str, mime: str, content: bytes) -> None:
    file = FilePayload(name=name, mimeType=mime, buffer=content)
    await page.locator("[data-file-field] input[type=file]").first.set_input_files(files=file)


async def _process(api: ControlApi, page: Page) -> None:
    """As the scheduler does, once the page status that it waits."""
    status = page.locator("[data-upload-status]").first
    await expect(status).to_have_text("The file is being processed.")
    await inspect_assets(api.control)
    await expect(status).to_have_text("Uploaded and selected.")
