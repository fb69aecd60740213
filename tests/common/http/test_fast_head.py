"""The fast reader of heads and posts: it parses a cached line as strictly as a new one."""

import pytest

from common.contract.operation import MAX_HEAD_BYTES
from common.http.fast_head import FastRequest, HeadReader

PLAIN = ("Host: edge.example", "X-Service-Key: pk", "Content-Length: 2")


def find(
    reader: HeadReader, *lines: str, first: str = "POST /v1/track HTTP/1.1", body: str = "{}"
) -> FastRequest | None:
    return reader.read_request("\r\n".join((first, *lines, "", body)).encode())


@pytest.fixture
def reader() -> HeadReader:
    """It has read one plain request."""
    made = HeadReader(max_body_bytes=100)
    assert find(made, *PLAIN) is not None
    return made


def test_requests_of_one_client_share_its_cached_headers(reader: HeadReader) -> None:
    one, other = find(reader, *PLAIN, "Referer: https://a.example/"), find(reader, *PLAIN)
    assert one is not None
    assert other is not None
    assert one.head.stable is other.head.stable
    assert (one.head.get("referer"), other.head.get("referer")) == ("https://a.example/", None)


@pytest.mark.parametrize(
    "more",
    [
        "Content-Length: 2",
        "Host: edge.example",
        "Content-Encoding: gzip",
        "Transfer-Encoding: chunked",
    ],
)
def test_a_head_that_is_not_plain_is_left_to_the_slow_path(reader: HeadReader, more: str) -> None:
    assert find(reader, *PLAIN, more) is None
    assert find(reader, *PLAIN, more) is None


@pytest.mark.parametrize("missing", PLAIN)
def test_host_and_length_are_required(reader: HeadReader, missing: str) -> None:
    found = find(reader, *(line for line in PLAIN if line != missing))
    assert (found is None) is not missing.startswith("X-Service-Key")


@pytest.mark.parametrize(
    ("first", "length", "body"),
    [
        ("GET /v1/track HTTP/1.1", "2", "{}"),
        ("POST /v1/track HTTP/1.0", "2", "{}"),
        ("POST /v1/track#a HTTP/1.1", "2", "{}"),
        ("POST  /v1/track HTTP/1.1", "2", "{}"),
        ("POST /v1/track HTTP/1.1", "3", "{}"),
        ("POST /v1/track HTTP/1.1", "101", "a" * 101),
        ("POST /v1/track HTTP/1.1", "02", "{}"),
        ("POST /v1/track HTTP/1.1", "0", ""),
    ],
)
def test_only_a_whole_small_post_is_read(
    reader: HeadReader, first: str, length: str, body: str
) -> None:
    assert find(reader, *PLAIN[:2], f"Content-Length: {length}", first=first, body=body) is None


def test_a_head_at_the_limit_is_left_to_the_slow_path(reader: HeadReader) -> None:
    assert find(reader, *PLAIN, "X-Long: " + "a" * MAX_HEAD_BYTES) is None


def test_a_get_has_no_length() -> None:
    reader = HeadReader()
    get = b"GET /v1/serve?slot=a HTTP/1.1\r\nHost: edge.example"

    assert reader.read_head(get) is not None
    assert reader.read_head(get + b"\r\nContent-Length: 2") is None
    assert reader.read_head(get.replace(b"GET", b"POST")) is None


def test_more_lines_than_the_cache_holds_are_still_read() -> None:
    reader = HeadReader()
    for number in range(9_000):
        head = reader.read_head(b"GET / HTTP/1.1\r\nHost: a\r\nX-Number: %d" % number)
        assert head is not None
        assert (head.get("host"), head.get("x-number")) == ("a", str(number))
