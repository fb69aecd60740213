"""How large a body the edge accepts, and that it refuses before reading one."""

import asyncio

import pytest

from common.contract.edge import EDGE_OPERATIONS
from edge.http.app import MAX_BODY_BYTES
from tests.edge.http.hostile import Place, a_place
from tests.support.raw_http import RawAnswer, connection, exchange, read_answer
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


BEGUN = {
    "stated length": f"Content-Length: {LIMIT}\r\n\r\n",
    "chunked": f"Transfer-Encoding: chunked\r\n\r\n{LIMIT:x}\r\n",
    "chunked, after a 100": "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n",
}
"""Requests before the first byte of their body, after the lines that all of them have."""


def begun(path: str, rest: str) -> bytes:
    lines = (f"POST {path} HTTP/1.1", "Host: edge", "Authorization: Bearer sk_live_none", rest)
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("rest", BEGUN)
@pytest.mark.parametrize("path", [one.path for one in EDGE_OPERATIONS if one.body is not None])
async def test_a_key_is_checked_before_the_body_arrives(path: str, rest: str) -> None:
    async with a_place() as place, connection(place.port) as (reader, writer):
        writer.write(begun(path, BEGUN[rest]))
        async with asyncio.timeout(PATIENCE_S):
            answer = await read_answer(reader)
        refusals = dict(place.edge.context.metrics.refusals)
    assert (answer.status, answer.code) == (401, "invalid_key")
    assert refusals == {"invalid_key": 1}


async def test_the_chunks_of_a_refused_client_are_not_read_to_their_end() -> None:
    chunk = b"4000\r\n" + b" " * LIMIT + b"\r\n"
    request = begun("/v1/email/prepare", "Transfer-Encoding: chunked\r\n\r\n")
    async with a_place() as place:
        found = await answers(request + chunk * 2 + b"0\r\n\r\n" + place.serve(), place)
        decided = sum(place.edge.counted().values())
    assert [(one.status, one.headers["connection"]) for one in found] == [(401, "close")]
    assert decided == 0


@pytest.mark.parametrize("head", ["x\r\n", "-1\r\n", "5;name=value\r\n"])
async def test_a_malformed_chunk_is_reported_before_its_key(head: str) -> None:
    async with a_place() as place:
        request = begun("/v1/email/prepare", f"Transfer-Encoding: chunked\r\n\r\n{head}")
        (answer,) = await answers(request + b"hello\r\n0\r\n\r\n", place)
    assert (answer.status, answer.code) == (400, "bad_request")


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
