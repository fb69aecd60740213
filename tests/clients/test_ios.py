"""The iOS library: its own tests by Swift on Linux, and eight journeys of its core before a real edge."""

import asyncio
from typing import ClassVar

import pytest

from common.values.enums import Surface
from tests.clients import ios
from tests.clients.app_suite import AppLibrarySuite, cases_of_apps, sorted_names

pytestmark = pytest.mark.toolchains


@pytest.fixture(scope="module", autouse=True)
async def build() -> None:
    await asyncio.to_thread(ios.build)


async def test_every_conformance_case_passed_in_the_build() -> None:
    assert sorted_names(ios.passed_cases()) == cases_of_apps()


class TestIos(AppLibrarySuite):
    surface = Surface.IOS
    passed: ClassVar[list[str]] = []

    def command(self) -> list[str]:
        return ios.journey()
