"""Exports over HTTP: what is refused, who sees which, and how many may wait."""

from typing import Any

import pytest
from sqlalchemy import text

from common.values.environment import Environment
from control.reporting.reports.metrics import USUAL_METRICS
from tests.control.events.ingest.world import World
from tests.control.reporting.exports.conftest import EXPORTS, Exporter
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import params_of


async def test_an_export_is_answered_at_once_and_queued(exporter: Exporter) -> None:
    answer = await exporter.post()
    export = answer.json()

    assert answer.status_code == 202
    assert answer.headers["location"] == f"{EXPORTS}/{export['id']}"
    assert (export["status"], export["progress_percent"], export["url"]) == ("queued", 0, None)
    assert await exporter.get(export["id"]) == export


async def test_an_export_shows_its_parameters_with_defaults(exporter: Exporter) -> None:
    events: dict[str, Any] = {"from": "2026-02-01", "to": "2026-02-02T00:00:00Z", "valid": True}
    report: dict[str, Any] = {
        "kind": None,
        "from": "2026-02-01",
        "to": "2026-02-02",
        "tz": "Asia/Tokyo",
    }

    of_events = (await exporter.post(**events)).json()["question"]
    of_a_report = (await exporter.post(**report)).json()

    ends = {"from": "2026-02-01T00:00:00.000Z", "to": "2026-02-02T00:00:00.000Z"}
    assert of_events == {**ends, "tz": "UTC", "valid": True}
    assert of_a_report["kind"] == "report"
    assert of_a_report["question"] == {
        "from": "2026-01-31T15:00:00.000Z",
        "to": "2026-02-01T15:00:00.000Z",
        "tz": "Asia/Tokyo",
        "granularity": "total",
        "group_by": [],
        "metrics": [metric.value for metric in USUAL_METRICS],
    }


@pytest.mark.parametrize("kind", ["events", "report"])
async def test_countries_are_returned_as_their_standard_writes_them(
    exporter: Exporter, kind: str
) -> None:
    answer = await exporter.post(kind=kind, country=["br", "DE"])

    assert answer.json()["question"]["country"] == ["BR", "DE"]


async def test_days_are_of_the_one_property_it_is_about(exporter: Exporter, world: World) -> None:
    async with exporter.api.control.database.service() as session:
        move = "update properties set timezone = 'America/Sao_Paulo' where id = :id"
        await session.execute(text(move), {"id": world.property_id})

    days: dict[str, Any] = {"from": "2026-02-01", "to": "2026-02-02"}
    answer = await exporter.post(**days, property_id=[world.property_id])

    assert answer.json()["question"]["from"] == "2026-02-01T03:00:00.000Z"


@pytest.mark.parametrize(
    ("changes", "params"),
    [
        ({"kind": "people", "format": "xlsx"}, ["kind", "format"]),
        ({"from": None, "ad_format": ["poster"]}, ["from", "ad_format.0"]),
        ({"from": "yesterday", "to": 5}, ["from", "to"]),
        ({"from": "2026-02-30"}, ["from"]),
        ({"tz": "Mars/Olympus"}, ["tz"]),
        ({"property_id": ["x"]}, ["property_id.0"]),
        ({"campaign_id": "", "country": "BR"}, ["campaign_id", "country"]),
        ({"event": []}, ["event"]),
        ({"event": ["click", "click"], "valid": "yes"}, ["event", "valid"]),
        ({"colour": "red"}, ["colour"]),
        ({"from": "2026-01-02", "to": "2026-01-01"}, ["to"]),
        ({"from": "2026-01-01T00:00:00.0001Z", "to": "2026-01-01T00:00:00.0009Z"}, ["to"]),
        ({"from": "2026-01-01", "to": "2026-06-01"}, ["to"]),
        ({"from": "2026-01-02", "to": "2026-01-01", "metrics": ["clicks"]}, ["metrics", "to"]),
        ({"granularity": "day", "group_by": ["ad"]}, ["granularity", "group_by"]),
        ({"kind": "report", "valid": True, "event": ["click"]}, ["event", "valid"]),
        ({"kind": "report", "from": "2026-01-01T00:30:00Z", "to": "2026-01-01"}, ["from", "to"]),
    ],
)
async def test_every_error_is_named(
    exporter: Exporter, changes: dict[str, Any], params: list[str]
) -> None:
    answer = await exporter.post(**changes)

    assert (answer.status_code, code_of(answer)) == (422, "validation_failed")
    assert sorted(params_of(answer)) == sorted(params)


