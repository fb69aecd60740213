"""The iOS library: built and tested by Swift on Linux, its views type-checked against stubs, its core as a process."""

from functools import cache

import orjson

from deploy.swift import SCRATCH, Toolchain, package_options, prepare
from tests.clients.publisher import ROOT

FOLDER = ROOT / "clients" / "ios"
_PASSED = SCRATCH / "passed-cases.json"


@cache
def toolchain() -> Toolchain:
    return prepare()


def build() -> None:
    """Compiles all targets and runs their tests. Raises AssertionError with the log's end."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    _PASSED.unlink(missing_ok=True)
    strict = ["-Xswiftc", "-warnings-as-errors"]
    tested = toolchain().run(
        "swift", "test", *package_options(), *strict, env={"PLACARD_PASSED_CASES": str(_PASSED)}
    )
    assert tested.returncode == 0, tested.stdout[-6000:]


def passed_cases() -> dict[str, list[str]]:
    """Names of the conformance cases that passed in the last build, by file."""
    return dict(orjson.loads(_PASSED.read_bytes()))


def journey() -> list[str]:
    """The command of the core in a process of its own; its commands are those of ``Journeys/main.swift``."""
    return toolchain().command(str(SCRATCH / "debug" / "PlacardJourneys"))
