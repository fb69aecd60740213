"""``POST /v1/conversions``: sent by a server, stored before it is answered, one record a conversion."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from common.privacy.person import hash_person
from common.snapshot.model import RateLimits
from common.values.clock import from_ms, to_iso
from common.values.enums import ConversionChannel, PropertyStatus, Reason
from common.values.environment import Environment
from common.values.ids import is_uuid
from common.values.keys import KeyKind
from tests.edge.tracking.track_clients import (
    CLICK_ID,
    TrackClients,
    open_track_clients,
    send_conversion,
    stored_conversions,
)
from tests.support.builders import NOW_MS, PROPERTY_ID, a_key, a_property
from tests.support.spools import fill_up

ORDER = {"click_id": CLICK_ID, "event_name": "purchase", "order_id": "A-1"}
DAY_MS = 86_400_000


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[TrackClients]:
    async with open_track_clients(tmp_path) as clients:
        yield clients


def read_all(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def ago(ms: int) -> str:
    return to_iso(from_ms(NOW_MS - ms))


async def test_a_conversion_is_kept_before_it_is_answered(live: TrackClients) -> None:
    body = ORDER | {"value_cents": 4990, "currency": "usd", "occurred_at": ago(5_000)}
    response = await send_conversion(live, body)
    (record,) = await stored_conversions(live.edge)
    assert (response.status_code, response.json()) == (
        202,
        {"conversion_id": str(record.conversion_id)},
    )
    assert (record.door, str(record.click_id), record.person) == (
        ConversionChannel.SECRET_KEY,
        CLICK_ID,
        None,
    )
    assert (record.event_name, record.value_cents, record.currency, record.order_id) == (
        "purchase",
        4990,
        "USD",
        "A-1",
    )
    assert (record.at_ms, record.occurred_ms) == (NOW_MS, NOW_MS - 5_000)
    assert (str(record.property_id), record.is_test, record.reason) == (
        PROPERTY_ID,
        False,
        Reason.OK,
    )


async def test_a_uid_is_kept_as_a_person_only(live: TrackClients, tmp_path: Path) -> None:
    response = await send_conversion(live, {"uid": "reader-4711", "event_name": "lead"})
    (record,) = await stored_conversions(live.edge)
    assert response.status_code == 202
    assert record.person == hash_person(bytes(32), PROPERTY_ID, "reader-4711").hex()
    assert record.click_id is None
    files = read_all(tmp_path)
    assert any(b"lead" in raw for raw in files)
    assert not any(b"reader-4711" in raw for raw in files)


async def test_a_secret_key_in_the_url_is_refused_with_a_warning(
    live: TrackClients,
) -> None:
    refused = await live.http.post("/v1/conversions", params={"key": live.secret}, json=ORDER)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_key")
    assert "in a URL: it is in logs" in refused.json()["error"]["message"]
    assert await stored_conversions(live.edge) == []


async def test_without_occurred_at_it_happened_now(live: TrackClients) -> None:
    await send_conversion(live, ORDER)
    (record,) = await stored_conversions(live.edge)
    assert record.occurred_ms == NOW_MS


async def test_a_value_without_a_currency_is_in_the_propertys_currency(live: TrackClients) -> None:
    await send_conversion(live, ORDER | {"value_cents": 100})
    assert [record.currency for record in await stored_conversions(live.edge)] == ["EUR"]


async def test_the_same_order_is_the_same_conversion(live: TrackClients) -> None:
    first = await send_conversion(live, ORDER)
    again = await send_conversion(live, ORDER | {"value_cents": 1})
    other = await send_conversion(live, ORDER | {"order_id": "A-2"})
    assert first.json() == again.json() != other.json()


async def test_without_an_order_each_call_is_another_conversion(live: TrackClients) -> None:
    body = {"click_id": CLICK_ID, "event_name": "lead"}
    ids = [(await send_conversion(live, body)).json()["conversion_id"] for _ in range(2)]
    assert len(set(ids)) == 2
    assert all(is_uuid(one) for one in ids)


@pytest.mark.parametrize("whose", [{"click_id": CLICK_ID}, {"uid": "a"}])
async def test_the_id_of_an_event_is_derived_even_if_each_call_has_its_own(
    live: TrackClients, whose: dict[str, str]
) -> None:
    answer = await send_conversion(live, whose | {"event_name": "lead"})
    conversion_id = UUID(answer.json()["conversion_id"])
    began_ms = NOW_MS if "uid" in whose else UUID(CLICK_ID).int >> 80
    assert (conversion_id.version, conversion_id.int >> 80) == (8, began_ms)


@pytest.mark.parametrize("fraction", ["", ".1", ".123456789"])
async def test_occurred_at_takes_every_form_of_rfc_3339(live: TrackClients, fraction: str) -> None:
    at = ago(60_000).replace(".000", "").removesuffix("Z")
    answer = await send_conversion(live, ORDER | {"occurred_at": f"{at.lower()}{fraction}z"})
    assert answer.status_code == 202


async def test_an_idempotency_key_makes_a_retry_the_same_conversion(live: TrackClients) -> None:
    body = {"uid": "a", "event_name": "lead"}
    first = await send_conversion(live, body, Idempotency_Key="k-1")
    again = await send_conversion(live, body, Idempotency_Key="k-1")
    other = await send_conversion(live, body, Idempotency_Key="k-2")
    assert first.json() == again.json() != other.json()
    reported = [one.headers.get("idempotent-replayed") for one in (first, again, other)]
    assert reported == [None, "true", None]


async def test_a_key_with_another_body_is_refused_and_keeps_nothing(live: TrackClients) -> None:
    body = {"click_id": CLICK_ID, "event_name": "signup", "value_cents": 100}
    first = await send_conversion(live, body, Idempotency_Key="k-1")
    reused = await send_conversion(live, body | {"value_cents": 200}, Idempotency_Key="k-1")
    spaced = await send_conversion(live, json.dumps(body, indent=2).encode(), Idempotency_Key="k-1")
    assert (reused.status_code, reused.json()["error"]["code"]) == (422, "idempotency_key_reused")
    assert spaced.json() == first.json()
    assert {record.value_cents for record in await stored_conversions(live.edge)} == {100}


async def test_the_same_order_id_of_two_people_is_two_conversions(live: TrackClients) -> None:
    """Which of them the order counts for is decided where both can be seen."""
    by_click = await send_conversion(live, ORDER)
    by_uid = await send_conversion(live, {"uid": "a", "event_name": "purchase", "order_id": "A-1"})
    assert by_click.json() != by_uid.json()


async def test_capitals_in_a_click_id_do_not_matter(live: TrackClients) -> None:
    first = await send_conversion(live, ORDER)
    assert (
        await send_conversion(live, ORDER | {"click_id": CLICK_ID.upper()})
    ).json() == first.json()


async def test_test_conversions_are_the_test_edges(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as trial:
        await send_conversion(trial, ORDER)
        (record,) = await stored_conversions(trial.edge)
        assert (record.is_test, record.reason) == (True, Reason.OK_TEST)


async def test_every_error_is_reported_at_once_and_nothing_is_stored(live: TrackClients) -> None:
    body = {
        "click_id": "x",
        "uid": "",
        "event_name": "a b",
        "value_cents": 1.5,
        "currency": "EURO",
        "order_id": "o" * 129,
        "occurred_at": "yesterday",
        "name": "Anna",
    }
    response = await send_conversion(live, body, Idempotency_Key="a b")
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (422, "validation_failed")
    assert [detail["param"] for detail in error["details"]] == [
        "name",
        "click_id",
        "uid",
        "uid",
        "event_name",
        "value_cents",
        "currency",
        "order_id",
        "occurred_at",
        "Idempotency-Key",
    ]
    assert await stored_conversions(live.edge) == []


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"click_id": None}, "click_id"),
        ({"uid": "a"}, "uid"),
        ({"event_name": None}, "event_name"),
        ({"event_name": ""}, "event_name"),
        ({"event_name": "e" * 65}, "event_name"),
        ({"event_name": 7}, "event_name"),
        ({"value_cents": -1}, "value_cents"),
        ({"value_cents": True}, "value_cents"),
        ({"value_cents": "1"}, "value_cents"),
        ({"currency": "EUR"}, "currency"),
        ({"value_cents": 1, "currency": "ZZZ"}, "currency"),
        ({"value_cents": 1, "currency": "XXX"}, "currency"),
        ({"value_cents": 1, "currency": ["EUR"]}, "currency"),
        ({"order_id": ""}, "order_id"),
        ({"order_id": "a\0b"}, "order_id"),
        ({"occurred_at": "2027-01-15"}, "occurred_at"),
        ({"occurred_at": "2027-01-15T08:00:00"}, "occurred_at"),
        ({"occurred_at": 1_800_000_000}, "occurred_at"),
        ({"occurred_at": "9999-12-31T23:59:59-23:59"}, "occurred_at"),
        ({"occurred_at": ago(-31_000)}, "occurred_at"),
        ({"occurred_at": ago(90 * DAY_MS + 1)}, "occurred_at"),
    ],
)
async def test_a_fault_is_named_by_its_field(
    live: TrackClients, changes: dict[str, Any], param: str
) -> None:
    response = await send_conversion(live, ORDER | changes)
    error = response.json()["error"]
    assert (response.status_code, error["param"]) == (422, param)
    assert await stored_conversions(live.edge) == []


@pytest.mark.parametrize("ms", [-30_000, 0, 90 * DAY_MS])
async def test_occurred_at_reaches_ninety_days_back_and_a_clocks_error_ahead(
    live: TrackClients, ms: int
) -> None:
    assert (await send_conversion(live, ORDER | {"occurred_at": ago(ms)})).status_code == 202


@pytest.mark.parametrize("raw", [b"", b"{", b"click_id=x"])
async def test_invalid_json_is_400(live: TrackClients, raw: bytes) -> None:
    response = await send_conversion(live, raw)
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_json")


@pytest.mark.parametrize("raw", [b"[]", b"1", b'"x"', b"null"])
async def test_json_that_is_not_an_object_is_422(live: TrackClients, raw: bytes) -> None:
    assert (await send_conversion(live, raw)).status_code == 422


async def test_a_body_beyond_the_edges_limit_is_413(live: TrackClients) -> None:
    response = await send_conversion(live, b" " * 16_385)
    assert (response.status_code, response.json()["error"]["code"]) == (413, "payload_too_large")


async def test_keys_of_another_kind_are_refused_with_the_right_one(live: TrackClients) -> None:
    integration = a_key(KeyKind.INTEGRATION, Environment.LIVE)[0].text
    answers = [
        await send_conversion(live, ORDER, key=live.publishable),
        await send_conversion(live, ORDER, key=integration),
        await live.http.post("/v1/conversions", json=ORDER, headers={"X-Service-Key": live.secret}),
        await live.http.post(f"/v1/conversions?key={live.publishable}", json=ORDER),
    ]
    for answer in answers:
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (401, "invalid_key")
        assert "secret key (sk_…)" in error["message"]
        assert live.publishable not in error["message"]
    assert await stored_conversions(live.edge) == []


async def test_without_a_key_the_code_is_missing_key(live: TrackClients) -> None:
    response = await live.http.post("/v1/conversions", content=b"{")
    assert (response.status_code, response.json()["error"]["code"]) == (401, "missing_key")


async def test_the_endpoint_checks_in_the_order_of_the_contract(tmp_path: Path) -> None:
    unverified = a_property(status=PropertyStatus.UNVERIFIED)
    foreign = a_key(KeyKind.SECRET, Environment.TEST)[0].text
    async with open_track_clients(tmp_path, unverified) as clients:
        answers = [
            await send_conversion(clients, b"{", key="sk_live_no"),
            await send_conversion(clients, b"{", key=foreign),
            await send_conversion(clients, b"{"),
        ]
        assert [(one.status_code, one.json()["error"]["code"]) for one in answers] == [
            (401, "invalid_key"),
            (403, "wrong_environment"),
            (403, "property_unverified"),
        ]


async def test_a_secret_key_has_ten_times_the_track_rate(tmp_path: Path) -> None:
    slow = a_property(rate_limits=RateLimits(10, 10, 1, 1))
    async with open_track_clients(tmp_path, slow) as clients:
        codes = [(await send_conversion(clients, ORDER)).status_code for _ in range(31)]
        assert codes == [202] * 30 + [429]


async def test_a_full_spool_is_503_and_the_call_may_be_repeated(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, spool_max_bytes=150_000) as clients:
        await fill_up(clients.edge.spool)
        response = await send_conversion(clients, ORDER)
        assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
        clients.edge.spool.settle(clients.edge.spool.last_sequence)
        assert (await send_conversion(clients, ORDER)).status_code == 202
