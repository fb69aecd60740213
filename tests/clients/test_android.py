"""The Android library: its own tests by Maven, its weight, and eight journeys of its core before a real edge."""

import asyncio
import re
from typing import Any, ClassVar

import pytest

from common.values.enums import Surface
from tests.clients import android, libraries
from tests.clients.app_suite import AppLibrarySuite, cases_of_apps, sorted_names

pytestmark = pytest.mark.toolchains

_MAX_BYTES = 120_000
_MAX_METHODS = 800


@pytest.fixture(scope="module", autouse=True)
async def build() -> None:
    await asyncio.to_thread(android.build)


async def test_every_conformance_case_passed_in_the_build() -> None:
    assert sorted_names(android.passed_cases()) == cases_of_apps()


async def test_the_examples_of_the_readme_compile() -> None:
    compiled = (android.FOLDER / "placard/src/test/kotlin/placard/android/Readme.kt").read_text()
    lines = {line.strip().removeprefix("internal ") for line in compiled.splitlines()}
    blocks = re.findall(
        r"```kotlin\n(.*?)```", (android.FOLDER / "README.md").read_text(), re.DOTALL
    )

    assert len(blocks) == 2
    assert {line.strip() for block in blocks for line in block.splitlines()} <= lines


async def test_the_archives_are_light() -> None:
    weight = android.weigh()

    assert max(weight["views"], weight["core"]) <= _MAX_BYTES
    assert weight["methods"] <= _MAX_METHODS


class TestAndroid(AppLibrarySuite):
    surface = Surface.ANDROID
    passed: ClassVar[list[str]] = []

    def command(self) -> list[str]:
        return android.journey()


async def test_the_results_are_recorded() -> None:
    """The last of this file: what passed before it is written for docs/libraries.md."""
    weight = android.weigh()
    libraries.write_result(
        {
            "library": "android",
            "language": "Kotlin",
            "ran": "JVM 17; views on Android 14's classes (Robolectric)",
            "cases": android.passed_cases(),
            "journeys": TestAndroid.passed,
            "modules": [
                {"name": "core", "state": "run", "where": "JVM 17"},
                {
                    "name": "placard (views)",
                    "state": "run",
                    "where": "Robolectric, API 34; checked for API 23",
                },
                {
                    "name": "compose",
                    "state": "compiled",
                    "where": "Compose 1.8 for the desktop and one stub",
                },
            ],
            "measured": [
                _figure("views' archive", _kb(weight["views"]), _kb(_MAX_BYTES)),
                _figure("core", _kb(weight["core"]), _kb(_MAX_BYTES)),
                _figure("methods of both", str(weight["methods"]), str(_MAX_METHODS)),
            ],
        }
    )

    assert sorted(TestAndroid.passed) == sorted(libraries.JOURNEYS)


def _kb(size: int) -> str:
    return f"{size / 1000:.0f} kB"


def _figure(what: str, figure: str, limit: str) -> dict[str, Any]:
    command = "pytest -m toolchains tests/clients/test_android.py"
    return {"what": what, "figure": figure, "limit": limit, "command": command}
