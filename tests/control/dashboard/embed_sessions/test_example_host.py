"""The example of an application that opens a window of ours: it, the library and this control plane together."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Route

from common.values.environment import Environment
from tests.support import waiting
from tests.support.control_api import ControlApi

_EXAMPLE = Path(__file__).resolve().parents[4] / "clients/web/examples/embed-host/host.py"


@asynccontextmanager
async def _example(api: ControlApi, key: str) -> AsyncIterator[str]:
    """The example's address while it runs."""
    environment = {
        "PLACARD_KEY": key,
        "PLACARD_URL": _control(api),
        "PLACARD_PUBLIC_URL": str(api.control.settings.control_url),
        "PORT": "0",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(_EXAMPLE),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(waiting.PATIENCE_S):
            address = (await process.stdout.readline()).decode().strip()
        yield address
    finally:
        process.kill()
        await process.wait()


def _control(api: ControlApi) -> str:
    return str(api.http.base_url).rstrip("/")


async def test_a_button_of_the_host_opens_a_window_already_signed_in(
    api: ControlApi, chromium: Browser
) -> None:
    key = await api.add_key(await api.sign_up(), environment=Environment.TEST)
    public = str(api.control.settings.control_url)
    async with _example(api, key.text.text) as address:
        context = await chromium.new_context()
        context.set_default_timeout(15_000)

        async def to_control(route: Route) -> None:
            """Control's public name leads to where it runs."""
            path = route.request.url.removeprefix(public)
            await route.fulfill(response=await route.fetch(url=f"{_control(api)}{path}"))

        await context.route(f"{public}/**", to_control)
        page = await context.new_page()
        await page.goto(f"{address}/")
        await page.get_by_role("button", name="Promote this product").click()

        await page.get_by_text("The window is open.").wait_for()
        inside = page.frame_locator("dialog iframe")
        assert await inside.locator("#main").is_visible()
        await inside.locator("#window-close").click()
        await page.get_by_text("The window is closed.").wait_for()
        assert await page.locator("dialog").count() == 0
        await context.close()


async def test_another_site_gets_no_session_from_the_host(
    api: ControlApi, chromium: Browser
) -> None:
    key = await api.add_key(await api.sign_up(), environment=Environment.TEST)
    async with _example(api, key.text.text) as address:
        page = await chromium.new_page()
        answer = await page.request.post(
            f"{address}/embed-session", headers={"Origin": "https://other.example"}
        )
        assert answer.status == 404
        await page.close()
