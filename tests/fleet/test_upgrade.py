"""
Every process is replaced by that of a newer commit under load, and by the older one again: both serve, report, publish
and store side by side, and nothing is lost or doubled.
"""

import asyncio
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from deploy.standalone.child import ROOT
from tests.e2e.customer import Customer
from tests.fleet.fleet import ELECTED, Fleet, running_fleet
from tests.fleet.load import Load, begin_traffic
from tests.fleet.unit import Unit
from tests.support.printing import say

pytestmark = pytest.mark.fleet

OLDER = "a298712a"
"""No release is tagged yet. This commit is of two days before, and lacks five migrations."""
RATE = 10.0
_ORDER = ("api", "ingest", "publish", "pace", "edge", "work")
"""The order of `docs/operations.md`: the control plane, then edges, `control work` last."""
_MIXED_S = 3.0
_PATIENCE_S = 60.0
_LOOK_S = 0.1


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("older")
    packed = subprocess.run(["git", "archive", OLDER], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", tree], input=packed.stdout, check=True)
    return tree


@pytest.fixture(scope="module")
def fleet(older: Path) -> Iterator[Fleet]:
    folder = Path(tempfile.mkdtemp(prefix="plf-", dir="/tmp"))
    folder.chmod(0o711)
    try:
        with running_fleet(folder, tree=older, plain=True) as found:
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def replace(unit: Unit, tree: Path) -> None:
    await asyncio.to_thread(unit.stop)
    unit.home = tree
    unit.start()
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            if unit.is_alive() and await asyncio.to_thread(unit.ready):
                break
            await asyncio.sleep(_LOOK_S)


async def is_led(fleet: Fleet, kind: str) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            if await fleet.leader(kind) is not None:
                return
            await asyncio.sleep(_LOOK_S)


async def replace_all(fleet: Fleet, customer: Customer, tree: Path) -> None:
    """One after the other; while both releases run, a change of one must reach the edges of the other."""
    for kind in _ORDER:
        for unit in [one for name, one in fleet.units.items() if name.startswith(f"{kind}-")]:
            await replace(unit, tree)
            slot = f"m{unit.name}{tree.name}"[:20].replace("_", "-").lower()
            slot_id = await customer.make_slot(slot)
            campaign = await customer.run_campaign("live", slot_ids=(slot_id,))
            await customer.serve_until_filled("live", campaign, slot=slot)
            await asyncio.sleep(_MIXED_S)


async def test_an_upgrade_and_the_way_back_lose_nothing(
    fleet: Fleet, older: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with httpx.AsyncClient(timeout=20) as http:
        traffic = await begin_traffic(fleet, http, older)
        async with Load(traffic, RATE) as load:
            for tree in (ROOT, older):
                before = Counter(load.serves)
                if tree == ROOT:
                    await asyncio.to_thread(fleet.control, "migrate")
                await replace_all(fleet, traffic.customer, tree)
                await asyncio.gather(*(is_led(fleet, kind) for kind in ELECTED))
                way = "upgrade" if tree == ROOT else "way back"
                say(capsys, f"  {way}: serves {dict(load.serves - before)}")
        say(capsys, f"  served {load.served:.6f} at {RATE:.0f}/s, tracks {dict(load.tracks)}")
        await traffic.check()
        say(capsys, f"  acknowledged {len(traffic.acknowledged)}")
    assert load.served >= 0.9995