async def test_a_signed_in_user_says_which_environment(exporter: Exporter) -> None:
    anywhere = Exporter(exporter.api, exporter.headers, environment=None)

    assert code_of(await anywhere.post()) == "validation_failed"


async def test_a_foreign_property_is_not_there(exporter: Exporter, api: ControlApi) -> None:
    theirs = await api.add_property(await api.sign_up())

    for kind in ("report", "events"):
        answer = await exporter.post(kind=kind, property_id=[theirs])
        assert (answer.status_code, code_of(answer)) == (404, "not_found")


async def test_a_key_exports_its_property_and_sees_what_keys_of_it_asked_for(
    exporter: Exporter, api: ControlApi, person: Person, world: World
) -> None:
    async def key_of(property_id: str, environment: Environment = Environment.LIVE) -> Exporter:
        made = await api.add_key(person, environment=environment, property_id=property_id)
        return Exporter(api, made.headers, environment=None)

    key = await key_of(world.property_id)
    other = await key_of(await api.add_property(person))
    theirs = await exporter.ask()
    mine = await key.ask()

    assert await _ids(key) == [mine]
    assert await _ids(other) == []
    assert await _ids(exporter, environment="live") == [mine, theirs]
    test = await key_of(world.property_id, Environment.TEST)
    assert await _ids(test) == []


async def test_events_are_for_those_who_may_read_events(
    exporter: Exporter, api: ControlApi, person: Person
) -> None:
    mine = await exporter.ask()
    async with api.control.database.service() as session:
        demote = "update memberships set role = 'finance' where user_id = :id"
        await session.execute(text(demote), {"id": person.user_id})

    refused = await exporter.post()
    hidden = await api.http.get(f"{EXPORTS}/{mine}", headers=exporter.headers)

    assert (refused.status_code, code_of(refused)) == (403, "permission_denied")
    assert "`event:read`" in refused.json()["error"]["message"]
    assert code_of(hidden) == "not_found"
    assert await _ids(exporter, environment="live") == []


@pytest.mark.usefixtures("stopped_clock")
async def test_the_same_idempotency_key_creates_one_export(exporter: Exporter) -> None:
    key = {"Idempotency-Key": "one"}
    first, again = await exporter.post(headers=key), await exporter.post(headers=key)
    other = await exporter.post(headers=key, format="ndjson")

    assert first.content == again.content
    assert again.headers["idempotent-replayed"] == "true"
    assert code_of(other) == "idempotency_key_reused"
    assert len(await _ids(exporter, environment="live")) == 1


async def test_the_number_of_waiting_exports_is_limited(exporter: Exporter) -> None:
    most = exporter.api.control.settings.exports_waiting
    ids = [await exporter.ask() for _ in range(most)]

    refused = await exporter.post()
    await exporter.api.http.delete(f"{EXPORTS}/{ids[0]}", headers=exporter.headers)
    taken = await exporter.post()

    assert (refused.status_code, code_of(refused)) == (429, "rate_limited")
    assert int(refused.headers["retry-after"]) >= 1
    assert taken.status_code == 202


async def test_the_list_has_pages_and_filters(exporter: Exporter) -> None:
    ids = [await exporter.ask(format=form) for form in ("csv", "ndjson", "parquet")]
    first = await exporter.api.http.get(
        EXPORTS, params={"environment": "live", "limit": 2}, headers=exporter.headers
    )
    cursor = first.json()["next_cursor"]

    assert [one["id"] for one in first.json()["data"]] == [ids[2], ids[1]]
    assert await _ids(exporter, environment="live", limit="2", cursor=cursor) == [ids[0]]
    assert await _ids(exporter, environment="live", status="ready") == []
    assert await _ids(exporter, environment="test") == []


async def test_a_deleted_export_is_not_found(exporter: Exporter) -> None:
    export_id = await exporter.ask()
    path = f"{EXPORTS}/{export_id}"
    deleted = await exporter.api.http.delete(path, headers=exporter.headers)
    again = await exporter.api.http.delete(path, headers=exporter.headers)

    assert (deleted.status_code, deleted.content) == (204, b"")
    assert (again.status_code, code_of(again)) == (404, "not_found")
    assert await _ids(exporter, environment="live") == []


async def _ids(exporter: Exporter, **query: str) -> list[str]:
    answer = await exporter.api.http.get(EXPORTS, params=query, headers=exporter.headers)
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["data"]]
