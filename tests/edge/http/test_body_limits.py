"""How large a body the edge accepts, and that it refuses before reading one."""

import asyncio

import pytest

from edge.http.app import MAX_BODY_BYTES
from tests.edge.http.hostile import Place, a_place
from tests.support.raw_http import RawAnswer, connection, exchange
from tests.support.waiting import PATIENCE_S

LIMIT = 16_384


def post(place: Place, length: int, body: bytes, *headers: str) -> bytes:
    lines = (
        "POST /v1/track HTTP/1.1",
        "Host: edge",
        f"X-Service-Key: {place.key}",
        f"Content-Length: {length}",
        *headers,
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


async def answers(raw: bytes, place: Place) -> list[RawAnswer]:
    return await exchange(place.port, raw)


def test_the_limit_is_as_promised() -> None:
    assert MAX_BODY_BYTES == LIMIT


async def test_a_body_of_the_limit_is_read_and_a_byte_more_is_not() -> None:
    async with a_place() as place:
        (read,) = await answers(post(place, LIMIT, b" " * LIMIT, "Connection: close"), place)
        (refused,) = await answers(
            post(place, LIMIT + 1, b" " * (LIMIT + 1)) + place.serve(), place
        )
        decided = sum(place.edge.counted().values())
    assert (read.status, read.code) == (400, "invalid_json")
    assert (refused.status, refused.code) == (413, "payload_too_large")
    assert refused.headers["connection"] == "close"
    assert decided == 0


@pytest.mark.parametrize("path", ["/v1/track", "/v1/track/batch", "/v1/conversions"])
async def test_a_key_is_checked_before_the_body_arrives(path: str) -> None:
    lines = (
        f"POST {path} HTTP/1.1",
        "Host: edge",
        f"Content-Length: {LIMIT}",
        "Authorization: Bearer sk_live_none",
    )
    async with a_place() as place, connection(place.port) as (reader, writer):
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        async with asyncio.timeout(PATIENCE_S):
            first = await reader.readline()
        refusals = dict(place.edge.context.metrics.refusals)
    assert first.split()[1] == b"401"
    assert refusals == {"invalid_key": 1}


@pytest.mark.parametrize("headers", [(), ("Expect: 100-continue",)])
async def test_a_body_announced_as_too_large_is_refused_without_reading_it(
    headers: tuple[str, ...],
) -> None:
    async with a_place() as place:
        (refused,) = await answers(post(place, 10**9, b"", *headers), place)
    assert (refused.status, refused.code) == (413, "payload_too_large")


@pytest.mark.parametrize("path", ["/v1/serve?slot=top", "/v1/features", "/livez", "/nowhere"])
async def test_an_unexpected_body_is_bounded_too(path: str) -> None:
    async with a_place() as place:
        head = f"GET {path} HTTP/1.1\r\nHost: edge\r\nContent-Length: {LIMIT + 1}\r\n\r\n".encode()
        found = await answers(head + b" " * (LIMIT + 1) + place.serve(), place)
        decided = sum(place.edge.counted().values())
    assert found[-1].headers["connection"] == "close"
    assert len(found) == 1
    assert decided == 0
