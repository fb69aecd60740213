"""``POST /v1/track`` over real HTTP: what it takes, what it refuses and with which code."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from common.snapshot.model import Key, Property
from common.tracking.token import sign_token
from common.values.enums import EventKind, QualitySignal, Reason
from common.values.environment import Environment
from tests.edge.tracking.track_clients import ROBOT, TrackClients, open_track_clients
from tests.support.builders import SIGNING_SECRET, a_key, a_property
from tests.support.spools import fill_up
from tests.support.tokens import a_payload
from tests.support.worker import events_of, later

OTHER_PROPERTY = a_property(id="01900000-0000-7000-8000-0000000000aa", domain="other.example")


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[TrackClients]:
    async with open_track_clients(tmp_path) as clients:
        yield clients


@pytest.fixture
async def trial(tmp_path: Path) -> AsyncIterator[TrackClients]:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as clients:
        yield clients


def code_of(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


async def test_first_use_and_replay_are_both_204(live: TrackClients) -> None:
    body = {"token": live.tokens().track, "event": "impression"}
    responses = [await live.track(body) for _ in range(2)]
    assert [(r.status_code, r.content) for r in responses] == [(204, b"")] * 2
    assert len(await events_of(live.edge)) == 1


async def test_test_keys_get_the_result_of_the_token(trial: TrackClients) -> None:
    body = {"token": trial.tokens().track, "event": "impression"}
    responses = [await trial.track(body) for _ in range(2)]
    assert [r.headers["X-Track-Result"] for r in responses] == ["counted", "duplicate"]


async def test_live_keys_do_not_get_the_result_of_the_token(live: TrackClients) -> None:
    response = await live.track({"token": live.tokens().track, "event": "click"})
    assert "X-Track-Result" not in response.headers


@pytest.mark.parametrize("event", [*EventKind, *QualitySignal])
async def test_every_event_kind_is_accepted(live: TrackClients, event: str) -> None:
    response = await live.track({"token": live.tokens().track, "event": event})
    assert response.status_code == 204
    assert [kept.kind for kept in await events_of(live.edge)] == [event]


async def test_a_beacon_is_read_as_json_whatever_its_content_type(live: TrackClients) -> None:
    body = f'{{"token": "{live.tokens().track}", "event": "impression"}}'
    response = await live.http.post(
        f"/v1/track?key={live.publishable}",
        content=body,
        headers={"Content-Type": "text/plain;charset=UTF-8"},
    )
    assert response.status_code == 204


async def test_a_page_of_a_foreign_origin_is_served_and_its_event_is_invalid(
    live: TrackClients,
) -> None:
    for origin in ("https://somebody.example", "https://www.shop.example"):
        served = await live.get(
            "/v1/serve?slot=top", **{"X-Service-Key": live.publishable, "Origin": origin}
        )
        assert (served.status_code, served.json()["ad_id"]) == (200, live.ad.id)
        tracked = await live.track(
            {"token": served.json()["track_token"], "event": "impression"}, Origin=origin
        )
        assert tracked.status_code == 204
    reasons = [event.reason for event in await events_of(live.edge)]
    assert reasons == [Reason.ORIGIN_MISMATCH, Reason.OK]


async def test_a_server_may_track_with_its_secret_key(live: TrackClients) -> None:
    response = await live.http.post(
        "/v1/track",
        json={"token": live.tokens().track, "event": "impression"},
        headers={"Authorization": f"Bearer {live.secret}", "User-Agent": "our-backend/1"},
    )
    assert response.status_code == 204
    assert [event.reason for event in await events_of(live.edge)] == [Reason.OK]


async def test_a_script_with_a_publishable_key_is_stored_and_marked(live: TrackClients) -> None:
    body = {"token": live.tokens().track, "event": "impression"}
    response = await live.track(body, **{"User-Agent": "curl/8.5.0"})
    assert response.status_code == 204
    assert [event.reason for event in await events_of(live.edge)] == [Reason.BOT_USER_AGENT]


async def test_a_pasted_curl_counts_in_test(trial: TrackClients) -> None:
    body = {"token": trial.tokens().track, "event": "impression"}
    await trial.track(body, **{"User-Agent": "curl/8.5.0"})
    assert [event.reason for event in await events_of(trial.edge)] == [Reason.OK_TEST]


async def test_a_conversion_may_bring_value_currency_and_order(live: TrackClients) -> None:
    response = await live.track(
        {
            "token": live.tokens().track,
            "event": "conversion",
            "value_cents": 4_999,
            "currency": "EUR",
            "order_id": "order-7",
        }
    )
    (event,) = await events_of(live.edge)
    assert response.status_code == 204
    assert (event.value_cents, event.currency, event.order_id) == (4_999, "EUR", "order-7")


@pytest.mark.parametrize("raw", [b"", b"{", b"token=x&event=click", b"\xff\xfe", b"{'token': 1}"])
async def test_invalid_json_is_400(live: TrackClients, raw: bytes) -> None:
    assert code_of(await live.track(raw)) == (400, "invalid_json")


@pytest.mark.parametrize(
    ("body", "params"),
    [
        ([], ["body"]),
        ("text", ["body"]),
        ({}, ["token", "event"]),
        ({"token": "x"}, ["event"]),
        ({"token": 7, "event": "impression"}, ["token"]),
        ({"token": "x", "event": "view"}, ["event"]),
        ({"token": "x", "event": ["click"]}, ["event"]),
        ({"token": "x", "event": "click", "user": "anna"}, ["user"]),
        ({"token": "x", "event": "click", "value_cents": 1}, ["value_cents"]),
        ({"token": "x", "event": "conversion", "value_cents": -1}, ["value_cents"]),
        ({"token": "x", "event": "conversion", "value_cents": 1.5}, ["value_cents"]),
        ({"token": "x", "event": "conversion", "value_cents": True}, ["value_cents"]),
        ({"token": "x", "event": "conversion", "currency": "euro"}, ["currency"]),
        ({"token": "x", "event": "conversion", "currency": "ZZZ"}, ["currency"]),
        ({"token": "x", "event": "conversion", "currency": "XXX"}, ["currency"]),
        ({"token": "x", "event": "conversion", "currency": ["EUR"]}, ["currency"]),
        ({"token": "x", "event": "conversion", "currency": "EUR"}, ["currency"]),
        ({"token": "x", "event": "conversion", "order_id": ""}, ["order_id"]),
        ({"token": "x", "event": "conversion", "order_id": "a\u0000"}, ["order_id"]),
        ({"token": "x", "event": "conversion", "order_id": "a" * 129}, ["order_id"]),
    ],
)
async def test_wrong_fields_are_422_and_all_of_them_are_named(
    live: TrackClients, body: Any, params: list[str]
) -> None:
    response = await live.track(body)
    assert code_of(response) == (422, "validation_failed")
    assert [detail["param"] for detail in response.json()["error"]["details"]] == params


@pytest.mark.parametrize(
    ("raw", "params"),
    [
        (b'{"token": "x", "event": "click", "event": "click"}', ["event"]),
        (b'{"token": "x", "token" : "y", "event": "click"}', ["token"]),
        (b'{"token": "x", "\\u0074oken": "y", "event": "click"}', ["token"]),
        (b'{"token": "x", "event": "click", "ip": "::1", "ip": {"ip": 1}}', ["ip"]),
        (b'{"token": "x", "event": {"a": 1, "a": 2}}', ["a"]),
    ],
)
async def test_a_repeated_field_is_422(live: TrackClients, raw: bytes, params: list[str]) -> None:
    response = await live.track(raw)
    assert code_of(response) == (422, "validation_failed")
    details = response.json()["error"]["details"]
    assert [(detail["param"], detail["code"]) for detail in details] == [
        (param, "repeated") for param in params
    ]


async def test_a_text_with_a_quote_and_a_colon_repeats_no_field(live: TrackClients) -> None:
    order = {"event": "conversion", "order_id": '7":8'}
    response = await live.track({"token": live.tokens().track, **order})
    assert response.status_code == 204


async def test_a_huge_body_is_413(live: TrackClients) -> None:
    raw = b'{"token": "' + b"x" * 20_000 + b'", "event": "click"}'
    assert code_of(await live.track(raw)) == (413, "payload_too_large")


@pytest.mark.parametrize("text", ["", "x", "é" * 205, "A" * 205, "A" * 176 + "." + "A" * 28])
async def test_a_forged_token_is_400(live: TrackClients, text: str) -> None:
    response = await live.track({"token": text, "event": "impression"})
    assert code_of(response) == (400, "token_invalid")


async def test_a_pixel_token_is_refused_by_track(live: TrackClients) -> None:
    response = await live.track({"token": live.tokens().impression, "event": "impression"})
    assert code_of(response) == (400, "token_invalid")


async def test_a_test_token_is_refused_by_the_live_edge(live: TrackClients) -> None:
    body = {"token": live.tokens(is_test=True).track, "event": "impression"}
    assert code_of(await live.track(body)) == (400, "token_invalid")


async def test_an_expired_token_is_410(live: TrackClients) -> None:
    body = {"token": live.tokens().track, "event": "impression"}
    later(live.edge, s=631)
    assert code_of(await live.track(body)) == (410, "token_expired")
    assert await events_of(live.edge) == []


async def test_an_expired_replay_is_410(live: TrackClients) -> None:
    body = {"token": live.tokens().track, "event": "impression"}
    await live.track(body)
    later(live.edge, s=631)
    assert code_of(await live.track(body)) == (410, "token_expired")


async def test_another_propertys_token_is_403(tmp_path: Path) -> None:
    property_and_key = _other_property()
    async with open_track_clients(tmp_path, a_property(), *property_and_key) as clients:
        payload = a_payload(property_id=UUID(OTHER_PROPERTY.id))
        body = {"token": sign_token(payload, SIGNING_SECRET).track, "event": "impression"}
        assert code_of(await clients.track(body)) == (403, "token_mismatch")


async def test_a_call_without_a_key_is_401(live: TrackClients) -> None:
    response = await live.http.post("/v1/track", json={"token": "x", "event": "click"})
    assert code_of(response) == (401, "missing_key")


async def test_the_other_environments_key_is_403(live: TrackClients) -> None:
    key, _ = a_key(environment=Environment.TEST)
    response = await live.track({"token": "x", "event": "click"}, key=key.text)
    assert code_of(response) == (403, "wrong_environment")


async def test_a_full_spool_is_503_and_never_a_false_204(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, spool_max_bytes=150_000) as clients:
        await fill_up(clients.edge.spool)
        body = {"token": clients.tokens().track, "event": "impression"}
        response = await clients.track(body)
        assert code_of(response) == (503, "unavailable")
        assert response.headers["Retry-After"] == "5"
        clients.edge.spool.settle(clients.edge.spool.last_sequence)
        assert (await clients.track(body)).status_code == 204


async def test_a_robot_first_and_a_person_after_are_both_kept(live: TrackClients) -> None:
    body = {"token": live.tokens().track, "event": "click"}
    await live.track(body, **{"User-Agent": ROBOT})
    await live.track(body)
    reasons = [event.reason for event in await events_of(live.edge)]
    assert reasons == [Reason.BOT_USER_AGENT, Reason.OK]


async def test_a_prerendered_page_is_marked(live: TrackClients) -> None:
    body = {"token": live.tokens().track, "event": "impression"}
    await live.track(body, **{"Sec-Purpose": "prefetch;prerender"})
    assert [event.reason for event in await events_of(live.edge)] == [Reason.PREFETCH]


def _other_property() -> tuple[Property, Key]:
    return OTHER_PROPERTY, a_key(property_id=OTHER_PROPERTY.id)[1]
