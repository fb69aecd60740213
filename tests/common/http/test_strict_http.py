"""Shapes that another server would read differently are answered 400, and nothing after them runs."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from sanic import Request, Sanic

from common.http.app import bare_app
from common.http.responses import json_response
from tests.support.raw_http import (
    ask,
    connection,
    exchange,
    get,
    listening,
)
from tests.support.smuggling import SMUGGLING
from tests.support.waiting import PATIENCE_S

HIDDEN = b"GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n"


@dataclass
class Server:
    port: int
    app: Sanic[Any, Any]
    paths: list[str] = field(default_factory=list)
    """Of the requests that reached a handler."""


@pytest_asyncio.fixture(scope="module")
async def running() -> AsyncIterator[Server]:
    app = bare_app("strict", max_body_bytes=1024)
    server = Server(0, app)

    async def echo(request: Request) -> Any:
        server.paths.append(request.path)
        return json_response({"path": request.path, "body": request.body.decode("latin-1")})

    async def fail(_: Request) -> Any:
        raise RuntimeError("the secret inside")

    app.add_route(echo, "/echo", methods=["GET", "POST"])
    app.add_route(echo, "/smuggled", methods=["GET"], name="smuggled")
    app.add_route(fail, "/fail", methods=["GET"])
    async with listening(app) as listener:
        server.port = listener.port
        yield server


@pytest.fixture
def server(running: Server) -> Server:
    running.paths.clear()
    return running


@pytest.mark.parametrize("shape", SMUGGLING.values(), ids=SMUGGLING.keys())
async def test_an_ambiguous_request_is_refused_and_nothing_after_it_runs(
    server: Server, shape: bytes
) -> None:
    answers = await exchange(server.port, shape + HIDDEN)
    assert [(a.status, a.code) for a in answers] == [(400, "bad_request")]
    assert answers[0].headers["connection"] == "close"
    assert "/smuggled" not in server.paths


@pytest.mark.parametrize("value", ["Évora".encode(), b"\xe9vora", b"S\xc3\xa3o Paulo", b""])
async def test_an_unknown_header_may_hold_any_bytes(server: Server, value: bytes) -> None:
    head = b"GET /echo HTTP/1.1\r\nHost: test\r\nConnection: close\r\nX-City: " + value
    assert [answer.status for answer in await exchange(server.port, head + b"\r\n\r\n")] == [200]


async def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    body = b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc"
    answers = await exchange(server.port, body + body + get("/smuggled"))
    assert [a.status for a in answers] == [200, 200, 200]
    assert server.paths == ["/echo", "/echo", "/smuggled"]


async def test_a_chunked_body_is_read_where_it_is_allowed(server: Server) -> None:
    answer = await ask(
        server.port,
        b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        b"3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
    )
    assert answer.json["body"] == "abc0123456789"


async def test_a_request_split_at_every_byte_is_understood(server: Server) -> None:
    raw = b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
    answers = await exchange(server.port, *(raw[i : i + 1] for i in range(len(raw))))
    assert answers[0].json["body"] == "abc"


async def test_http_1_0_without_host_is_answered(server: Server) -> None:
    answer = await ask(server.port, b"GET /echo HTTP/1.0\r\n\r\n")
    assert answer.status == 200


async def test_http_1_0_is_kept_alive_only_on_request(server: Server) -> None:
    kept = b"GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    answers = await exchange(server.port, kept + b"GET /echo HTTP/1.0\r\n\r\n" + HIDDEN)
    assert [answer.headers["connection"] for answer in answers] == ["keep-alive", "close"]
    assert server.paths == ["/echo", "/echo"]


async def test_what_follows_a_request_to_close_is_not_read(server: Server) -> None:
    answers = await exchange(server.port, get("/echo") + HIDDEN)
    assert [answer.status for answer in answers] == [200]
    assert server.paths == ["/echo"]


async def test_options_with_an_asterisk_addresses_the_server(server: Server) -> None:
    answer = await ask(server.port, get("*", method="OPTIONS"))
    assert (answer.status, answer.code) == (404, "not_found")


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://test/echo", 200),
        ("HTTPS://TEST/echo?a=1", 200),
        ("http://test?a=1", 404),
        ("http://test", 404),
        ("http://other/echo", 400),
        ("http:///echo", 400),
        ("ftp://test/echo", 400),
        ("http://user@test/echo", 400),
    ],
)
async def test_a_target_may_be_an_absolute_url(server: Server, target: str, status: int) -> None:
    answer = await ask(server.port, get(target))
    assert answer.status == status
    assert server.paths == (["/echo"] if status == 200 else [])


async def test_the_path_of_an_absolute_url_is_routed(server: Server) -> None:
    body = b"POST http://test/echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc"
    answers = await exchange(server.port, body + body + get("/smuggled"))
    assert [(a.status, a.json["body"]) for a in answers] == [(200, "abc"), (200, "abc"), (200, "")]


async def test_an_unknown_path_is_an_envelope(server: Server) -> None:
    answer = await ask(server.port, get("/nothing?key=pk_live_abc"))
    assert (answer.status, answer.code) == (404, "not_found")
    assert answer.headers["content-type"] == "application/json"
    assert b"pk_live" not in answer.body


async def test_a_wrong_method_lists_the_allowed_methods(server: Server) -> None:
    answer = await ask(server.port, get("/echo", method="DELETE"))
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert {m.strip() for m in answer.headers["allow"].split(",")} >= {"GET", "POST"}


async def test_an_unknown_method_is_an_envelope(server: Server) -> None:
    answer = await ask(server.port, get("/echo", method="BREW"))
    assert (answer.status, answer.code) == (405, "method_not_allowed")


async def test_a_body_over_the_limit_is_refused(server: Server) -> None:
    head = b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 1025\r\n\r\n"
    answers = await exchange(server.port, head + b"x" * 1025 + HIDDEN)
    assert [(a.status, a.code) for a in answers] == [(413, "payload_too_large")]
    assert server.paths == []


async def test_a_body_far_over_the_limit_is_refused_before_it_is_read(server: Server) -> None:
    head = b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 999999999999\r\n\r\n"
    answers = await exchange(server.port, head)
    assert [(a.status, a.code) for a in answers] == [(413, "payload_too_large")]


async def test_headers_over_the_limit_are_refused(server: Server) -> None:
    answer = await ask(server.port, get("/echo", "X-Long: " + "a" * 17_000))
    assert (answer.status, answer.code) == (431, "headers_too_large")


@pytest.mark.parametrize("end", [b" HTTP/1.1\r\nHost: test\r\n\r\n", b""])
async def test_an_address_over_the_limit_is_refused(server: Server, end: bytes) -> None:
    (answer,) = await exchange(server.port, b"GET /echo?" + b"a" * 17_000 + end)
    assert (answer.status, answer.code) == (414, "uri_too_long")


async def test_an_endless_head_is_refused(server: Server) -> None:
    answers = await exchange(server.port, b"GET /echo HTTP/1.1\r\nX-Long: " + b"a" * 20_000)
    assert [(a.status, a.code) for a in answers] == [(431, "headers_too_large")]


async def test_an_internal_error_shows_a_request_id_and_no_traceback(server: Server) -> None:
    answer = await ask(server.port, get("/fail", "X-Request-Id: my-own"))
    assert (answer.status, answer.code) == (500, "internal")
    assert answer.json["error"]["request_id"] == "my-own"
    assert b"secret inside" not in answer.body


async def test_a_request_id_is_echoed(server: Server) -> None:
    answer = await ask(server.port, get("/echo", "X-Request-Id: abc-123"))
    assert answer.headers["x-request-id"] == "abc-123"


@pytest.mark.parametrize("given", ["", "a" * 129, "with space"])
async def test_an_unfit_request_id_is_replaced(server: Server, given: str) -> None:
    answer = await ask(server.port, get("/echo", f"X-Request-Id: {given}"))
    assert answer.headers["x-request-id"] not in ("", given)


async def test_garbage_too_is_answered_with_a_request_id(server: Server) -> None:
    (answer,) = await exchange(server.port, b"\x00\xff\r\n\r\n")
    assert answer.headers["x-request-id"] == answer.json["error"]["request_id"]


async def test_an_upgrade_is_ignored(server: Server) -> None:
    answer = await ask(server.port, get("/echo", "Upgrade: websocket", "Sec-WebSocket-Version: 13"))
    assert answer.status == 200


async def test_default_headers_are_on_every_answer_and_on_errors() -> None:
    app = bare_app("headers", max_body_bytes=1024, answer_headers={"Timing-Allow-Origin": "*"})
    app.add_route(_nothing, "/", methods=["GET"])
    async with listening(app) as listener:
        missing = await ask(listener.port, get("/nothing"))
        garbage = (await exchange(listener.port, b"garbage\r\n\r\n"))[0]
    assert missing.headers["timing-allow-origin"] == "*"
    assert garbage.headers["timing-allow-origin"] == "*"


async def test_an_answers_own_header_overrides_the_default_one() -> None:
    app = bare_app("override", max_body_bytes=1024, answer_headers={"Timing-Allow-Origin": "*"})

    async def handle(_: Request) -> Any:
        return json_response({}, headers={"timing-allow-origin": "https://one.example"})

    app.add_route(handle, "/", methods=["GET"])
    async with listening(app) as listener:
        answer = await ask(listener.port, get("/"))
    assert answer.headers["timing-allow-origin"] == "https://one.example"


async def test_a_header_cannot_be_injected() -> None:
    app = bare_app("inject", max_body_bytes=1024)

    async def handle(_: Request) -> Any:
        return json_response({}, headers={"Location": "https://a.example\r\nSet-Cookie: x=1"})

    app.add_route(handle, "/", methods=["GET"])
    async with listening(app) as listener:
        answer = await ask(listener.port, get("/"))
    assert "set-cookie" not in answer.headers


async def test_a_stream_is_sent_piece_by_piece() -> None:
    app = bare_app("stream", max_body_bytes=1024)

    async def handle(request: Request) -> None:
        response = await request.respond(content_type="text/plain")
        await response.send("one")
        await response.send("two")
        await response.eof()

    app.add_route(handle, "/", methods=["GET"])
    async with listening(app) as listener, connection(listener.port) as (reader, writer):
        writer.write(get("/"))
        raw = await reader.read()
    assert raw.endswith(b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    assert b"x-request-id" in raw.lower()


async def test_a_client_that_expects_100_continue_receives_it(server: Server) -> None:
    head = b"POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    async with connection(server.port) as (reader, writer), asyncio.timeout(PATIENCE_S):
        writer.write(head)
        assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
        writer.write(b"abc")
        assert (await reader.read()).endswith(b'"body":"abc"}')


async def test_an_unknown_expectation_is_refused(server: Server) -> None:
    request = b"POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: magic\r\n\r\nabc"
    (answer,) = await exchange(server.port, request)
    assert (answer.status, answer.code) == (400, "bad_request")


async def _nothing(_: Request) -> Any:
    return json_response({})
