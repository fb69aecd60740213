"""
What each library costs, in processor time: ``python -m tests.clients.measure [NAME …]`` writes it into the results.

- **start**: of a program until its client is made, and of an empty program beside it
- **a serve**: of the whole program for one call, and **of the main thread** in libraries of apps and pages, with the
  impression

The edge responds by script. Times of the wall depend on what else a machine does, and are not measured. Figures are of
one run; no test compares them.
"""

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

import orjson
from playwright.async_api import Page, async_playwright

from common.values.enums import Format
from tests.clients import android, flutter, libraries
from tests.clients.app_suite import started
from tests.clients.cases import answers
from tests.clients.library_driver import VIRTUAL, Driver, Library, driver_of
from tests.clients.publisher import ROOT, publishing, until
from tests.clients.scripted_edge import scripted_edge
from tests.support.browser import CHROMIUM

_COMMAND: Final = "python -m tests.clients.measure"
_WARM: Final = 200
_CALLS: Final = 500
_TICK_MS: Final = 1000 / os.sysconf("SC_CLK_TCK")
_SERVERS: Final = {
    "python": (sys.executable, "tests/driver.py"),
    "node": ("node", "tests/driver.js"),
    "go": ("go",),
    "php": ("php", "tests/driver.php"),
}
_EMPTY: Final = {
    "python": (sys.executable, "-c", ""),
    "node": ("node", "-e", ""),
    "php": ("php", "-r", ""),
}
_SOURCES: Final = {
    "python": "clients/python/placard/**/*.py",
    "node": "clients/node/dist/*.js",
    "go": "clients/go/*[!t].go",
    "php": "clients/php/src/**/*.php",
}
_EMPTY_PAGE: Final = '<!doctype html><meta charset="utf-8"><title>News</title><body></body>'
_METRICS: Final = "TaskDuration"
"""Of Chromium's main thread, in seconds of that thread's processor time."""

Figures: TypeAlias = dict[str, str]


def processor_ms(pid: int) -> float:
    """Of a running process with all its threads; the system counts in ticks of ten milliseconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_MS


def thread_ms(pid: int) -> float:
    """Of the process's busiest thread that bears the name of its program: the one that runs ``main``."""
    name = Path(f"/proc/{pid}/comm").read_text()
    return max(
        int((task / "schedstat").read_text().split()[0]) / 1e6
        for task in Path(f"/proc/{pid}/task").iterdir()
        if (task / "comm").read_text() == name
    )


