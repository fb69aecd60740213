"""How much of a body the management API takes, and that it says no before it has read one."""

import pytest

from control.app import MAX_BODY_BYTES
from tests.support.control_api import ControlApi
from tests.support.raw_http import exchange

LIMIT = 1_048_576
HIDDEN = b"GET /livez HTTP/1.1\r\nHost: test\r\n\r\n"


def post(length: int, body: bytes, *headers: str) -> bytes:
    lines = (
        "POST /v1/auth/token HTTP/1.1",
        "Host: test",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        *headers,
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def test_the_limit_is_as_promised() -> None:
    assert MAX_BODY_BYTES == LIMIT


async def test_a_body_of_the_limit_is_read_and_a_byte_more_is_not(api: ControlApi) -> None:
    (read,) = await exchange(api.port, post(LIMIT, b" " * LIMIT, "Connection: close"))
    refused = await exchange(api.port, post(LIMIT + 1, b" " * (LIMIT + 1)) + HIDDEN)
    assert (read.status, read.code) == (400, "invalid_json")
    assert [(one.status, one.code) for one in refused] == [(413, "payload_too_large")]


@pytest.mark.parametrize("headers", [(), ("Expect: 100-continue",)])
async def test_a_body_that_is_announced_too_large_is_refused_unread(
    api: ControlApi, headers: tuple[str, ...]
) -> None:
    refused = await exchange(api.port, post(10**9, b"", *headers))
    assert [(one.status, one.code) for one in refused] == [(413, "payload_too_large")]


async def test_chunks_are_counted_like_any_body(api: ControlApi) -> None:
    head = (
        b"POST /v1/auth/token HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"40000\r\n" + b" " * 0x40000 + b"\r\n"
    refused = await exchange(api.port, head + chunk * 5 + b"0\r\n\r\n" + HIDDEN)
    assert [(one.status, one.code) for one in refused] == [(413, "payload_too_large")]
