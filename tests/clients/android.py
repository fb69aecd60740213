"""The Android library's Maven build: run, its results read, its archives counted, and its core driven as a process."""

import os
import re
import subprocess
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

from common.service.version import VERSION
from tests.clients.publisher import ROOT

FOLDER = ROOT / "clients" / "android"
_CLASSPATH = FOLDER / "core" / "target" / "classpath.txt"


def build() -> None:
    """Compiles, tests and packs all modules; the network is used once. Raises AssertionError with the log's end."""
    done = _maven(["-o", "package"])
    if "offline mode" in done.stdout:
        done = _maven(["package"])
    assert done.returncode == 0, done.stdout[-6000:]


def _maven(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    command = ["mvn", "-B", "-ntp", "-q", *arguments]
    return subprocess.run(
        command,
        cwd=FOLDER,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def passed_cases() -> dict[str, list[str]]:
    """Names of the conformance cases that passed in the last build, by file."""
    passed: dict[str, list[str]] = {}
    for report in sorted(FOLDER.glob("*/target/surefire-reports/TEST-*.xml")):
        for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 - written by our own build
            found = re.fullmatch(r"holds\[(\w+): (.+)\]", case.get("name", ""))
            if found and all(child.tag.startswith("system-") for child in case):
                passed.setdefault(found[1], []).append(found[2])
    return passed


def weigh() -> dict[str, int]:
    """Bytes of each of the two archives that an app gets, and methods of both; R8 takes away what it does not use."""
    core = FOLDER / f"core/target/placard-core-{VERSION}.jar"
    views = FOLDER / f"placard/target/placard-android-{VERSION}.aar"
    with zipfile.ZipFile(views) as archive:
        names = set(archive.namelist())
    assert names == {"classes.jar", "AndroidManifest.xml", "R.txt", "proguard.txt"}
    methods = sum(
        _methods(FOLDER / module / "target" / "classes") for module in ("core", "placard")
    )
    return {"views": views.stat().st_size, "core": core.stat().st_size, "methods": methods}


def _methods(classes: Path) -> int:
    files = [str(path) for path in sorted(classes.rglob("*.class"))]
    listed = subprocess.run(["javap", "-p", *files], capture_output=True, text=True, check=True)
    return sum("(" in line or "static {}" in line for line in listed.stdout.splitlines())


def journey() -> list[str]:
    """The command of the core in a process of its own; its commands are those of `Journeys.kt`."""
    classes = FOLDER / "core" / "target"
    path = os.pathsep.join(
        [str(classes / "classes"), str(classes / "test-classes"), _CLASSPATH.read_text().strip()]
    )
    contract = f"-Dplacard.contract={ROOT / 'clients' / 'contract'}"
    return ["java", "-cp", path, contract, "placard.core.JourneysKt"]
