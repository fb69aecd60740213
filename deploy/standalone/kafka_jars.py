"""Fetches what Kafka needs, Java and its jars, where the machine does not have it yet."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from deploy.standalone.trouble import TroubleError

FOLDER = Path(__file__).resolve().parents[1] / "kafka"
_LIB = FOLDER / "lib"
_STAMP = _LIB / ".pom.sha256"
_DEBIAN = {"java": "openjdk-17-jre-headless", "mvn": "maven"}

Say = Callable[[str], None]


def fetch(say: Say) -> Path:
    """The folder of Kafka's jars, fetched by Maven if they are not those of `pom.xml`."""
    wanted = hashlib.sha256((FOLDER / "pom.xml").read_bytes()).hexdigest()
    have = _STAMP.read_text(encoding="ascii").strip() if _STAMP.exists() else ""
    install_missing(["java"] if have == wanted else ["java", "mvn"], say)
    if have == wanted:
        return _LIB
    say("fetching Apache Kafka with Maven (43 MB)")
    shutil.rmtree(_LIB, ignore_errors=True)
    command = ["mvn", "-B", "-q", "-C", "-f", str(FOLDER / "pom.xml")]
    _run([*command, "dependency:copy-dependencies"], "Maven could not fetch Kafka")
    _STAMP.write_text(wanted + "\n", encoding="ascii")
    return _LIB


def install_missing(programs: list[str], say: Say) -> None:
    """Install those not on the PATH, where apt can be used; say what to do where it cannot."""
    missing = [program for program in programs if shutil.which(program) is None]
    if not missing:
        return
    packages = [_DEBIAN[program] for program in missing]
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise TroubleError(
            f"Kafka needs {' and '.join(missing)}, not found on the PATH. Install "
            f"{' '.join(packages)} (Java 17 or later), or name a broker in PLACARD_KAFKA."
        )
    say(f"installing {' '.join(packages)} with apt-get")
    _run(["apt-get", "update", "-qq"], "apt-get could not update its lists")
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
    _run([*install, *packages], f"apt-get could not install {' '.join(packages)}")


def _run(command: list[str], failed: str) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        end = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise TroubleError(f"{failed} (`{' '.join(command)}`):\n{end}")
