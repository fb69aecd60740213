"""The sample account of `make run`: four weeks of history, kept apart from everything else."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from common.values.clock import SystemClock
from deploy.standalone.background import Background, running_stack
from deploy.standalone.child import ROOT
from deploy.standalone.state import read_json
from tests.support.http_client import http_client
from tests.support.servers import until_the_group_ends
from tests.support.visitor import FROM_OUR_PAGE

pytestmark = pytest.mark.long
_READY_S = 180.0
_KEPT_APART = {
    "charges to be billed": "select count(*) from charges",
    "hours of traffic": (
        "select count(*) from slot_hours h join accounts a on a.id = h.account_id and a.is_sample"
    ),
    "evidence of ranking": (
        "select count(*) from ad_slot_evidence e join ads d on d.id = cast(e.ad_id as varchar) "
        "join accounts a on a.id = d.account_id and a.is_sample"
    ),
    "dead letters": "select count(*) from dead_letters",
    "late events": "select count(*) from events where reason = 'ok_late'",
    "writers that readers wait for": (
        "select count(*) from writer_marks where writer like 'sample/%' and through_ms < 4102444799999"
    ),
}


@pytest.fixture(scope="module")
def stack() -> Iterator[Background]:
    yield from until_the_group_ends(running_stack({"PLACARD_SAMPLE": "1"}))


@pytest.fixture(scope="module")
async def demo(stack: Background) -> dict[str, Any]:
    """The content of `demo.json` once the history is stored."""
    async with asyncio.timeout(_READY_S):
        while True:
            found: dict[str, Any] = read_json(stack.state / "demo.json") or {}
            if found.get("sample"):
                return found
            await asyncio.sleep(0.1)


async def _report(demo: dict[str, Any], owner: dict[str, str]) -> dict[str, Any]:
    """The totals of four weeks."""
    today = SystemClock().now().date()
    async with http_client(base_url=demo["control_url"]) as http:
        grant = {"grant_type": "password", **owner}
        signed_in = await http.post("/v1/auth/token", json=grant)
        answer = await http.get(
            "/v1/reports/delivery",
            params={
                "environment": "live",
                "from": str(today - timedelta(days=28)),
                "to": str(today + timedelta(days=1)),
            },
            headers={"Authorization": f"Bearer {signed_in.json()['access_token']}"},
        )
    assert answer.status_code == 200, answer.text
    totals: dict[str, Any] = answer.json()["totals"]
    return totals


async def test_reports_show_its_history_and_the_demo_account_stays_empty(
    demo: dict[str, Any],
) -> None:
    totals = await _report(demo, demo["sample"])
    own = await _report(demo, demo["owner"])

    assert totals["impressions"] >= 50_000
    assert min(totals[name] for name in ("clicks", "conversions", "spend_cents")) > 0
    assert own["impressions"] == 0


async def test_nothing_is_learned_from_it_and_nothing_is_billed(
    stack: Background, demo: dict[str, Any]
) -> None:
    assert demo["sample"]
    connection = await asyncpg.connect(stack.environment["PLACARD_DATABASE_URL"])
    try:
        await connection.execute("set role placard_service")
        found = {name: await connection.fetchval(query) for name, query in _KEPT_APART.items()}
    finally:
        await connection.close()

    assert found == dict.fromkeys(_KEPT_APART, 0)


async def test_the_sign_in_page_opens_it(demo: dict[str, Any]) -> None:
    async with http_client(base_url=demo["control_url"], headers=FROM_OUR_PAGE) as http:
        page = await http.get("/sign-in")
        assert "Open the sample account" in page.text
        assert demo["sample"]["password"] not in page.text
        entered = await http.post("/sign-in", data={"act": "sample"})
        overview = await http.get(entered.headers["location"])

    assert "The Harbour Post" in overview.text


async def test_the_history_of_the_sample_is_stored_once(
    stack: Background, demo: dict[str, Any]
) -> None:
    assert demo["sample"]
    made: dict[str, Any] = read_json(stack.state / "sample-seed.json") or {}

    assert await _simulate(stack, made["account"]["id"]) == (0, "stored 0 records")


async def test_only_the_stack_can_make_a_sample_account(
    stack: Background, demo: dict[str, Any]
) -> None:
    code, output = await _simulate(stack, demo["account_id"], PLACARD_SAMPLE_FILE=None)

    assert code == 1
    assert "only `make run` has a sample account" in output


async def _simulate(
    stack: Background, account_id: str, **changes: str | None
) -> tuple[int | None, str]:
    """The exit code and the last line of output."""
    settings = {**stack.environment, **changes}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "control", "simulate", "sample", "--sample", account_id),
        cwd=ROOT,
        env={name: value for name, value in settings.items() if value is not None},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode().strip().splitlines()[-1]
