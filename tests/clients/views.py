"""Runs a conformance case of a view by the element in a real browser, before an edge that answers by script."""

import asyncio
import re
from typing import Any
from urllib.parse import urlsplit

import orjson
from playwright.async_api import Browser, Page, Request, Route

from tests.clients.cases import answers
from tests.clients.publisher import DIST, ROOT
from tests.support import waiting

_ORIGIN = "https://news.example"
_FILM = ROOT / "control" / "dashboard" / "static" / "demo-video.mp4"
_PIXEL = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="250"></svg>'
_QUIET_S = 0.5
_BY_TOKEN = ("/v1/click/", "/v1/frame/")
_SEEN = """
async () => {
  await import("/sdk/refresh.js");
  await new Promise((done) => {
    new IntersectionObserver((_, observer) => (observer.disconnect(), done())).observe(document.body);
  });
}
"""
"""Returns when the part that refreshes runs and knows what is in view: time that passes before counts for no ad."""
_NAMES = ["load", "empty", "error", "impression", "viewable", "click"]


class Script:
    """Answers a page's requests as one case says, and writes down those that the case is about."""

    def __init__(self, case: Any, page_html: str) -> None:
        self.requests: list[dict[str, Any]] = []
        self.sent = 0
        self.unanswered = 0
        self._page_html = page_html
        self._edge = case["given"]["edge_url"]
        text = answers()
        self._answers = {
            operation: [text[name] for name in names]
            for operation, names in case["answers"].items()
        }

    async def route(self, route: Route) -> None:
        self.sent += 1
        self.unanswered += 1
        try:
            await self._route(route)
        finally:
            self.unanswered -= 1

    async def _route(self, route: Route) -> None:
        request = route.request
        url = urlsplit(request.url)
        if request.url.startswith(_ORIGIN):
            await self._own(route, url.path)
        elif request.url.startswith("https://brand.example/") and url.path.endswith(".mp4"):
            await route.fulfill(status=200, content_type="video/mp4", body=_FILM.read_bytes())
        elif request.url.startswith("https://brand.example/"):
            await route.fulfill(status=200, content_type="image/svg+xml", body=_PIXEL)
        else:
            self.requests.append(self._written(request))
            await self._answer(route, url.path.split("/")[2] if url.path.startswith("/v1/") else "")

    async def _own(self, route: Route, path: str) -> None:
        if path.startswith("/sdk/"):
            file = (DIST / path.removeprefix("/sdk/")).read_bytes()
            await route.fulfill(status=200, content_type="text/javascript", body=file)
        else:
            await route.fulfill(status=200, content_type="text/html", body=self._page_html)

    async def _answer(self, route: Route, operation: str) -> None:
        if operation == "click":
            await route.fulfill(status=204)
            return
        queue = self._answers.get(operation)
        if queue is None:
            await route.fulfill(status=200, content_type="image/svg+xml", body=_PIXEL)
            return
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        body = orjson.dumps(answer["body"]) if "body" in answer else answer.get("text", "")
        headers = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "*"}
        await route.fulfill(
            status=answer["status"], headers=headers | answer.get("headers", {}), body=body
        )

    def _written(self, request: Request) -> dict[str, Any]:
        url = urlsplit(request.url)
        if not request.url.startswith(self._edge) or url.path.startswith(_BY_TOKEN):
            return {"method": request.method, "url": request.url}
        written: dict[str, Any] = {"method": request.method, "path": url.path}
        if request.post_data is not None:
            written["body"] = orjson.loads(request.post_data)
        return written


async def check_view(chromium: Browser, case: Any) -> None:
    """Raises AssertionError if the element does not behave as *case* specifies."""
    given, expect = case["given"], case["expect"]
    show, *then = case["do"]
    element = (
        f'<service-ad publisher-key="{given["publisher_key"]}" edge-url="{given["edge_url"]}" '
        f'slot-id="{show["request"]["slot"]}"></service-ad>'
    )
    listen = (
        "window.told = []; window.unanswered = 0; const send = window.fetch;"
        "window.fetch = (...given) => { unanswered++; return send(...given).finally(() => unanswered--); };"
        f"for (const name of {orjson.dumps(_NAMES).decode()})"
        " document.addEventListener(`ad-${name}`, () => window.told.push(name));"
    )
    html = (
        f"<!doctype html><script>{listen}</script>{element}"
        '<script type="module" src="/sdk/placard.js"></script>'
    )
    script = Script(case, html)
    context = await chromium.new_context()
    try:
        await context.route(re.compile("^https:"), script.route)
        if any(step["call"] == "wait" for step in then):
            await context.clock.install()
        page = await context.new_page()
        await page.goto(_ORIGIN)
        for step in then:
            await _perform(page, step, script)

        async def is_done() -> bool:
            reported = await page.evaluate("told")
            return len(reported) >= len(expect["callbacks"]) and len(script.requests) >= len(
                expect["requests"]
            )

        await waiting.until(is_done)
        await _until_quiet(page, script)
        assert await page.evaluate("told") == expect["callbacks"]
        loose = case.get("any_order", 0)
        assert _sorted(script.requests, loose) == _sorted(expect["requests"], loose)
    finally:
        await context.close()


async def _until_quiet(page: Page, script: Script) -> None:
    """
    Waits until every request is answered and none is sent for half a second. It counts the script's own requests:
    Playwright's "networkidle" once did not come within 30 s, although the last request that a case expects was sent.
    """

    async def is_quiet() -> bool:
        sent = script.sent
        await asyncio.sleep(_QUIET_S)
        return (
            script.sent == sent and not script.unanswered and not await page.evaluate("unanswered")
        )

    await waiting.until(is_quiet)


async def _perform(page: Page, step: Any, script: Script) -> None:
    match step["call"]:
        case "wait_for":

            async def is_told() -> bool:
                return step["callback"] in await page.evaluate("told")

            await waiting.until(is_told)
        case "wait":
            # What is loaded when it is needed is there, and no request is sent again for want of an answer.
            await _until_quiet(page, script)
            await page.evaluate(_SEEN)
            await page.clock.run_for(step["ms"])
        case "click":
            link, shown = (
                page.locator("service-ad a"),
                page.locator("service-ad div > :first-child"),
            )
            inside = page.frame_locator("service-ad iframe").locator("a")
            linked = inside if step.get("inside") else link
            await (linked if await linked.count() else shown.first).click()
        case "reinsert":
            await page.evaluate(
                "() => { const ad = document.querySelector('service-ad'); ad.remove(); document.body.append(ad); }"
            )
        case other:
            raise ValueError(other)


def _sorted(requests: list[dict[str, Any]], loose: int) -> list[dict[str, Any]]:
    """The last *loose* of them are set off at once, and go in any order."""
    fixed = len(requests) - loose
    return requests[:fixed] + sorted(requests[fixed:], key=str)
