"""
A fleet loses, doubles and misses nothing while its parts and its zones fail in turn, and no operator acts. What a
machine's own service manager does, starting what was killed again, the test does after some seconds.
"""

import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from tests.fleet.faults import CUT_OFF, FROZEN, KILLED, Fault, Faults
from tests.fleet.fleet import ELECTED, Fleet, proportional_bytes, running_fleet
from tests.fleet.load import Load, begin_traffic
from tests.support.printing import say

pytestmark = pytest.mark.fleet

RATE = 10.0
"""Serves a second. All of the fleet shares this machine's cores with whatever else runs on them."""
SERVED = 0.9995
TAKEOVER_S = 10.0
MEMORY_BYTES = 6 * 1024**3

FAULTS: dict[str, list[tuple[Fault, str]]] = {
    "servers": [
        (fault, kind)
        for kind in ("postgres", "redis", "kafka", "etcd")
        for fault in (KILLED, FROZEN)
    ],
    "processes": [
        (fault, kind) for kind in (*ELECTED, "api", "ingest", "edge") for fault in (KILLED, FROZEN)
    ],
    "zones": [
        *((fault, "zone of the primary") for fault in (KILLED, FROZEN, CUT_OFF)),
        (CUT_OFF, "zone of the standby"),
        (CUT_OFF, "zone c"),
    ],
}
"""Of elected processes the leader fails, of PostgreSQL and Redis the primary, of others any."""


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    folder = Path(tempfile.mkdtemp(prefix="plf-", dir="/tmp"))
    folder.chmod(0o711)
    try:
        with running_fleet(folder) as found:
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def happen(run: Faults, faults: Sequence[tuple[Fault, str]], rng: random.Random) -> None:
    for fault, what in faults:
        if what.startswith("zone"):
            primary = (await run.fleet.primary("postgres")).partition("-")[2]
            standby = "b" if primary == "a" else "a"
            zones = {"zone of the primary": primary, "zone of the standby": standby, "zone c": "c"}
            await run.in_zone(fault, zones[what])
        elif what in ELECTED:
            await run.in_unit(fault, await run.leader(what))
        elif what in {"postgres", "redis"}:
            await run.in_unit(fault, await run.fleet.primary(what))
        else:
            units = [name for name in run.fleet.units if name.startswith(f"{what}-")]
            await run.in_unit(fault, rng.choice(units))


@pytest.mark.parametrize("group", FAULTS)
async def test_nothing_is_lost_or_doubled_while_parts_fail_in_turn(
    fleet: Fleet, group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def report(line: str) -> None:
        say(capsys, line)

    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    faults = rng.sample(FAULTS[group], len(FAULTS[group]))
    report(f"  {group}, seed {seed}")
    async with httpx.AsyncClient(timeout=20) as http:
        traffic = await begin_traffic(fleet, http)
        async with Load(traffic, RATE) as load:
            run = Faults(fleet, load, report)
            await happen(run, faults, rng)
            memory = sum(proportional_bytes(list(fleet.units.values())).values())
        report(f"  serves {dict(load.serves)}, tracks {dict(load.tracks)}")
        report(f"  served {load.served:.6f} at {RATE:.0f}/s")
        report(f"  takeovers {rounded(run.takeovers)}, promotions {rounded(run.promotions)}")
        report(f"  started more than once {dict(run.restarts)}")
        report(f"  memory {memory / 1024**3:.2f} GiB")
        await traffic.check()
        report(f"  acknowledged {len(traffic.acknowledged)}, stored {await traffic.stored()}")
    assert load.served >= SERVED
    assert max((max(found) for found in run.takeovers.values()), default=0.0) <= TAKEOVER_S
    assert memory <= MEMORY_BYTES


def rounded(found: dict[str, list[float]]) -> dict[str, list[float]]:
    return {name: [round(one, 1) for one in seconds] for name, seconds in found.items()}
