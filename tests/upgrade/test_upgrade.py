"""
Every process is replaced by that of a newer build under load, by the older one again, and once more by the newer one,
in the order of `docs/operations.md`. Nothing is lost or doubled, and both builds do all of their work side by side.
"""

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.oracle import database
from tests.fleet.fleet import Fleet
from tests.fleet.load import Load, begin_traffic
from tests.support.http_client import http_client
from tests.support.printing import say
from tests.upgrade.builds import THIS, Build, check_out, read_releases, stated_order
from tests.upgrade.rolling import Rolling, find_errors
from tests.upgrade.stack import running_on

RATE = 10.0
"""Serves a second. Everything shares this machine's cores."""
SERVED = 0.9995
_BUDGET = {"total_cents": 100_000}


def test_the_stated_order_names_every_kind_of_process_once() -> None:
    assert sorted(stated_order()) == ["api", "edge", "ingest", "pace", "publish", "work"]


def test_every_release_is_named_by_a_full_commit() -> None:
    for commit in read_releases().values():
        assert re.fullmatch("[0-9a-f]{40}", commit)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    found = Path(tempfile.mkdtemp(prefix="plu-", dir="/tmp"))
    yield found
    shutil.rmtree(found, ignore_errors=True)


@pytest.fixture(scope="module")
def older(folder: Path) -> Build:
    found = check_out(os.environ.get("UPGRADE_FROM", ""), folder)  # noqa: TID251 - of whoever runs it
    found.compile()
    THIS.compile()
    return found


@pytest.fixture(scope="module")
def fleet(older: Build, folder: Path) -> Iterator[Fleet]:
    with running_on(older, folder) as found:
        yield found


@pytest.mark.upgrade
async def test_an_upgrade_and_the_way_back_and_forth_lose_nothing(
    fleet: Fleet, older: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    def report(line: str) -> None:
        say(capsys, line)

    order = stated_order()
    async with http_client() as http:
        traffic = await begin_traffic(fleet, http, budget=_BUDGET, pacing="asap")
        async with Load(traffic, RATE) as load:
            rolling = Rolling(fleet, traffic.customer, (older, THIS), report)
            for way, build, kinds in (
                ("upgrade", THIS, order),
                ("way back", older, order[::-1]),
                ("upgrade again", THIS, order),
            ):
                report(f"  {way}: {older.name} to {THIS.name}, {', '.join(kinds)}")
                before = Counter(load.serves)
                await rolling.replace_all(build, kinds)
                report(f"  {way}: serves {dict(load.serves - before)}")
        report(f"  served {load.served:.6f} at {RATE:.0f}/s, tracks {dict(load.tracks)}")
        await traffic.check()
        report(f"  acknowledged {len(traffic.acknowledged)}, stored {await traffic.stored()}")
        async with database(fleet) as connection:
            dead = await connection.fetch("select reason, count(*) from dead_letters group by 1")
    errors = find_errors(fleet)
    report(f"  errors in logs {errors}")
    assert rolling.faults == []
    assert [tuple(row) for row in dead] == []
    assert load.served >= SERVED
    assert errors == {}
