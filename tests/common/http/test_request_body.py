"""Bodies in pieces and encoded, as clients that stream send them; and their bounds, also after decoding."""

import gzip
import zlib
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import pytest
import pytest_asyncio
from sanic import Request, Sanic

from common.http.app import bare_app
from common.http.connections import Connections
from common.http.request_body import MAX_MEMBERS, MAX_READS
from common.http.responses import json_response
from tests.support.raw_http import connection, exchange, get, listening, read_answer
from tests.support.waiting import until

LIMIT = 1000
FITS = bytes(index % 251 for index in range(LIMIT))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def running() -> AsyncIterator[tuple[int, Sanic[Any, Any]]]:
    app = bare_app("bodies", max_body_bytes=LIMIT)

    async def echo(request: Request) -> Any:
        return json_response({"body": request.body.hex()})

    app.add_route(echo, "/echo", methods=["POST"])
    app.add_route(echo, "/large", methods=["POST"], name="large", ctx_body_bytes=500_000)
    app.add_route(echo, "/get", methods=["GET"], name="get")
    async with listening(app) as listener:
        yield listener.port, app


@pytest.fixture
def port(running: tuple[int, Sanic[Any, Any]]) -> int:
    return running[0]


def plain(body: bytes, *headers: str, path: str = "/echo") -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: test", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def chunked(pieces: Iterable[bytes], *headers: str, path: str = "/echo") -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: test", "Transfer-Encoding: chunked", *headers]
    body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces if piece)
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body + b"0\r\n\r\n"


def raw_deflate(body: bytes) -> bytes:
    encoder = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return encoder.compress(body) + encoder.flush()


ENCODED = {
    "gzip": ("gzip", gzip.compress(FITS)),
    "x-gzip": ("X-GZIP", gzip.compress(FITS)),
    "gzip of two members": ("gzip", gzip.compress(FITS[:400]) + gzip.compress(FITS[400:])),
    "deflate": ("deflate", zlib.compress(FITS)),
    "deflate without zlib's head": ("deflate", raw_deflate(FITS)),
    "identity": ("identity", FITS),
}


@pytest.mark.parametrize("name", ENCODED)
@pytest.mark.parametrize("step", [1, 7, 10**6])
async def test_an_encoded_body_is_decoded_however_it_is_cut(
    port: int, name: str, step: int
) -> None:
    encoding, body = ENCODED[name]
    text = f"Content-Encoding: {encoding}"
    pieces = [body[at : at + step] for at in range(0, len(body), step)]
    async with connection(port) as (reader, writer):
        for request in (plain(body, text, path="/large"), chunked(pieces, text, path="/large")):
            writer.write(request)
            answer = await read_answer(reader)
            assert bytes.fromhex(answer.json["body"]) == FITS


@pytest.mark.parametrize("send", [plain, lambda body, *headers: chunked([body], *headers)])
@pytest.mark.parametrize(
    ("encode", "headers"),
    [
        (bytes, ()),
        (gzip.compress, ("Content-Encoding: gzip",)),
        (zlib.compress, ("Content-Encoding: deflate",)),
    ],
)
async def test_the_largest_body_is_taken_and_one_byte_more_is_not(
    port: int,
    send: Callable[..., bytes],
    encode: Callable[[bytes], bytes],
    headers: tuple[str, ...],
) -> None:
    answers = []
    for body in (b"x" * LIMIT, b"x" * (LIMIT + 1)):
        answers += await exchange(port, send(encode(body), *headers, "Connection: close"))
    assert [answer.status for answer in answers] == [200, 413]
    assert answers[1].code == "payload_too_large"
    assert f"{LIMIT:,} bytes" in answers[1].json["error"]["message"]


@pytest.mark.parametrize("path", ["/echo", "/large"])
async def test_a_small_body_that_decodes_into_a_huge_one_is_cut(port: int, path: str) -> None:
    """Sent without its end: what is beyond the limit is not waited for."""
    bomb = gzip.compress(bytes(100_000_000))[:-20_000]
    head = f"POST {path} HTTP/1.1\r\nHost: test\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    answers = await exchange(port, head.encode() + b"%x\r\n" % len(bomb) + bomb[:900])
    assert [(a.status, a.code) for a in answers] == [(413, "payload_too_large")]