def empty_ms(*command: str) -> float:
    """Of a program that does nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent * 1000


def _build_go(target: str) -> None:
    build = ["go", "build", "-o", target, "./tests/driver"]
    subprocess.run(build, cwd=ROOT / "clients" / "go", check=True)


async def _server(name: str) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        command = _SERVERS[name]
        if name == "go":
            command = (f"{folder}/driver",)
            await asyncio.to_thread(_build_go, command[0])
        library = Library(name, command, {"PYTHONPATH": "."})
        async with driver_of(library) as driver, scripted_edge() as edge:
            edge.play({"serve": [answers()["banner"]]})
            await driver.do("open", edge_url=edge.url, edge_key="sk_test_any", **VIRTUAL)
            start_ms = processor_ms(driver.process.pid)
            spent_ms = await _per_call(driver.process.pid, lambda: _serve(driver))
    empty = f"; empty: {empty_ms(*_EMPTY[name]):.0f} ms" if name in _EMPTY else ""
    size = sum(path.stat().st_size for path in ROOT.glob(_SOURCES[name]))
    return {
        "package": f"{size / 1000:.0f} kB",
        "start": f"{start_ms:.0f} ms{empty}",
        "a serve": f"{spent_ms:.1f} ms",
    }


async def _serve(driver: Driver) -> None:
    served = await driver.do("serve", request={"slot": "banner"}, consent={"gdpr": False})
    assert served["status"] == "filled", served


async def _app(journey: list[str], *empty: str) -> Figures:
    known = answers()
    with tempfile.TemporaryDirectory() as folder:
        async with started(journey) as do, scripted_edge() as edge:
            edge.play(
                {
                    "features": [known["features"]],
                    "serve": [known["banner"]],
                    "track": [known["counted"]],
                }
            )
            consent = {"lgpd": True}
            key = "pk_test_0123456789abcdefghijABCDEFGHIJ000000"
            await do("open", edge_url=edge.url, key=key, folder=folder, consent=consent)
            start_ms = processor_ms(do.pid)

            async def show() -> None:
                served = await do("serve", slot="banner")
                assert served["status"] == "filled", served
                await do("impression")

            for _ in range(_WARM):
                await show()
            before_ms, main_ms = processor_ms(do.pid), thread_ms(do.pid)
            for _ in range(_CALLS):
                await show()
            spent_ms = (processor_ms(do.pid) - before_ms) / _CALLS
            main_ms = (thread_ms(do.pid) - main_ms) / _CALLS
    return {
        "start": f"{start_ms:.0f} ms; empty: {empty_ms(*empty):.0f} ms",
        "a serve": f"{spent_ms:.1f} ms",
        "a serve, of the main thread": f"{main_ms:.2f} ms",
    }


async def _per_call(pid: int, call: Callable[[], Awaitable[None]]) -> float:
    for _ in range(_WARM):
        await call()
    before_ms = processor_ms(pid)
    for _ in range(_CALLS):
        await call()
    return (processor_ms(pid) - before_ms) / _CALLS


async def _flutter() -> Figures:
    """All of it runs in one isolate, an app's main one, beside the threads of Dart's collector and compiler."""
    with tempfile.TemporaryDirectory() as folder:
        journey, empty = await asyncio.to_thread(flutter.compiled_journey, Path(folder))
        figures = await _app(journey, *empty)
    served = figures["a serve"]
    return figures | {"a serve, of the main thread": f"at most {served}"}


async def _android() -> Figures:
    android.build()
    return await _app(android.journey(), "java", "-version")


async def _web() -> Figures:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox"]
        )
        async with publishing(browser) as publisher:
            publisher.site.page("127.0.0.1/empty", _EMPTY_PAGE, "Content-Type: text/html")
            empty = await publisher.context.new_page()
            await empty.goto(f"{publisher.origin}/empty")
            empty_ms = await (await _main_thread(empty))()
            publisher.place("banner", Format.BANNER)
            page = await publisher.open("")
            spent_ms = await _main_thread(page)
            started_ms = await spent_ms()
            await page.evaluate(
                "html => { document.body.innerHTML = html; }", publisher.element("banner")
            )
            await until(page, "told.some(([, name]) => name === 'impression')")
            shown_ms = await spent_ms() - started_ms
        await browser.close()
    return {
        "start, of the main thread": f"{started_ms:.1f} ms; a page without it: {empty_ms:.1f} ms",
        "an ad, of the main thread": f"{shown_ms:.1f} ms",
    }


async def _main_thread(page: Page) -> Callable[[], Awaitable[float]]:
    """Loads *page* again; returns a function for the processor time of its main thread since then."""
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    await page.reload()

    async def spent_ms() -> float:
        metrics = (await session.send("Performance.getMetrics"))["metrics"]
        (found,) = [one["value"] for one in metrics if one["name"] == _METRICS]
        return float(found) * 1000

    return spent_ms


_MEASURES: Final[dict[str, Callable[[], Awaitable[Figures]]]] = {
    "android": _android,
    "flutter": _flutter,
    "web": _web,
    **{name: partial(_server, name) for name in _SERVERS},
}


def record(name: str, figures: Figures) -> None:
    """Replaces what an earlier run measured."""
    result = orjson.loads((libraries.RESULTS / f"{name}.json").read_bytes())
    result["measured"] = [
        {"what": what, "figure": figure, "limit": "–", "command": _COMMAND}
        for what, figure in figures.items()
    ]
    libraries.write_result(result)


async def main(names: list[str]) -> None:
    for name in names or [*_MEASURES]:
        record(name, await _MEASURES[name]())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
