"""Fetches Java and Kafka's jars, if the machine does not have them yet."""

import hashlib
import shutil
import subprocess
from pathlib import Path

from deploy.debian import NotInstalled, Say, install_missing, last_lines
from deploy.standalone.errors import StartError

FOLDER = Path(__file__).resolve().parents[1] / "kafka"
_LIB = FOLDER / "lib"
_STAMP = _LIB / ".pom.sha256"
_DEBIAN = {"java": "openjdk-17-jre-headless", "mvn": "maven"}


def fetch(report: Say) -> Path:
    """The folder of Kafka's jars. Maven fetches them if they are not those of `pom.xml`."""
    wanted = hashlib.sha256((FOLDER / "pom.xml").read_bytes()).hexdigest()
    have = _STAMP.read_text(encoding="ascii").strip() if _STAMP.exists() else ""
    _install_missing(["java"] if have == wanted else ["java", "mvn"], report)
    if have == wanted:
        return _LIB
    report("fetching Apache Kafka with Maven (43 MB)")
    shutil.rmtree(_LIB, ignore_errors=True)
    command = ["mvn", "-B", "-q", "-C", "-f", str(FOLDER / "pom.xml")]
    _run([*command, "dependency:copy-dependencies"], "Maven could not fetch Kafka")
    _STAMP.write_text(wanted + "\n", encoding="ascii")
    return _LIB


def _install_missing(programs: list[str], report: Say) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    packages = [_DEBIAN[program] for program in missing]
    otherwise = (
        f"Kafka needs {' and '.join(missing)}, not found on the PATH. Install "
        f"{' '.join(packages)} (Java 17 or later), or name a broker in PLACARD_KAFKA_BOOTSTRAP_SERVERS."
    )
    try:
        install_missing(packages, report, otherwise=otherwise)
    except NotInstalled as error:
        raise StartError(str(error)) from error


def _run(command: list[str], failed: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StartError(f"{failed} (`{' '.join(command)}`):\n{last_lines(done)}")
