"""A prepared mail holds its cost until it is charged or expires, over real Redis and PostgreSQL."""

import asyncio
from pathlib import Path

import pytest

from common.pacing.holds import HeldCommits
from common.snapshot.model import Campaign
from common.tracking.token import DAY_MS, last_day
from common.values.clock import SystemClock
from edge.state.commit_file import CommitFile, find_dead
from edge.state.dead_leases import return_leases
from tests.control.delivery.pacing.race import CENT, SETTLE_S, Race, Worker
from tests.support.builders import a_snapshot

LIFE_S = 2 * 86_400
SETTLED_MS = round(SETTLE_S * 1000) + 120_000
PAUSE_MS = 601_000
"""Figures of the ledger are no older."""


async def prepare(race: Race, worker: Worker, campaign: Campaign, mails: int) -> int:
    """Commits *mails* as leases allow; returns the last day of their tokens."""
    now_ms = race.world.clock.now_ms()
    until_day, snapshot = last_day(now_ms, LIFE_S), a_snapshot(campaign)
    for _ in range(mails):
        while worker.budgets.available_micros(snapshot, now_ms).get(campaign.id, 0) < CENT:
            await race.report()
        worker.budgets.commit(snapshot, campaign, CENT, now_ms, until_day)
    await race.report()
    return until_day


async def open_mails(
    race: Race, campaign: Campaign, count: int, issued_ms: int, until_day: int
) -> None:
    now_ms = race.world.clock.now_ms()
    mail = {"price_micros": CENT, "issued_ms": issued_ms, "at_ms": now_ms}
    mails = [race.edge.event(campaign.id, **mail, held_until_day=until_day) for _ in range(count)]
    await race.world.ingest(mails)


async def serve_all(race: Race, campaign: Campaign) -> int:
    """Serves and charges pages by a new worker until nothing more is granted; returns how many."""
    worker, found = race.add_worker(), 0
    for _ in range(12):
        now_ms = race.world.clock.now_ms()
        shown = worker.serve(a_snapshot(campaign), campaign, now_ms, 100)
        page = {"price_micros": CENT, "issued_ms": now_ms, "at_ms": now_ms}
        if shown:
            await race.world.ingest([race.edge.event(campaign.id, **page) for _ in range(shown)])
        found += shown
        await race.report()
    race.workers.remove(worker)
    return found


async def test_mails_hold_their_cost_until_they_are_charged_or_expire(race: Race) -> None:
    campaign = await race.add_campaign(10)
    sender = race.add_worker()
    sent_ms = race.world.clock.now_ms()
    until_day = await prepare(race, sender, campaign, 6)
    race.world.clock.advance(ms=SETTLED_MS)
    assert await serve_all(race, campaign) == 4
    await open_mails(race, campaign, 4, sent_ms, until_day)
    race.granting = race.new_granting()
    race.world.clock.advance(ms=SETTLED_MS)
    assert await serve_all(race, campaign) == 0
    assert await race.world.spent_micros(campaign.id) == 8 * CENT
    end_ms = (until_day + 1) * DAY_MS
    race.world.clock.advance(ms=end_ms - race.world.clock.now_ms())
    assert await serve_all(race, campaign) == 0
    race.world.clock.advance(ms=SETTLED_MS + PAUSE_MS)
    assert await serve_all(race, campaign) == 2
    assert await race.world.spent_micros(campaign.id) == 10 * CENT
    events = await race.world.events()
    assert {event.reason for event in events} == {"ok"}


async def test_holds_outlive_the_worker_that_was_killed_and_the_allocator(
    race: Race, tmp_path: Path
) -> None:
    campaign = await race.add_campaign(10)
    sender = race.add_worker(CommitFile(tmp_path / "living", "edge/1"))
    await prepare(race, sender, campaign, 3)
    now_ms, snapshot = race.world.clock.now_ms(), a_snapshot(campaign)
    assert sender.budgets.available_micros(snapshot, now_ms).get(campaign.id, 0) >= CENT
    sender.budgets.commit(snapshot, campaign, CENT, now_ms, last_day(now_ms, LIFE_S))
    (dead,) = race.kill(sender, tmp_path / "dead")
    await asyncio.gather(return_leases(dead, race.store, SystemClock()), race.report())
    assert list(find_dead(tmp_path / "dead")) == []
    race.granting = race.new_granting()
    race.world.clock.advance(ms=SETTLED_MS)
    assert await serve_all(race, campaign) == 6


async def test_a_mail_counts_for_the_daily_budget_of_the_day_on_which_it_was_prepared(
    race: Race,
) -> None:
    campaign = await race.add_campaign(100, daily_cents=10)
    sender = race.add_worker()
    await prepare(race, sender, campaign, 7)
    race.world.clock.advance(ms=SETTLED_MS)
    today = await serve_all(race, campaign)
    race.world.clock.advance(ms=DAY_MS)
    assert (today, await serve_all(race, campaign)) == (3, 10)


class OlderRelease:
    """Grantors that read the name of a hold as the id of a campaign, as before there were holds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def install(self) -> None:
        self._patch.setattr(HeldCommits, "merge_line", lambda *_: False)

    def replace(self) -> None:
        self._patch.undo()


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> OlderRelease:
    return OlderRelease(monkeypatch)


async def test_an_older_allocator_counts_mails_in_the_line_of_their_campaign(
    race: Race, older: OlderRelease
) -> None:
    older.install()
    campaign = await race.add_campaign(10)
    sender = race.add_worker()
    sent_ms = race.world.clock.now_ms()
    until_day = await prepare(race, sender, campaign, 4)
    sender.budgets.release_all()
    await race.report()

    assert await serve_all(race, campaign) == 6
    await open_mails(race, campaign, 4, sent_ms, until_day)
    assert await race.world.spent_micros(campaign.id) == 10 * CENT
    assert {event.reason for event in await race.world.events()} == {"ok"}


async def test_the_next_allocator_takes_over_the_holds_that_an_older_one_read_as_campaigns(
    race: Race, older: OlderRelease
) -> None:
    older.install()
    campaign = await race.add_campaign(10)
    sender = race.add_worker()
    await prepare(race, sender, campaign, 4)
    race.world.clock.advance(ms=SETTLED_MS)
    await race.report()
    older.replace()
    race.granting = race.new_granting()
    await race.report()
    now_ms, snapshot = race.world.clock.now_ms(), a_snapshot(campaign)
    shown = sender.serve(snapshot, campaign, now_ms, 3)
    sender.budgets.release_all()
    await race.report()
    for _ in range(3):  # a last unit stays for seconds with the worker that requested it
        shown += await serve_all(race, campaign)

    assert shown == 6


async def test_mails_of_an_older_edge_settle_as_other_commits_do(race: Race) -> None:
    campaign = await race.add_campaign(10)
    sender = race.add_worker()
    await race.report()
    now_ms, snapshot = race.world.clock.now_ms(), a_snapshot(campaign)
    assert sender.serve(snapshot, campaign, now_ms, 4) == 4
    sender.budgets.release_all()
    await race.report()
    assert await serve_all(race, campaign) == 6
    race.world.clock.advance(ms=SETTLED_MS)
    await open_mails(race, campaign, 4, now_ms, last_day(now_ms, LIFE_S))

    assert await serve_all(race, campaign) == 0
    assert await race.world.spent_micros(campaign.id) == 10 * CENT
