"""
The iOS library, built and tested by Swift on Linux; its public API, documentation and weight; its core as a process.
``python -m tests.clients.ios`` writes the public API of each module into ``clients/ios/api``.
"""

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from deploy.swift import SCRATCH, Toolchain, package_options, prepare
from tests.clients.publisher import ROOT

FOLDER = ROOT / "clients" / "ios"
MODULES = ("PlacardCore", "PlacardUI")
_PASSED = SCRATCH / "passed-cases.json"
_SYMBOLS = SCRATCH / "symbols"


@cache
def toolchain() -> Toolchain:
    return prepare()


def build() -> None:
    """Compiles all targets and runs their tests. Raises AssertionError with the log's end."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    _PASSED.unlink(missing_ok=True)
    strict = ["-Xswiftc", "-warnings-as-errors"]
    environment = {"PLACARD_PASSED_CASES": str(_PASSED)}
    _run("swift", "test", *package_options(), *strict, env=environment)
    target = orjson.loads(_run("swiftc", "-print-target-info").stdout)["target"]["triple"]
    for module in MODULES:
        folder = _SYMBOLS / module
        folder.mkdir(parents=True, exist_ok=True)
        modules = ["-I", str(SCRATCH / "debug" / "Modules"), "-target", target]
        what = ["-module-name", module, "-minimum-access-level", "public"]
        _run("swift-symbolgraph-extract", *what, *modules, "-output-dir", str(folder))


def passed_cases() -> dict[str, list[str]]:
    """Names of the conformance cases that passed in the last build, by file."""
    return dict(orjson.loads(_PASSED.read_bytes()))


def journey() -> list[str]:
    """The command of the core in a process of its own; its commands are those of ``Journeys/main.swift``."""
    return toolchain().command(str(SCRATCH / "debug" / "PlacardJourneys"))


def public_api(module: str) -> str:
    """Each public declaration of the last build on a line: where it is, and how it is declared."""
    graph = orjson.loads((_SYMBOLS / module / f"{module}.symbols.json").read_bytes())
    lines = {
        f"{'.'.join(symbol['pathComponents'])}: {_declaration(symbol)}"
        for symbol in graph["symbols"]
        if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
    }
    return "".join(f"{line}\n" for line in sorted(lines))


def committed_api(module: str) -> Path:
    return FOLDER / "api" / f"{module}.api"


def _declaration(symbol: dict[str, Any]) -> str:
    text = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
    return " ".join(text.split())


def build_documentation(module: str) -> str:
    """Returns what DocC has to say against it: nothing."""
    source = f"clients/ios/Sources/{module}/{module}.docc"
    archive = str(SCRATCH / f"{module}.doccarchive")
    symbols = ["--additional-symbol-graph-dir", str(_SYMBOLS / module), "--output-path", archive]
    return _run("docc", "convert", source, *symbols).stdout


def misformatted() -> str:
    """Returns what the formatter has to say against the sources: nothing."""
    sources = ["Package.swift", "clients/ios/Sources", "clients/ios/Tests"]
    configuration = ["--configuration", "clients/ios/.swift-format"]
    return _run("swift-format", "lint", *configuration, "--recursive", *sources).stdout


def weigh() -> int:
    """Bytes of the core's code and data, optimised for size, as compiled for Linux on x86-64."""
    scratch = ["--disable-sandbox", "--scratch-path", str(SCRATCH.with_name("release"))]
    _run(
        "swift", "build", "-c", "release", "--target", "PlacardCore", *scratch, "-Xswiftc", "-Osize"
    )
    folder = SCRATCH.with_name("release") / "release" / "PlacardCore.build"
    objects = [str(path) for path in sorted(folder.rglob("*.o"))]
    listed = _run("/usr/bin/size", *objects).stdout
    return sum(int(line.split()[3]) for line in listed.splitlines()[1:])


def _run(
    tool: str, *arguments: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    done = toolchain().run(tool, *arguments, env=env)
    assert done.returncode == 0, done.stdout[-6000:]
    return done


def main() -> int:
    build()
    for module in MODULES:
        committed_api(module).parent.mkdir(exist_ok=True)
        committed_api(module).write_text(public_api(module))
    return 0


if __name__ == "__main__":
    sys.exit(main())
