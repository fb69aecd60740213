"""The web library as its users get it: its package, examples in three frameworks, and eight journeys in Chromium."""

import asyncio
import shutil
import tarfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from playwright.async_api import Browser, Page, Route

from common.snapshot.model import FrequencyCap
from common.tracking.event import EventRecord
from common.values.enums import EventKind, Surface
from common.values.environment import Environment
from tests.clients import libraries
from tests.clients.cases import cases
from tests.clients.publisher import ROOT, Publisher, reported, until
from tests.clients.views import check_view
from tests.support import npm
from tests.support.builders import a_key, a_slot, a_snapshot, an_account
from tests.support.edge import running_edge

pytestmark = pytest.mark.toolchains

_WEB = ROOT / "clients" / "web"
_EXAMPLES = _WEB / "examples" / "frameworks"
_FRAMEWORKS = ("react", "vue", "svelte")
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8"}
_MAX_BYTES = 5120
_CAP = FrequencyCap(scope="campaign", event=EventKind.IMPRESSION, limit=3, window_s=86_400)
_IMPRESSION = "told.some(([, name]) => name === 'impression')"
_SERVE = """async ([options, slot]) => {
    const { initialize, serve } = await import("/sdk/placard.js");
    initialize(options);
    return await serve({ slot });
}"""
_passed: list[str] = []
"""Journeys that passed in this run."""
_passed_cases: dict[str, list[str]] = {}


