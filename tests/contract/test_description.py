"""The public description: fresh, complete, and without a finding by two linters."""

import subprocess
from pathlib import Path

import pytest

from control.api.openapi import COMMITTED, description
from control.processes.app import OPERATIONS
from deploy.standalone.child import ROOT
from tests.support import npm

LINTERS = ROOT / "tests" / "contract" / "linters"


@pytest.fixture(scope="session")
def linters() -> Path:
    """Spectral and Redocly, installed from the lock where they are not yet."""
    return npm.install(LINTERS) / ".bin"


def lint(*command: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=LINTERS, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_committed_description_is_what_the_registry_gives() -> None:
    assert description(OPERATIONS) == COMMITTED.read_bytes()


def test_spectral_finds_nothing(linters: Path) -> None:
    document = ROOT / COMMITTED
    found = lint(
        linters / "spectral", "lint", "-r", "spectral.yaml", "--fail-severity", "hint", document
    )

    assert not found


def test_redocly_finds_nothing_by_its_strict_rules(linters: Path) -> None:
    found = lint(linters / "redocly", "lint", "--config", "redocly.yaml", ROOT / COMMITTED)

    assert not found
