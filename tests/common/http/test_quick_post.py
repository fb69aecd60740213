"""The short reader of posts: lines that it knows are read no less strictly than new ones."""

import pytest

from common.http.fast_post import FastPost, PostReader

PLAIN = ("Host: edge.example", "X-Service-Key: pk", "Content-Length: 2")


def find(
    reader: PostReader, *lines: str, first: str = "POST /v1/track HTTP/1.1"
) -> FastPost | None:
    return reader.find("\r\n".join((first, *lines, "", "{}")).encode())


@pytest.fixture
def reader() -> PostReader:
    """It has read one plain call."""
    made = PostReader("/v1/track", max_head_bytes=1024, max_body_bytes=100)
    assert find(made, *PLAIN) is not None
    return made


def test_calls_of_one_client_share_what_is_remembered_of_it(reader: PostReader) -> None:
    one, other = find(reader, *PLAIN, "Referer: https://a.example/"), find(reader, *PLAIN)
    assert one is not None
    assert other is not None
    assert one.head.block is other.head.block
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
def test_a_head_that_is_not_plain_is_left_alone(reader: PostReader, more: str) -> None:
    assert find(reader, *PLAIN, more) is None
    assert find(reader, *PLAIN, more) is None


@pytest.mark.parametrize("missing", PLAIN)
def test_host_and_length_are_required(reader: PostReader, missing: str) -> None:
    found = find(reader, *(line for line in PLAIN if line != missing))
    assert (found is None) is not missing.startswith("X-Service-Key")