@pytest.mark.parametrize(
    "encoding", ["br", "zstd", "gzip, gzip", "compress", "gzip\r\nContent-Encoding: gzip"]
)
async def test_an_unsupported_encoding_is_named_with_the_supported_ones(
    port: int, encoding: str
) -> None:
    (answer,) = await exchange(port, plain(b"{}", f"Content-Encoding: {encoding}"))
    assert (answer.status, answer.code) == (415, "unsupported_media_type")
    assert answer.headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize("body", [b"{}", gzip.compress(FITS)[:-1], zlib.compress(FITS)[:-1], b"x"])
async def test_a_body_that_does_not_match_its_encoding_is_refused(
    port: int, encoding: str, body: bytes
) -> None:
    (answer,) = await exchange(port, plain(body, f"Content-Encoding: {encoding}"))
    assert (answer.status, answer.code) == (400, "bad_request")


@pytest.mark.parametrize(("members", "status"), [(MAX_MEMBERS, 200), (MAX_MEMBERS + 1, 400)])
async def test_a_gzip_body_of_very_many_members_is_refused(
    port: int, members: int, status: int
) -> None:
    body = gzip.compress(b"") * members
    (answer,) = await exchange(
        port, plain(body, "Content-Encoding: gzip", "Connection: close", path="/large")
    )
    assert answer.status == status


async def test_a_body_of_very_many_chunks_is_refused(port: int) -> None:
    body = chunked([b"x"] * (MAX_READS + 1), path="/large")
    answers = await exchange(port, body + get("/get"))
    assert [(a.status, a.code) for a in answers] == [(400, "bad_request")]


async def test_a_too_large_body_is_refused_before_100_continue(port: int) -> None:
    head = plain(b"", "Expect: 100-continue").replace(b"Content-Length: 0", b"Content-Length: 1001")
    answers = await exchange(port, head)
    assert [(a.status, a.code) for a in answers] == [(413, "payload_too_large")]


async def test_behind_a_proxy_buffered_bytes_count_for_the_forwarded_address() -> None:
    app = bare_app("held-behind-a-proxy", max_body_bytes=LIMIT)
    counted: Connections = app.config.CONNECTIONS
    counted.max_held_bytes_per_address, counted.proxies_count = LIMIT, 1

    async def nothing(_: Request) -> Any:
        return json_response({})

    app.add_route(nothing, "/", methods=["POST"])

    def sent(address: str, body: bytes) -> bytes:
        return plain(FITS, f"X-Forwarded-For: {address}", "Connection: close", path="/").replace(
            FITS, body
        )

    async with listening(app) as listener:
        async with connection(listener.port) as (_, writer):
            writer.write(sent("192.0.2.1", FITS[:800]))

            async def held() -> bool:
                return counted.held_bytes == 800

            await until(held)
            (refused,) = await exchange(listener.port, sent("192.0.2.1", FITS))
            assert (refused.status, refused.code) == (429, "rate_limited")
            (other,) = await exchange(listener.port, sent("192.0.2.2", FITS))
            assert other.status == 200

        async def released() -> bool:
            return counted.held_bytes == 0

        await until(released)
        (later,) = await exchange(listener.port, sent("192.0.2.1", FITS))
        assert later.status == 200


async def test_buffered_body_bytes_are_bounded_and_released() -> None:
    app = bare_app("held", max_body_bytes=LIMIT)
    counted: Connections = app.config.CONNECTIONS
    counted.max_held_bytes_per_address, counted.max_held_bytes = 900, 1500

    async def nothing(_: Request) -> Any:
        return json_response({})

    app.add_route(nothing, "/", methods=["POST", "GET"])
    head = b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n"
    async with listening(app) as listener:
        (refused,) = await exchange(listener.port, head + b"x" * 901)
        assert (refused.status, refused.code) == (429, "rate_limited")
        counted.max_held_bytes_per_address = LIMIT

        async with connection(listener.port) as (_, writer):
            writer.write(head + b"x" * 800)

            async def held() -> bool:
                return counted.held_bytes == 800

            await until(held)
            counted.max_held_bytes_per_address = 2 * LIMIT
            (refused,) = await exchange(listener.port, head + b"x" * 701)
            assert (refused.status, refused.code) == (503, "unavailable")

        async def released() -> bool:
            return counted.held_bytes == 0

        await until(released)
        assert (await exchange(listener.port, get("/")))[0].status == 200
