"""
The clock of a machine jumps an hour ahead, is put right, and jumps an hour back, under traffic. PostgreSQL, Redis and
every process of the stack see each jump at once.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg

from deploy.drills.campaigns import HIGH_BID_CENTS, make_campaign, show, until_shown
from deploy.drills.disk import DrillImpossible
from deploy.drills.figures import Figures
from deploy.drills.ground import Ground, under_traffic
from deploy.drills.oracle import PATIENCE_S, Traffic

_HOUR_S = 3600
_COUNT = 100
_SOURCE = Path(__file__).with_name("moved_clock.c")
_DAILY_CENTS = 50
_MICROS_A_CENT = 10_000
_CHARGED = """
select (issued_at at time zone $2)::date::text as day, sum(charged_micros)::bigint as micros
from events where campaign_id = $1 group by 1 order by 1
"""


class MovedClock:
    """The wall clock of every program that is started meanwhile. Their monotonic clock is the machine's."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.move(0)

    def move(self, ahead_s: int) -> None:
        """*ahead_s*: of the machine's own clock; negative: behind it."""
        with self._file.open("r+b" if self._file.exists() else "w+b") as file:
            file.write(ahead_s.to_bytes(8, sys.byteorder, signed=True))


@contextmanager
def moved_clock() -> Iterator[MovedClock]:
    """Raises `DrillImpossible` without a C compiler."""
    with TemporaryDirectory(prefix="pld-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL has another user
        file, library = folder / "clock", folder / "moved_clock.so"
        _compile(library)
        clock = MovedClock(file)
        before = dict(os.environ)
        os.environ |= {"LD_PRELOAD": str(library), "DRILL_CLOCK": str(file)}
        try:
            yield clock
        finally:
            os.environ.clear()
            os.environ |= before


def _compile(library: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        raise DrillImpossible("a moved clock needs a C compiler: install gcc")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-o", library, _SOURCE],
        check=True,
        capture_output=True,
    )


async def move_the_clock() -> Figures:
    figures = Figures("clock-jump", "python -m control admin money check")
    with moved_clock() as clock:
        async with under_traffic() as (on, traffic):
            await _drill(on, traffic, clock, figures)
    return figures


async def _drill(on: Ground, traffic: Traffic, clock: MovedClock, figures: Figures) -> None:
    timezone = _timezone_of_a_day_that_ends(datetime.now(UTC).hour)
    budget = {"daily_cents": _DAILY_CENTS}
    campaign = make_campaign(
        on.stack.demo, "Clock", bid_cents=HIGH_BID_CENTS, timezone=timezone, budget=budget
    )
    await until_shown(traffic, campaign)
    await _use_up(traffic, campaign)
    early = await traffic.serve(_COUNT)
    for name, ahead_s in (("ahead", _HOUR_S), ("right", 0), ("behind", -_HOUR_S)):
        before = await traffic.serve(_COUNT)
        clock.move(ahead_s)
        _check_moved(on, ahead_s)
        with figures.timed(name):
            await traffic.until_it_serves()
        figures.notes[f"tokens_from_before_{name}"] = await _acknowledged(traffic, before)
        if name == "ahead":
            with figures.timed("budget_of_the_next_day"):
                await until_shown(traffic, campaign)
        await _use_up(traffic, campaign)
        figures.notes[f"serves_{name}"] = await traffic.count_serves(_COUNT)
    clock.move(0)
    with figures.timed("recovery"):
        await traffic.until_it_serves()
        figures.notes["tokens_from_before_all"] = await _acknowledged(traffic, early)
        verdict = await traffic.settle()
    figures.notes["daily_budget_micros"] = _DAILY_CENTS * _MICROS_A_CENT
    figures.notes["charged_micros_by_day"] = await _charged(on.postgres.url, campaign, timezone)
    on.check_control("admin", "money", "check")
    on.check_control("reconcile")
    figures.of(traffic, verdict)


def _check_moved(on: Ground, ahead_s: int) -> None:
    """Raises RuntimeError where the server's clock is another: the drill would show nothing."""
    theirs_s = float(on.postgres.query("select extract(epoch from clock_timestamp())"))
    off_s = theirs_s - datetime.now(UTC).timestamp() - ahead_s
    if abs(off_s) > _HOUR_S / 2:
        raise RuntimeError(
            f"PostgreSQL's clock did not move: {off_s:.0f} s from where it should be"
        )


def _timezone_of_a_day_that_ends(utc_hour: int) -> str:
    """Where it is after 23:00, so that an hour ahead is the next day. The names' signs are those of POSIX, reversed."""
    east = 23 - utc_hour
    return f"Etc/GMT{-east:+d}" if east <= 14 else f"Etc/GMT{24 - east:+d}"  # noqa: PLR2004 - no zone is further east


async def _use_up(traffic: Traffic, campaign_id: str) -> None:
    """Shows ads until the campaign is in none of them."""
    async with asyncio.timeout(PATIENCE_S):
        while await show(traffic, campaign_id, _COUNT):
            pass


async def _acknowledged(traffic: Traffic, tokens: list[str]) -> int:
    before = len(traffic.acknowledged)
    await traffic.track(tokens)
    return len(traffic.acknowledged) - before


async def _charged(database_url: str, campaign_id: str, timezone: str) -> dict[str, int]:
    """Micros by day of the campaign's time zone."""
    connection = await asyncpg.connect(database_url)
    try:
        rows = await connection.fetch(_CHARGED, campaign_id, timezone)
    finally:
        await connection.close()
    return {row["day"]: row["micros"] for row in rows}