async def _run(folder: Path, *command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    text, _ = await process.communicate()
    assert process.returncode == 0, text.decode()
    return text.decode()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `npm install @placard/service-ads` puts into `node_modules`, unpacked from what `npm pack` makes."""
    folder = tmp_path_factory.mktemp("package")
    asyncio.run(_run(_WEB, "npm", "pack", "--silent", "--pack-destination", str(folder)))
    (packed,) = folder.glob("*.tgz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    packed.unlink()
    installed = folder / "node_modules" / "@placard" / "service-ads"
    installed.parent.mkdir(parents=True)
    (folder / "package").rename(installed)
    return installed


def test_the_package_holds_what_it_exports_and_nothing_of_the_sources(package: Path) -> None:
    description = orjson.loads((package / "package.json").read_bytes())
    exported = {
        path
        for entry in description["exports"].values()
        for path in (entry.values() if isinstance(entry, dict) else [entry])
    }

    assert [path for path in exported if not (package / path).is_file()] == []
    assert {path.name for path in package.iterdir()} == {
        *("LICENSE", "README.md", "custom-elements.json", "dist", "package.json", "types")
    }


async def test_the_package_passes_tsc_publint_and_are_the_types_wrong() -> None:
    await asyncio.to_thread(npm.install, _WEB)

    await _run(_WEB, "npm", "run", "check", "--silent")


async def test_every_module_of_the_package_loads_on_a_server_without_a_dom(package: Path) -> None:
    exports = orjson.loads((package / "package.json").read_bytes())["exports"]
    modules = [
        name.replace(".", "@placard/service-ads", 1)
        for name, entry in exports.items()
        if (entry.get("default", "") if isinstance(entry, dict) else entry).endswith(".js")
    ]
    source = "".join(f"await import({orjson.dumps(name).decode()});" for name in modules)
    checks = "if (typeof document !== 'undefined') throw new Error('There is a DOM.');"
    outcome = "const { serve } = await import('@placard/service-ads'); console.log(await serve({ slot: 'top' }));"
    script = package.parents[2] / "server.mjs"
    script.write_text(checks + source + outcome)

    printed = await _run(script.parent, "node", script.name)

    assert len(modules) == 4
    assert "not_initialized" in printed


@pytest.fixture(scope="module")
def examples(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples' build, with the packed library in place of the checkout's."""
    installed = npm.install(_EXAMPLES) / "@placard" / "service-ads"
    shutil.rmtree(installed)
    shutil.copytree(package, installed)
    built = tmp_path_factory.mktemp("examples")
    asyncio.run(_run(_EXAMPLES, "npm", "run", "check", "--silent"))
    asyncio.run(_run(_EXAMPLES, "npx", "vite", "build", "--outDir", str(built)))
    return built


@pytest.mark.parametrize("framework", _FRAMEWORKS)
async def test_the_example_of_a_framework_shows_an_ad_and_receives_its_events(
    publisher: Publisher, examples: Path, framework: str
) -> None:
    publisher.place("banner")
    faults: list[str] = []
    publisher.context.on("weberror", lambda one: faults.append(str(one.error)))
    query = urlencode({"key": publisher.key, "edge": publisher.edge_url})
    _put(publisher, examples, query)

    page = await publisher.context.new_page()
    await page.goto(f"{publisher.origin}/{framework}/?{query}")
    await until(page, "document.querySelector('output')?.textContent === 'shown: banner'")
    await page.get_by_role("button", name="Culture").click()
    changed = "document.querySelector('service-ad').getAttribute('kv-section') === 'culture'"
    await until(page, changed)

    assert await page.get_by_role("img", name="Shoes").is_visible()
    # What the framework renders anew is the same ad: it is neither requested nor counted again.
    await publisher.kept(1, of="viewable")
    assert sorted(await publisher.events()) == [("impression", "ok_test"), ("viewable", "ok_test")]
    assert faults == []


def _put(publisher: Publisher, built: Path, query: str) -> None:
    """Files under their names, and each page at its folder's address with *query*."""
    for path in built.rglob("*.*"):
        place = f"127.0.0.1/{path.relative_to(built)}"
        if path.name == "index.html":
            place = f"{place.removesuffix('index.html')}?{query}"
        publisher.site.page(place, path.read_bytes(), f"Content-Type: {_TYPES[path.suffix]}")


async def test_the_cases_without_a_page_pass_in_node(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    reporter = ("--test-reporter=junit", f"--test-reporter-destination={report}")
    await _run(_WEB, "node", "--test", *reporter, "test/contract.test.js")

    for suite in ET.parse(report).getroot().iter("testsuite"):  # noqa: S314 - written by our own run
        names = [str(case.get("name")) for case in suite.iter("testcase") if not len(case)]
        _passed_cases[str(suite.get("name")).removesuffix(".json")] = names
    for file in ("requests", "outcomes", "retries", "tokens"):
        assert _passed_cases[file] == [case["name"] for case in cases(file)]


async def test_the_cases_of_views_pass_in_chromium(chromium: Browser) -> None:
    _passed_cases["views"] = []
    for case in cases("views"):
        await check_view(chromium, case)
        _passed_cases["views"].append(case["name"])


async def test_a_filled_slot_counts_one_impression_of_a_page(publisher: Publisher) -> None:
    publisher.place("banner")
    page = await publisher.open(publisher.element("banner"))
    await until(page, _IMPRESSION)
    await publisher.kept(1, of="impression")

    records = await publisher.edge.context.spool.read(0, 1_000_000)
    events = [record.body for record in records if isinstance(record.body, EventRecord)]
    (event,) = [one for one in events if one.kind is EventKind.IMPRESSION]
    assert event.surface is Surface.WEB
    _passed.append("fill")


async def test_no_fill_is_no_error(publisher: Publisher) -> None:
    page = await publisher.open(publisher.element("demo-never-fill"))
    await until(page, "told.length > 0")

    assert await page.evaluate("told") == [["demo-never-fill", "empty", "demo_never_fills"]]
    _passed.append("no fill")


async def test_a_click_follows_the_signed_url_which_counts_it(publisher: Publisher) -> None:
    publisher.place("banner")

    async def to_our_edge(route: Route) -> None:
        """The edge's public name leads to where it runs."""
        path = route.request.url.partition("edge.example")[2]
        answer = await publisher.edge.get(path, "User-Agent: Mozilla/5.0 Chrome/150.0")
        status = 200 if answer.status == 302 else answer.status
        await route.fulfill(status=status, content_type="text/html", body="<p>Landed")

    await publisher.context.route("https://edge.example/v1/click/**", to_our_edge)
    page = await publisher.open(publisher.element("banner"))
    await until(page, _IMPRESSION)
    await publisher.kept(1, of="impression")
    async with publisher.context.expect_page():
        await page.get_by_role("link", name="Shoes").click()

    assert ("click", "ok_test") in await publisher.kept(1, of="click")
    assert "click" in await reported(page, "banner")
    _passed.append("click")


async def test_whose_consent_is_refused_is_not_counted_on_the_device(publisher: Publisher) -> None:
    publisher.place("capped", frequency_caps=(_CAP,))
    page = await publisher.open("")

    consented = await _serve(page, publisher, "capped", {"lgpd": True})
    refused = await _serve(page, publisher, "capped", {"lgpd": False})

    assert consented["status"] == "filled"
    assert refused["status"] == "no_fill"
    assert await page.evaluate("localStorage.length") == 0
    _passed.append("consent refused")


async def test_events_of_an_offline_page_are_counted_when_it_is_online_again(
    publisher: Publisher,
) -> None:
    publisher.place("banner")
    refused = asyncio.Event()

    async def offline(route: Route) -> None:
        refused.set()
        await route.abort("internetdisconnected")

    await publisher.context.route("**/v1/track**", offline)
    page = await publisher.open(publisher.element("banner"))
    await refused.wait()
    before = await publisher.events()
    await publisher.context.unroute("**/v1/track**", offline)
    await until(page, _IMPRESSION)

    assert before == []
    assert ("impression", "ok_test") in await publisher.kept(1, of="impression")
    _passed.append("offline, then online")


async def test_a_stopped_account_is_asked_for_nothing(publisher: Publisher) -> None:
    key, known = a_key(environment=Environment.LIVE)
    stopped = a_snapshot(known, a_slot(key="banner"), an_account(stopped=True))
    page = await publisher.open("")
    async with running_edge(stopped) as edge:
        options = {"publisherKey": key.text, "edgeUrl": f"http://127.0.0.1:{edge.port}"}
        served = await page.evaluate(_SERVE, [options, "banner"])

        assert served == {"status": "no_fill", "reason": "kill_switch"}
        assert edge.counted() == {}
    _passed.append("kill switch")


async def test_a_rotated_key_is_an_error_that_names_it(publisher: Publisher) -> None:
    revoked, tombstone = a_key(environment=Environment.TEST, revoked_at_ms=1)
    publisher.objects.append(tombstone)
    publisher.adopt()
    page = await publisher.open("")

    served = await _serve(page, publisher, "banner", {}, key=revoked.text)

    assert (served["error"]["code"], served["error"]["status"]) == ("key_revoked", 403)
    assert served["error"]["request_id"]
    _passed.append("rotated key")


async def test_a_slot_that_does_not_exist_is_an_error(publisher: Publisher) -> None:
    page = await publisher.open("")

    served = await _serve(page, publisher, "nowhere", {})

    assert (served["error"]["code"], served["error"]["status"]) == ("slot_not_found", 404)
    _passed.append("bad slot")


async def _serve(
    page: Page, publisher: Publisher, slot: str, consent: dict[str, Any], key: str | None = None
) -> Any:
    options = {"publisherKey": key or publisher.key, "edgeUrl": publisher.edge_url}
    return await page.evaluate(_SERVE, [options | {"consent": consent}, slot])


async def test_the_results_are_recorded() -> None:
    """The last of this file: what passed before it is written for docs/libraries.md."""
    sizes = await _run(_WEB, "./build.sh", "--check")
    (weight,) = [line.split()[1] for line in sizes.splitlines() if line.startswith("placard.js:")]
    libraries.write_result(
        {
            "library": "web",
            "language": "TypeScript",
            "ran": "Node 20; views in Chromium",
            "cases": _passed_cases,
            "journeys": _passed,
            "modules": [
                {"name": "module", "state": "run", "where": "Node 20 and Chromium"},
                {"name": "element", "state": "run", "where": "Chromium"},
                {
                    "name": "package",
                    "state": "run",
                    "where": "tsc, publint, arethetypeswrong; Node 20 without a DOM",
                },
                *(
                    {"name": f"example in {name}", "state": "run", "where": "Chromium"}
                    for name in ("React 19", "Vue 3", "Svelte 5")
                ),
            ],
            "measured": [
                {
                    "what": "placard.js, gzip",
                    "figure": f"{weight} B",
                    "limit": f"{_MAX_BYTES} B",
                    "command": "clients/web/build.sh --check",
                }
            ],
        }
    )

    assert int(weight) <= _MAX_BYTES
    assert sorted(_passed) == sorted(libraries.JOURNEYS)
