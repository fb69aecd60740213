"""Answers encoded in one piece, and what is left to Sanic."""

import pytest
from sanic.helpers import STATUS_CODES

from common.http.answer import StaticHeaders, encode_raw_response
from tests.support.raw_http import RawAnswer, parse_answers

STATIC_HEADERS = StaticHeaders({"Timing-Allow-Origin": "*", "X-Served-By": "us"})


def encode(
    status: int = 200, body: bytes = b"{}", *, method: str = "GET", **headers: str
) -> bytes | None:
    return encode_raw_response(
        status,
        {name.replace("_", "-"): value for name, value in headers.items()},
        STATIC_HEADERS,
        body,
        content_type=None,
        request_id="r1",
        keep_alive=True,
        head_only=method == "HEAD",
    )


def encoded(status: int = 200, body: bytes = b"{}", **headers: str) -> RawAnswer:
    raw = encode(status, body, method="GET", **headers)
    assert raw is not None
    (answer,) = parse_answers(raw)
    return answer


def test_an_answer_has_its_own_and_the_default_headers() -> None:
    answer = encoded(content_type="application/json")
    assert answer.headers == {
        "content-type": "application/json",
        "timing-allow-origin": "*",
        "x-served-by": "us",
        "x-request-id": "r1",
        "content-length": "2",
        "connection": "keep-alive",
    }
    assert answer.body == b"{}"


@pytest.mark.parametrize("status", [200, 413, 414, 416, 422, 503])
def test_a_status_line_is_sanics_on_every_python(status: int) -> None:
    raw = encode(status)
    assert raw is not None
    assert raw.startswith(b"HTTP/1.1 %d %s\r\n" % (status, STATUS_CODES[status]))


def test_a_204_has_neither_length_nor_body() -> None:
    answer = encoded(204, b"surprise")
    assert "content-length" not in answer.headers
    assert answer.body == b""


def test_head_has_the_length_of_the_body_it_leaves_out() -> None:
    raw = encode(method="HEAD")
    assert raw is not None
    assert b"content-length: 2\r\n" in raw
    assert raw.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: x", "a\nb", "a\rb", "a\0b"])
def test_an_invalid_header_value_is_left_to_sanic(value: str) -> None:
    assert encode(location=value) is None


def test_an_answer_that_overrides_a_default_header_is_left_to_sanic() -> None:
    assert encode(timing_allow_origin="https://one.example") is None


@pytest.mark.parametrize("status", [304, 412, 100, 599])
def test_statuses_with_rules_of_their_own_are_left_to_sanic(status: int) -> None:
    assert encode(status) is None
