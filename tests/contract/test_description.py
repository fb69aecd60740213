"""The public description: fresh, complete, and without a finding by two linters."""

import subprocess
from pathlib import Path

import orjson
import pytest

from common.errors import STATUS
from control.app import OPERATIONS
from control.openapi import COMMITTED, description
from deploy.standalone.child import ROOT

LINTERS = ROOT / "tests" / "contract" / "linters"


@pytest.fixture(scope="session")
def linters() -> Path:
    """Spectral and Redocly, installed from the lock where they are not yet."""
    wanted = LINTERS / "node_modules" / ".bin"
    lock = (LINTERS / "package-lock.json").read_bytes()
    stamp = LINTERS / "node_modules" / "installed-from.json"
    if not stamp.exists() or stamp.read_bytes() != lock:
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=LINTERS, check=True, capture_output=True)
        stamp.write_bytes(lock)
    return wanted


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


def test_every_operation_says_who_may_call_it_and_answers_errors_in_the_envelope() -> None:
    document = orjson.loads(description(OPERATIONS))
    operations = [
        (f"{method} {path}", item)
        for path, methods in document["paths"].items()
        for method, item in methods.items()
    ]
    failures = [
        f"{name} {status}"
        for name, item in operations
        for status, answer in item["responses"].items()
        if status >= "400"
        and answer["content"]["application/json"]["schema"]
        != {"$ref": "#/components/schemas/ErrorEnvelope"}
    ]

    assert len(operations) >= 30
    assert not [name for name, item in operations if "security" not in item]
    assert not failures


def test_every_error_code_of_an_operation_stands_under_its_own_status() -> None:
    document = orjson.loads(description(OPERATIONS))
    wrong = [
        f"{method} {path} {status} {code}"
        for path, methods in document["paths"].items()
        for method, item in methods.items()
        for status, answer in item["responses"].items()
        if "400" <= status < "600"
        for code in answer["content"]["application/json"]["examples"]
        if STATUS[code] != int(status)
    ]

    assert not wrong


def test_every_creating_call_documents_its_idempotency_key() -> None:
    document = orjson.loads(description(OPERATIONS))
    missing = [
        path
        for path, methods in document["paths"].items()
        if "201" in methods.get("post", {}).get("responses", {})
        and "Idempotency-Key" not in {p["name"] for p in methods["post"].get("parameters", ())}
    ]

    assert not missing
