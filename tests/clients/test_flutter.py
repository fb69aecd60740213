"""The Flutter library: its own tests by Dart, its widgets by the compiler, and eight journeys before a real edge."""

import asyncio
import re
from pathlib import Path
from typing import ClassVar

import pytest

from common.values.enums import Surface
from tests.clients import flutter, libraries
from tests.clients.app_suite import AppLibrarySuite, cases_of_apps, sorted_names
from tests.support import dart

pytestmark = pytest.mark.toolchains

_passed_cases: dict[str, list[str]] = {}


async def test_every_conformance_case_passes() -> None:
    found = await asyncio.to_thread(flutter.run, "contract.dart")

    assert [one for one in found if one["fault"] is not None] == []
    for one in found:
        _passed_cases.setdefault(one["file"], []).append(one["name"])
    assert sorted_names(_passed_cases) == cases_of_apps()


async def test_the_librarys_own_tests_pass() -> None:
    found = await asyncio.to_thread(flutter.run, "library.dart")

    assert [one for one in found if one["fault"] is not None] == []
    assert len(found) > 30


async def test_every_file_compiles_for_devices_against_stubs_of_flutter() -> None:
    source = _importing([path for path in flutter.libraries() if path.name != "platform_web.dart"])

    assert await asyncio.to_thread(flutter.errors_of, source) == ""


async def test_every_file_compiles_for_browsers_against_stubs(tmp_path: Path) -> None:
    packages = flutter.copy_for_browsers(tmp_path / "package")
    source = _importing([path for path in flutter.libraries() if path.name != "platform_io.dart"])

    assert await asyncio.to_thread(flutter.errors_of, source, packages) == ""


async def test_the_compiler_refuses_what_is_wrong() -> None:
    wrong = "import 'package:placard/placard.dart'; final AdView ad = AdView(slotId: 3);"

    errors = await asyncio.to_thread(flutter.errors_of, wrong)

    assert "The argument type 'int' can't be assigned to the parameter type 'String?'" in errors


async def test_the_examples_of_the_readme_compile() -> None:
    blocks = re.findall(r"```dart\n(.*?)```", (flutter.FOLDER / "README.md").read_text(), re.DOTALL)
    source = (flutter.FOLDER / "test" / "readme.dart").read_text()

    assert len(blocks) >= 2
    assert [block for block in blocks if block.strip() not in source] == []
    assert await asyncio.to_thread(flutter.errors_of, source) == ""


def test_the_package_has_no_dependency_but_flutter() -> None:
    pubspec = (flutter.FOLDER / "pubspec.yaml").read_text()
    imports = {
        found
        for path in flutter.libraries()
        for found in re.findall(r"^(?:import|export) '(\w+:\w+)", path.read_text(), re.MULTILINE)
    }

    assert pubspec.partition("dependencies:\n")[2] == "  flutter:\n    sdk: flutter\n"
    assert {name for name in imports if not name.startswith("dart:")} == {"package:flutter"}


class TestFlutter(AppLibrarySuite):
    surface = Surface.FLUTTER
    passed: ClassVar[list[str]] = []

    def command(self) -> list[str]:
        return flutter.journey()


async def test_the_results_are_recorded() -> None:
    """The last of this file: what passed before it is written for docs/libraries.md."""
    weight = flutter.weigh()
    where = f"Dart {dart.VERSION} on Linux"
    libraries.write_result(
        {
            "library": "flutter",
            "language": "Dart",
            "ran": f"{where}; views without Flutter",
            "cases": _passed_cases,
            "journeys": TestFlutter.passed,
            "modules": [
                {"name": "core", "state": "run", "where": where},
                {"name": "widgets", "state": "compiled", "where": "stubs of the calls of Flutter"},
                {"name": "browsers", "state": "compiled", "where": "stubs of dart:js_interop"},
            ],
            "measured": [
                {
                    "what": "sources",
                    "figure": f"{weight['sources'] / 1000:.0f} kB",
                    "limit": "120 kB",
                    "command": "pytest -m toolchains tests/clients/test_flutter.py",
                }
            ],
        }
    )

    assert weight["sources"] <= 120_000
    assert sorted(TestFlutter.passed) == sorted(libraries.JOURNEYS)


def _importing(files: list[Path]) -> str:
    names = [path.relative_to(flutter.FOLDER / "lib").as_posix() for path in files]
    imports = [f"import 'package:placard/{name}' as a{at};" for at, name in enumerate(names)]
    return "\n".join([*imports, "void main() {}", ""])
