"""``POST /v1/track/batch``: events stored while offline, each answered as it would be alone."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from common.snapshot.model import RateLimits
from common.values.environment import Environment
from tests.edge.tracking.track_clients import BROWSER, TrackClients, open_track_clients
from tests.support.builders import a_property
from tests.support.spools import fill_up
from tests.support.worker import events_of, later


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[TrackClients]:
    async with open_track_clients(tmp_path) as clients:
        yield clients


async def send(clients: TrackClients, body: Any, *, key: str | None = None) -> httpx.Response:
    headers = {"X-Service-Key": key or clients.publishable, "User-Agent": BROWSER}
    if isinstance(body, bytes):
        return await clients.http.post("/v1/track/batch", content=body, headers=headers)
    return await clients.http.post("/v1/track/batch", json=body, headers=headers)


def an_event(clients: TrackClients, event: str = "impression", **changes: Any) -> dict[str, str]:
    return {"token": clients.tokens(**changes).track, "event": event}


def statuses(response: httpx.Response) -> list[int]:
    return [result["status"] for result in response.json()["results"]]


async def test_every_event_of_a_batch_is_kept_in_order(live: TrackClients) -> None:
    kinds = ["impression", "viewable", "click"] * 16 + ["skip", "error"]
    response = await send(live, {"events": [an_event(live, kind) for kind in kinds]})
    assert (response.status_code, statuses(response)) == (200, [204] * 50)
    assert [event.kind.value for event in await events_of(live.edge)] == kinds


async def test_a_batch_sent_again_counts_nothing_twice(live: TrackClients) -> None:
    body = {"events": [an_event(live), an_event(live, "click")]}
    responses = [await send(live, body) for _ in range(2)]
    assert [statuses(response) for response in responses] == [[204, 204]] * 2
    assert len(await events_of(live.edge)) == 2


async def test_an_event_that_comes_twice_in_a_batch_counts_once(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as trial:
        event = an_event(trial)
        response = await send(trial, {"events": [event, event]})
        reported = [result["result"] for result in response.json()["results"]]
        assert reported == ["counted", "duplicate"]


async def test_live_keys_do_not_get_the_results(live: TrackClients) -> None:
    response = await send(live, {"events": [an_event(live)]})
    assert response.json() == {"results": [{"status": 204}]}


async def test_a_refused_token_delays_no_other(live: TrackClients) -> None:
    old = an_event(live)
    later(live.edge, s=631)
    fresh = an_event(live, issued_ms=live.edge.clock.now_ms())
    body = {"events": [old, {"token": "x", "event": "click"}, fresh]}
    response = await send(live, body)
    assert statuses(response) == [410, 400, 204]
    codes = [result.get("error", {}).get("code") for result in response.json()["results"]]
    assert codes == ["token_expired", "token_invalid", None]
    assert len(await events_of(live.edge)) == 1


async def test_faulty_fields_are_named_with_their_event_and_nothing_is_kept(
    live: TrackClients,
) -> None:
    events = [an_event(live), {"event": "view"}, "text", {**an_event(live), "value_cents": 1}]
    response = await send(live, {"events": events, "user": "anna"})
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (422, "validation_failed")
    assert [detail["param"] for detail in error["details"]] == [
        "user",
        "events[1].token",
        "events[1].event",
        "events[2]",
        "events[3].value_cents",
    ]
    assert await events_of(live.edge) == []


@pytest.mark.parametrize("events", [None, [], "text", {}, [{}] * 51])
async def test_a_batch_has_one_to_fifty_events(live: TrackClients, events: Any) -> None:
    response = await send(live, {"events": events})
    assert response.status_code == 422
    assert response.json()["error"]["param"] == "events"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"events": [{"token": "x", "token": "y", "event": "click"}]}',
        b'{"events": [{"token": "x", "event": "click"}], "events": [], "token": 1, "token": 2}',
    ],
)
async def test_a_repeated_field_is_422(live: TrackClients, raw: bytes) -> None:
    response = await send(live, raw)
    error = response.json()["error"]
    assert response.status_code == 422
    assert ("token", "repeated") in {(one["param"], one["code"]) for one in error["details"]}


@pytest.mark.parametrize("raw", [b"", b"{", b"token=x"])
async def test_invalid_json_is_400(live: TrackClients, raw: bytes) -> None:
    response = await send(live, raw)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_json")


async def test_the_key_is_checked_before_the_body(live: TrackClients) -> None:
    response = await send(live, b"{", key="pk_live_no")
    assert (response.status_code, response.json()["error"]["code"]) == (401, "invalid_key")


async def test_each_event_counts_as_a_call(tmp_path: Path) -> None:
    slow = a_property(rate_limits=RateLimits(10, 10, 10, 10))
    async with open_track_clients(tmp_path, slow) as clients:
        events = [an_event(clients) for _ in range(20)]
        first = await send(clients, {"events": events})
        second = await send(clients, {"events": events})
        assert (first.status_code, second.status_code) == (200, 429)


async def test_a_full_spool_reports_which_events_to_send_again(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, spool_max_bytes=150_000) as clients:
        await fill_up(clients.edge.spool)
        body = {"events": [an_event(clients), {"token": "x", "event": "click"}]}
        assert statuses(await send(clients, body)) == [503, 400]
        clients.edge.spool.settle(clients.edge.spool.last_sequence)
        assert statuses(await send(clients, body)) == [204, 400]
