"""The programs that generators and compilers need: where they are, and fetching those that are missing."""

import os
import shutil
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Final

import orjson

from deploy.debian import install_missing
from deploy.standalone.child import ROOT

VERSIONS: Final[dict[str, str]] = orjson.loads(
    Path(__file__).with_name("versions.json").read_bytes()
)
WORK: Final = ROOT / "var" / "generated_clients"
TOOLS: Final = WORK / "tools"
PYTHON: Final = str(TOOLS / "python" / "bin" / "python")
NODE_PROGRAMS: Final = TOOLS / "node_modules" / ".bin"

_PACKAGES: Final = {
    "java": "openjdk-17-jdk-headless",
    "mvn": "maven",
    "node": "nodejs",
    "npm": "npm",
    "go": "golang-go",
    "cargo": "cargo",
    "php": "php-cli",
}
"""Debian's package of a program."""
_PLACES: Final = ("/usr/local/go/bin", str(Path.home() / ".cargo" / "bin"))
"""Where programs stand that are not of Debian."""
_LONGEST_S: Final = 1_200.0
"""Of one command: the first compilation fetches and compiles what the generated code depends on."""

Command = list[str]


class Failed(Exception):
    """A command ended badly; the end of its output."""


def install_programs(programs: Collection[str]) -> None:
    """Raises `deploy.debian.NotInstalled`."""
    os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *_PLACES])
    packages = [_PACKAGES[name] for name in sorted(programs) if shutil.which(name) is None]
    otherwise = f"Install these, then try again: apt-get install {' '.join(packages)}"
    install_missing(packages, print, otherwise=otherwise)
    TOOLS.mkdir(parents=True, exist_ok=True)


def run(command: Command, folder: Path, environment: dict[str, str] | None = None) -> str:
    """Its output. Raises `Failed`, and `subprocess.TimeoutExpired` after `_LONGEST_S`."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=_LONGEST_S,
    )
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout + done.stderr


def openapi_generator() -> Path:
    """Its jar, from Maven Central."""
    version = VERSIONS["openapi-generator"]
    jar = TOOLS / f"openapi-generator-cli-{version}.jar"
    if not jar.exists():
        artifact = f"-Dartifact=org.openapitools:openapi-generator-cli:{version}:jar"
        run(["mvn", "-q", "-B", "dependency:copy", artifact, f"-DoutputDirectory={TOOLS}"], TOOLS)
    return jar


def prepare_python() -> None:
    """A Python with what generated clients need; the one of this project is left as it is."""
    ready = TOOLS / "python" / "ready"
    if not ready.exists():
        run([sys.executable, "-m", "venv", "--clear", str(TOOLS / "python")], TOOLS)
        generator = f"openapi-python-client=={VERSIONS['openapi-python-client']}"
        run([PYTHON, "-m", "pip", "install", "-q", generator], TOOLS)
        ready.touch()


def prepare_node() -> None:
    if not (NODE_PROGRAMS / "tsc").exists():
        names = ("openapi-typescript", "typescript", "@types/node")
        wanted = [f"{name}@{VERSIONS[name]}" for name in names]
        run(["npm", "install", "--prefix", str(TOOLS), "--no-audit", "--no-fund", *wanted], TOOLS)
