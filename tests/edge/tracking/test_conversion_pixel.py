"""``GET /v1/conversions/{click_id}.gif``: an image on a page of the advertiser's reports a conversion."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from common.service.secrets import KeyRing, edge_key_file, parse_key_file
from common.tracking.event import ConversionRecord
from common.values.clock import from_ms
from common.values.enums import ConversionChannel, Reason
from common.values.environment import Environment
from edge.endpoints.conversion_pixel import PIXELS_PER_IP_S, UNSIGNED_PER_IP_S
from edge.endpoints.impression import GIF
from edge.state.click_ids import ClickIds
from tests.edge.tracking.track_clients import (
    CLICK_ID,
    PREFETCHES,
    ROBOT,
    TrackClients,
    open_track_clients,
    send_conversion,
    stored_conversions,
)
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.memory_tokens import MemoryTokenStore
from tests.support.spools import fill_up

SIGNED = ClickIds(KEY_RING, Environment.LIVE).sign(UUID(CLICK_ID))
PIXEL = f"/v1/conversions/{SIGNED}.gif"
UNSIGNED = f"/v1/conversions/{CLICK_ID}.gif"
DAY_MS = 86_400_000


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[TrackClients]:
    async with open_track_clients(tmp_path) as clients:
        yield clients


async def only(clients: TrackClients) -> ConversionRecord:
    (record,) = await stored_conversions(clients.edge)
    return record


async def test_the_pixel_is_an_image_that_is_not_cached(live: TrackClients) -> None:
    response = await live.get(PIXEL)
    assert (response.status_code, response.content, len(GIF)) == (200, GIF, 43)
    assert response.headers["Content-Type"] == "image/gif"
    assert response.headers["Cache-Control"].startswith("no-store")


async def test_a_pixel_without_parameters_records_a_conversion_of_its_click(
    live: TrackClients,
) -> None:
    await live.get(PIXEL)
    record = await only(live)
    assert (record.door, str(record.click_id)) == (ConversionChannel.PIXEL, CLICK_ID)
    assert (record.property_id, record.person) == (None, None)
    assert (record.event_name, record.value_cents, record.order_id) == ("conversion", None, None)
    assert record.reason is Reason.OK


async def test_the_query_of_a_pixel_holds_the_value_of_the_conversion(live: TrackClients) -> None:
    await live.get(
        f"{PIXEL}?event_name=purchase&value_cents=4990&currency=EUR&order_id=A%201&utm=x"
    )
    record = await only(live)
    assert (record.event_name, record.value_cents, record.currency, record.order_id) == (
        "purchase",
        4990,
        "EUR",
        "A 1",
    )


async def test_empty_parameters_are_left_out(live: TrackClients) -> None:
    await live.get(f"{PIXEL}?event_name=&value_cents=&currency=&order_id=")
    record = await only(live)
    assert (record.event_name, record.value_cents, record.order_id) == ("conversion", None, None)


async def test_a_page_loaded_again_is_the_same_conversion(live: TrackClients) -> None:
    for query in ("", "", "?event_name=lead", "?order_id=1", "?order_id=1", "?order_id=2"):
        await live.get(PIXEL + query)
    ids = [record.conversion_id for record in await stored_conversions(live.edge)]
    assert [ids.index(one) for one in ids] == [0, 0, 2, 3, 3, 5]


async def test_a_robots_conversion_is_invalid_and_does_not_claim_the_order(
    live: TrackClients,
) -> None:
    await live.get(PIXEL, **{"User-Agent": ROBOT})
    await live.get(PIXEL)
    robot, reader = await stored_conversions(live.edge)
    assert (robot.reason, reader.reason) == (Reason.BOT_USER_AGENT, Reason.OK)
    assert robot.conversion_id != reader.conversion_id


async def test_the_page_of_a_pixel_is_not_the_publishers(live: TrackClients) -> None:
    await live.get(PIXEL, Origin="https://shop-of-the-advertiser.example")
    assert (await only(live)).reason is Reason.OK


async def test_a_head_gets_the_same_answer_and_records_nothing(live: TrackClients) -> None:
    response = await live.http.head(PIXEL)
    assert (response.status_code, response.headers["Content-Length"]) == (200, "43")
    assert await stored_conversions(live.edge) == []


@pytest.mark.parametrize("headers", PREFETCHES)
async def test_a_prefetch_gets_the_same_answer_and_records_nothing(
    live: TrackClients, headers: dict[str, str]
) -> None:
    assert (await live.get(PIXEL, **headers)).content == GIF
    assert await stored_conversions(live.edge) == []


@pytest.mark.parametrize(
    "text",
    ["x", "%00", "..%2f..", CLICK_ID[:-1], SIGNED + "a", SIGNED[:-1], CLICK_ID + "." + "a" * 16],
)
async def test_a_malformed_click_id_is_404_in_the_envelope(live: TrackClients, text: str) -> None:
    response = await live.get(f"/v1/conversions/{text}.gif")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")
    assert await stored_conversions(live.edge) == []


async def test_every_error_of_the_query_is_reported_at_once(live: TrackClients) -> None:
    response = await live.get(f"{PIXEL}?event_name=a+b&value_cents=1.5&currency=XTS&order_id=%00")
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (422, "validation_failed")
    params = [detail["param"] for detail in error["details"]]
    assert params == ["event_name", "value_cents", "currency", "order_id"]
    assert await stored_conversions(live.edge) == []


async def test_a_query_of_a_thousand_parameters_is_422(live: TrackClients) -> None:
    response = await live.get(f"{PIXEL}?{'&'.join(['a=b'] * 1000)}")
    assert (response.status_code, response.json()["error"]["param"]) == (422, "query")


async def test_an_address_has_a_rate(live: TrackClients) -> None:
    codes = [(await live.http.head(PIXEL)).status_code for _ in range(620)]
    assert codes.count(200) == 3 * PIXELS_PER_IP_S
    limited = await live.get(PIXEL)
    assert (limited.json()["error"]["code"], "Retry-After" in limited.headers) == (
        "rate_limited",
        True,
    )


async def test_with_a_full_spool_the_pixel_is_still_an_image(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, spool_max_bytes=150_000) as clients:
        await fill_up(clients.edge.spool)
        assert (await clients.get(PIXEL)).content == GIF
        assert clients.edge.redemptions.counts.lost_spool_full == 1
        clients.edge.spool.settle(clients.edge.spool.last_sequence)


async def test_a_pixel_and_a_server_report_two_conversions_of_one_order(tmp_path: Path) -> None:
    """Told twice, by both ways; the order counts once where they meet."""
    async with open_track_clients(tmp_path, environment=Environment.TEST) as clients:
        signed = clients.edge.click_ids.sign(UUID(CLICK_ID))
        await clients.get(f"/v1/conversions/{signed}.gif?order_id=A-1")
        await send_conversion(
            clients, {"click_id": CLICK_ID, "event_name": "conversion", "order_id": "A-1"}
        )
        pixel, server = await stored_conversions(clients.edge)
        assert pixel.conversion_id != server.conversion_id
        assert (pixel.order_id, pixel.is_test) == (server.order_id, server.is_test)


def upgraded(clients: TrackClients, *, days_ago: int) -> None:
    since = from_ms(NOW_MS - days_ago * DAY_MS)
    clients.edge.settings = clients.edge.settings.model_copy(update={"clicks_signed_since": since})


async def test_the_landing_page_gets_an_id_that_the_pixel_takes_in_capitals_too(
    live: TrackClients,
) -> None:
    landing = await live.get(f"/v1/click/{live.tokens().click}")
    click_id = landing.headers["Location"].partition("sa_click_id=")[2]
    for text in (click_id, click_id.upper()):
        assert (await live.get(f"/v1/conversions/{text}.gif")).status_code == 200
    assert {record.door for record in await stored_conversions(live.edge)} == {
        ConversionChannel.PIXEL
    }


async def test_for_thirty_days_an_unsigned_id_is_accepted_and_marked_as_unsigned(
    live: TrackClients,
) -> None:
    upgraded(live, days_ago=29)
    assert (await live.get(UNSIGNED)).content == GIF
    assert (await only(live)).door is ConversionChannel.PIXEL_UNSIGNED


@pytest.mark.parametrize("query", ["", "?order_id=A-1"])
async def test_an_unsigned_id_takes_no_conversion_of_the_signed_one(
    live: TrackClients, query: str
) -> None:
    upgraded(live, days_ago=29)
    for click_id in (CLICK_ID, SIGNED, CLICK_ID):
        await live.get(f"/v1/conversions/{click_id}.gif{query}")
    unsigned, signed, again = [
        record.conversion_id for record in await stored_conversions(live.edge)
    ]
    assert unsigned == again != signed


async def test_after_thirty_days_an_unsigned_id_is_404_but_accepted_from_the_server(
    live: TrackClients,
) -> None:
    upgraded(live, days_ago=30)
    assert (await live.get(UNSIGNED)).status_code == 404
    for text in (CLICK_ID, SIGNED):
        assert (
            await send_conversion(live, {"click_id": text, "event_name": "lead"})
        ).status_code == 202
    forged = {"click_id": CLICK_ID + "." + "a" * 16, "event_name": "lead"}
    assert (await send_conversion(live, forged)).status_code == 422
    assert [str(record.click_id) for record in await stored_conversions(live.edge)] == [
        CLICK_ID
    ] * 2


async def test_unsigned_ids_are_limited_per_address(live: TrackClients) -> None:
    upgraded(live, days_ago=1)
    codes = [(await live.http.head(UNSIGNED)).status_code for _ in range(20)]
    assert codes == [200] * (3 * UNSIGNED_PER_IP_S) + [429] * 5
    assert (await live.get(PIXEL)).status_code == 200


async def test_signed_ids_of_unknown_clicks_are_limited_in_total(live: TrackClients) -> None:
    live.edge.settings = live.edge.settings.model_copy(
        update={"conversions_of_unknown_clicks_s": 1, "proxies_count": 1}
    )
    landing = await live.get(f"/v1/click/{live.tokens().click}")
    known = landing.headers["Location"].partition("sa_click_id=")[2]
    made_up = [ClickIds(KEY_RING, Environment.LIVE).sign(uuid4()) for _ in range(4)]
    paths = [f"/v1/conversions/{click_id}.gif" for click_id in made_up]

    answers = [
        await live.get(path, **{"X-Forwarded-For": f"198.51.{number}.1"})
        for number, path in enumerate(paths)
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].json()["error"]["code"] == "rate_limited"
    assert answers[3].headers["Retry-After"] == "1"
    assert (await live.get(f"/v1/conversions/{known}.gif")).status_code == 200
    assert len(await stored_conversions(live.edge)) == 4
    tokens = live.edge.tokens
    assert isinstance(tokens, MemoryTokenStore)
    tokens.is_unavailable = True
    assert (await live.get(f"/v1/conversions/{known}.gif")).status_code == 429


def test_a_tag_survives_a_key_rotation_and_is_valid_in_one_environment() -> None:
    newer = KeyRing("k2", {**KEY_RING.keys, "k2": bytes(32)})
    found = ClickIds(newer, Environment.LIVE).find(SIGNED)
    assert found is not None
    assert (str(found.id), found.is_signed) == (CLICK_ID, True)
    assert ClickIds(newer, Environment.LIVE).sign(UUID(CLICK_ID)) != SIGNED
    of_edges = parse_key_file(edge_key_file(newer))
    assert ClickIds(of_edges, Environment.LIVE).find(SIGNED) == found
    assert ClickIds(KEY_RING, Environment.TEST).find(SIGNED) is None
    assert ClickIds(KeyRing("k2", {"k2": bytes(32)}), Environment.LIVE).find(SIGNED) is None
