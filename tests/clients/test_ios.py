"""The iOS library: its own tests by Swift on Linux, its files, and eight journeys of its core before a real edge."""

import asyncio
import copy
import plistlib
import re
from pathlib import Path
from typing import Any, ClassVar

import pytest

from common.values.enums import Surface
from tests.clients import ios, libraries
from tests.clients.app_suite import AppLibrarySuite, World, cases_of_apps, sorted_names, started
from tests.clients.cases import answers
from tests.clients.scripted_edge import scripted_edge

pytestmark = pytest.mark.toolchains

_COMMAND = "pytest -m toolchains tests/clients/test_ios.py"
_MAX_BYTES = 400_000
_MAX_MAIN_THREAD_US = 2000
_measured: list[dict[str, Any]] = []
"""Figures of this run."""


@pytest.fixture(scope="module", autouse=True)
async def build() -> None:
    await asyncio.to_thread(ios.build)


async def test_every_conformance_case_passed_in_the_build() -> None:
    assert sorted_names(ios.passed_cases()) == cases_of_apps()


async def test_the_examples_of_the_readme_compile() -> None:
    compiled = (ios.FOLDER / "Tests/PlacardUITests/Readme.swift").read_text()
    lines = {line.strip() for line in compiled.splitlines()}
    blocks = re.findall(
        r"```swift\n(.*?)```", (ios.FOLDER / "README.md").read_text(), flags=re.DOTALL
    )

    assert len(blocks) == 3
    assert {line.strip() for block in blocks for line in block.splitlines()} <= lines


@pytest.mark.parametrize("module", ios.MODULES)
async def test_the_public_api_is_the_committed_one(module: str) -> None:
    committed = ios.committed_api(module).read_text()

    assert ios.public_api(module) == committed, "Run python -m tests.clients.ios, and read it."


@pytest.mark.parametrize("module", ios.MODULES)
async def test_the_documentation_builds_and_its_links_lead_somewhere(module: str) -> None:
    assert await asyncio.to_thread(ios.build_documentation, module) == ""


async def test_the_sources_are_formatted() -> None:
    assert await asyncio.to_thread(ios.misformatted) == ""


async def test_the_privacy_manifests_declare_what_the_sources_do() -> None:
    for module in ios.MODULES:
        folder = ios.FOLDER / "Sources" / module
        manifest = plistlib.loads((folder / "PrivacyInfo.xcprivacy").read_bytes())
        source = "".join(path.read_text() for path in folder.rglob("*.swift"))
        used = {one["NSPrivacyAccessedAPIType"] for one in manifest["NSPrivacyAccessedAPITypes"]}

        assert manifest["NSPrivacyTracking"] is False
        assert ("NSPrivacyAccessedAPICategoryUserDefaults" in used) is ("UserDefaults" in source)
        for name in ("systemUptime", "mach_absolute_time", "attributesOfItem", "volumeAvailable"):
            assert name not in source, f"{name} needs an entry in {module}'s PrivacyInfo.xcprivacy"


async def test_the_core_is_light() -> None:
    size = await asyncio.to_thread(ios.weigh)
    _measured.append(_figure("core, on x86-64", f"{size // 1000} kB", f"{_MAX_BYTES // 1000} kB"))

    assert size <= _MAX_BYTES


class TestIos(AppLibrarySuite):
    surface = Surface.IOS
    passed: ClassVar[list[str]] = []

    def command(self) -> list[str]:
        return ios.journey()

    async def test_what_is_no_complete_response_is_an_error(self, tmp_path: Path) -> None:
        known = answers()
        impatient = copy.deepcopy(known["features"])
        impatient["body"]["tracking"] |= {"timeout_ms": 300, "retry": {"max": 0, "base_ms": 1}}
        async with scripted_edge() as edge, started(self.command()) as journey:
            moved = {"status": 302, "headers": {"Location": f"{edge.url}/v1/other"}, "text": ""}
            faults = [known["cut"], known["timeout"], known["network"], moved, known["banner"]]
            edge.play({"features": [impatient], "serve": faults, "other": [known["banner"]]})
            await journey(
                "open", edge_url=edge.url, key="pk_test_any", folder=str(tmp_path), consent={}
            )
            served = [await journey("serve", slot="banner") for _ in faults]

            assert [one.get("code") for one in served] == [
                *("network", "timeout", "network", "invalid_response"),
                None,
            ]
            assert not any(one.path.endswith("/other") for one in edge.requests)

    async def test_a_response_without_end_is_not_kept(self, tmp_path: Path) -> None:
        large = {"status": 200, "headers": {}, "text": "x" * (9 << 20)}
        small = {"status": 200, "headers": {}, "text": "x" * 1000}
        async with scripted_edge() as edge, started(self.command()) as journey:
            edge.play({"picture": [large, small]})
            await journey(
                "open", edge_url=edge.url, key="pk_test_any", folder=str(tmp_path), consent={}
            )
            loaded = [await journey("load", url=f"{edge.url}/v1/picture") for _ in range(2)]

        assert loaded == [{"bytes": None}, {"bytes": 1000}]

    async def test_the_main_thread_does_little(self, world: World) -> None:
        async with started(self.command()) as journey:
            await world.open(journey)
            await journey("serve", slot="banner")
            cost = await journey("measure")

        limit = f"{_MAX_MAIN_THREAD_US} µs"
        for name in ("start", "showing"):
            what = f"main thread: {name}, processor time, worst of 200, not optimised"
            _measured.append(_figure(what, f"{cost[f'{name}_us']} µs", limit))


async def test_the_results_are_recorded() -> None:
    """The last of this file: what passed before it is written for docs/libraries.md."""
    libraries.write_result(
        {
            "library": "ios",
            "language": "Swift",
            "ran": "Swift 6 on Linux; views without a screen",
            "cases": ios.passed_cases(),
            "journeys": TestIos.passed,
            "modules": [
                {"name": "PlacardCore", "state": "run", "where": "Swift 6 on Linux"},
                {
                    "name": "PlacardUI",
                    "state": "compiled",
                    "where": "type-checked, and its logic run, against stand-ins of UIKit, WebKit, "
                    "AVFoundation, Network and SwiftUI; never against Apple's own",
                },
            ],
            "measured": _measured,
        }
    )

    assert sorted(TestIos.passed) == sorted(libraries.JOURNEYS)


def _figure(what: str, figure: str, limit: str) -> dict[str, Any]:
    return {"what": what, "figure": figure, "limit": limit, "command": _COMMAND}
