"""The command `placard` against a running stack."""

import asyncio
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson
import pytest

from deploy.standalone.background import Background
from tests.clients.publisher import ROOT
from tests.e2e.customer import eventually

_LIBRARY = ROOT / "clients" / "python"


@dataclass(frozen=True, slots=True)
class Shell:
    environment: dict[str, str]

    async def start(self, *arguments: str, **variables: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "placard.command_line.main", *arguments),
            env={**os.environ, **self.environment, **variables},  # noqa: TID251 - a program needs its own
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def run(self, *arguments: str, **variables: str) -> tuple[int | None, str, str]:
        """Exit code, output, errors."""
        process = await self.start(*arguments, **variables)
        output, errors = await process.communicate()
        return process.returncode, output.decode(), errors.decode()

    async def answer(self, *arguments: str, answers: str) -> tuple[int | None, str]:
        """Exit code, and output with errors. A person without a terminal answers the questions."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "placard.command_line.main", *arguments),
            env={**os.environ, **self.environment},  # noqa: TID251 - a program needs its own
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        output, _ = await process.communicate(answers.encode())
        return process.returncode, output.decode()

    async def json(self, *arguments: str) -> Any:
        code, output, errors = await self.run("--json", *arguments)
        assert code == 0, errors
        return orjson.loads(output)


@pytest.fixture
async def shell(streams_stack: Background, tmp_path: Path) -> Shell:
    """Signed in with the demo's keys of test."""
    demo = streams_stack.demo
    made = Shell(
        {"PYTHONPATH": str(_LIBRARY), "PLACARD_CONFIG": str(tmp_path / "own" / "profiles.json")}
    )
    keys = {
        "PLACARD_MANAGEMENT_KEY": demo["keys"]["ak_test"]["key"],
        "PLACARD_EDGE_KEY": demo["keys"]["sk_test"]["key"],
    }
    urls = ("--base-url", demo["control_url"], "--edge-url", demo["edge_test_url"])
    code, _, errors = await made.run("login", *urls, **keys)
    assert code == 0, errors
    return made


async def test_login_stores_keys_for_the_owner_alone_and_only_if_they_are_accepted(
    shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "own" / "profiles.json"
    before = file.read_bytes()

    code, _, errors = await shell.run("login", PLACARD_EDGE_KEY="sk_test_nobody")

    assert (code, "invalid_key" in errors) == (1, True)
    assert file.read_bytes() == before
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


async def test_login_without_arguments_replaces_what_is_stored(
    shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "own" / "profiles.json"
    before = file.read_bytes()

    refused, output = await shell.answer("login", answers="\n\n\nsk_test_nobody\n")
    code, _ = await shell.answer("login", answers="\n\n\n\n")

    assert (refused, "invalid_key" in output) == (1, True)
    assert (code, file.read_bytes()) == (0, before)


async def test_an_ad_is_served_tracked_and_explained(shell: Shell) -> None:
    served = await shell.json("serve", "demo-always-fill", "--gdpr", "0", "--debug")
    tracked = await shell.json("track", served["track_token"])
    empty = await shell.json("serve", "demo-never-fill", "--debug")

    async def explained() -> Any:
        code, output, errors = await shell.run("--json", "explain", served["decision_id"])
        assert code == 0 or "not_found" in errors
        return orjson.loads(output) if code == 0 else None

    assert served["consent"]["personal"] is True
    assert tracked["status"] == "counted"
    assert (empty["status"], empty["reason"]) == ("no_fill", "demo_never_fills")
    assert (await eventually(explained))["decision_id"] == served["decision_id"]


async def test_a_triggered_event_reaches_one_who_follows(shell: Shell) -> None:
    process = await shell.start("--json", "events", "--follow", "--kind", "conversion")
    assert process.stdout is not None
    try:
        triggered = [await shell.json("test", "trigger", "impression")]
        reading = asyncio.ensure_future(process.stdout.readline())
        while not reading.done():
            triggered.append(await shell.json("test", "trigger", "conversion"))
            await asyncio.wait([reading], timeout=1)
        event = orjson.loads(await reading)
    finally:
        process.terminate()
        await process.communicate()

    assert event["kind"] == "conversion"
    assert event["id"] in {one.get("conversion_id") for one in triggered}


async def test_campaigns_are_created_listed_paused_and_reported(
    shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "campaign.json"
    body = {
        "name": f"Shell {uuid4()}",
        "objective": "traffic",
        "pricing_model": "cpc",
        "bid_cents": 40,
    }
    file.write_bytes(orjson.dumps(body))
    made = await shell.json("campaigns", "create", "-f", str(file))
    await shell.json("campaigns", "activate", made["id"])
    paused = await shell.json("campaigns", "pause", made["id"])
    _, table, _ = await shell.run("campaigns", "list", "--limit", "3")
    _, report, _ = await shell.run("report", "--from", "2026-01-01", "--group-by", "campaign")
    file.write_text('{"name": ""}')
    code, _, errors = await shell.run("campaigns", "create", "-f", str(file))

    assert paused["status"] == "paused"
    assert len(table.splitlines()) == 4
    assert table.startswith("ID ")
    assert made["id"] in table
    assert "IMPRESSIONS" in report.splitlines()[0]
    assert code == 1
    assert all(text in errors for text in ("validation_failed", "bid_cents", "request "))


async def test_what_is_missing_or_wrong_is_named(shell: Shell, tmp_path: Path) -> None:
    nothing = {"PLACARD_CONFIG": str(tmp_path / "none.json")}
    code, _, errors = await shell.run("campaigns", "list", **nothing)
    wrong, _, named = await shell.run("serve", "banner", "--kv", "section")

    assert (code, wrong) == (2, 2)
    assert "placard login" in errors
    assert "NAME=VALUE" in named
