"""The operator takes events back, and has the stored ones judged by the lists of today."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from common.ivt import ivt_flags
from common.values.clock import FixedClock, SystemClock, to_iso
from common.values.enums import Reason
from tests.control.events.ingest.world import FACTS, Edge, World
from tests.control.operations.admin_cli.command import admin, refused
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer


@pytest.fixture
async def owner(api: ControlApi) -> Person:
    """Of an account whose events nobody else makes."""
    return await api.sign_up()


@pytest.fixture
async def world(api: ControlApi, owner: Person) -> World:
    return await _world_of(api, owner)


async def _world_of(api: ControlApi, owner: Person) -> World:
    made = World(api.control.database, FixedClock(SystemClock().now_ms()))
    made.account_id = owner.account_id
    await made.add_property(made.property_id)
    return made


async def test_an_event_is_retracted_by_its_id_with_the_reason(
    api: ControlApi, owner: Person, world: World
) -> None:
    campaign = await world.add_campaign()
    await world.ingest([Edge(world).event(campaign)])
    (row,) = await world.events()

    requested = ("events", "retract", "--event", str(row.id), "--reason", "a broken page")
    first, again = await admin(api, *requested), await admin(api, *requested)
    path = "/v1/audit-log?actor=operator&action=events.retract"
    lines = (await Customer(api, owner).get(path)).json()["data"]

    assert first == {"retracted": 1, "micros": 1000, "reopened_campaigns": []}
    assert again == {"retracted": 0, "micros": 0, "reopened_campaigns": []}
    assert [line["detail"]["reason"] for line in lines] == ["a broken page"]


@pytest.mark.parametrize("bound", ["--since", "--until"])
async def test_named_events_are_not_limited_by_time(
    api: ControlApi, world: World, bound: str
) -> None:
    await world.ingest([Edge(world).event(await world.add_campaign())])
    (row,) = await world.events()

    named = ("events", "retract", "--event", str(row.id), "--reason", "a broken page")
    text = await refused(api, *named, bound, "2026-03-01T00:00:00Z")

    assert "--since and --until are for the events of a --campaign." in " ".join(text.split())
    assert len(await world.events()) == 1


async def test_a_date_in_digits_is_no_number_of_seconds(api: ControlApi, world: World) -> None:
    campaign = await world.add_campaign()
    await world.ingest([Edge(world).event(campaign)])

    of_campaign = ("events", "retract", "--campaign", campaign, "--reason", "fraud")
    retracted = await refused(api, *of_campaign, "--since", "20260301")
    judged = await refused(api, "events", "rejudge", "--since", "20260301", "--apply")

    assert all("ISO 8601" in errors for errors in (retracted, judged))
    assert len(await world.events()) == 1


async def test_the_events_of_a_campaign_are_retracted(api: ControlApi, world: World) -> None:
    campaign, other = await world.add_campaign(), await world.add_campaign()
    edge = Edge(world)
    await world.ingest([*(edge.event(campaign) for _ in range(3)), edge.event(other)])

    text = await admin(api, "events", "retract", "--campaign", campaign, "--reason", "fraud")
    assert (text["retracted"], text["micros"]) == (3, 3000)
    assert await world.spent_micros(campaign) == 0
    assert await world.spent_micros(other) == 1000


async def test_the_audit_log_of_each_account_shows_its_own_events_alone(
    api: ControlApi, owner: Person, world: World
) -> None:
    neighbour = await api.sign_up()
    theirs = await _world_of(api, neighbour)
    ours, other = await world.add_campaign(), await theirs.add_campaign()
    await world.ingest([Edge(world).event(ours)])
    await theirs.ingest([Edge(theirs).event(other) for _ in range(2)])
    stored = {
        person: {str(row.id) for row in await of.events()}
        for person, of in ((owner, world), (neighbour, theirs))
    }

    named = [word for ids in stored.values() for each in ids for word in ("--event", each)]
    await admin(api, "events", "retract", *named, "--reason", "fraud")

    for person, micros in ((owner, 1000), (neighbour, 2000)):
        path = "/v1/audit-log?actor=operator&action=events.retract"
        (line,) = (await Customer(api, person).get(path)).json()["data"]
        assert line["object_id"] in stored[person]
        shown = (line["detail"]["events"], line["detail"]["micros"])
        assert shown == (len(stored[person]), micros)


async def test_an_unknown_event_retracts_nothing(api: ControlApi, world: World) -> None:
    await world.ingest([Edge(world).event(await world.add_campaign())])
    (row,) = await world.events()
    named = ("--event", str(row.id), "--event", world.property_id)
    errors = await refused(api, "events", "retract", *named, "--reason", "x")

    assert world.property_id in errors
    assert len(await world.events()) == 1


async def test_rejudging_only_counts_without_the_apply_option(
    api: ControlApi, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.ingest([Edge(world).event(await world.add_campaign(), signs=0)])
    clouds = tmp_path / "clouds"
    clouds.write_text("203.0.113.0/24")
    monkeypatch.setenv("PLACARD_DATA_CENTER_RANGES", str(clouds))
    since = to_iso(world.clock.now() - timedelta(minutes=1))

    looked = await admin(api, "events", "rejudge", "--since", since)
    assert looked["found"]["datacenter_ip"] >= 1
    assert len(await world.events()) == 1

    acted = await admin(api, "events", "rejudge", "--since", since, "--apply")
    assert acted["lists_version"] == looked["lists_version"]
    assert acted["retracted"] == looked["found"]["datacenter_ip"]
    assert [row.reason for row in await world.events()] == ["ok", "retracted"]
    assert (await admin(api, "events", "rejudge", "--since", since, "--apply"))["retracted"] == 0


async def test_judging_again_shows_what_a_dropped_rule_called_robots_and_leaves_it(
    api: ControlApi, world: World
) -> None:
    edge, campaign = Edge(world), await world.add_campaign()
    robot = {"reason": Reason.BOT_USER_AGENT, "signs": ivt_flags.ROBOT}
    await world.ingest(
        [
            edge.event(campaign, facts=replace(FACTS, user_agent_pattern=rule), **robot)
            for rule in ("list:Dropped", "list:Dropped", "word:crawl", None)
        ]
    )
    since = to_iso(world.clock.now() - timedelta(minutes=1))

    judged = await admin(api, "events", "rejudge", "--since", since, "--apply")
    assert judged["found_by_dropped_rules"] == {"list:Dropped": 2}
    assert [row.valid for row in await world.events()] == [False] * 4


async def test_the_events_to_retract_are_selected_in_exactly_one_way(api: ControlApi) -> None:
    errors = await refused(api, "events", "retract", "--reason", "x")
    assert "--event" in errors
