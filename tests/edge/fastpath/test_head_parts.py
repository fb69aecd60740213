"""A head is split into cache keys by the rules of the reader of whole heads, in C as from source."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from common.http.fast_head import PER_REQUEST_HEADERS, HeadReader
from edge.fastpath.serve_cache.head_parts import START, split_head
from edge.request.query import OF_THE_READER, ONLY_FOR_DEBUG, READ
from tests.support.source import source_of

_from_source = source_of("edge.fastpath.serve_cache.head_parts").split_head
_HEAD = (
    b"GET /v1/serve?gdpr=1&slot=a&keywords=x,%20y&url=z%3D1&gdpr_consent=CP&kv.b=c& HTTP/1.1\r\n"
    b"Host: a\r\nREFERER:  there \r\nX-Forwarded-For:  10.0.0.1, 10.0.0.2\r\nUser-Agent: some one\r\nX-Request-Id: mine"
)
_PARTS = st.lists(
    st.sampled_from(
        (
            *("slot=a", "slot", "slot=", "=a", "kv.=1", "kv.a=b", "kv=1", "kv.a%2e=1", "KV.a=1"),
            *("uid=1", "uid=", "seen=none", "debug=1", "key=pk", "segments=a", "ip=1", "ua=x"),
            *("surface=tv", "client=web/1", "test_scenario=paced", "test_now=1", "test=1"),
            *(
                "a+b=c",
                "a%20=c",
                "url=%20+",
                "w=1",
                "gpp_sid=7",
                "gpp=DBAA",
                "gdpr_consent=",
                "gdpr=1",
                "lang=de",
                "#",
                "é",
                "\x7f",
                " ",
                "",
            ),
        )
    ),
    max_size=6,
).map("&".join)
_LINES = st.lists(
    st.sampled_from(
        (
            *("Host: a", "host:a", ": a", "nonsense", "", "Cookie: a=b", "cookie:", "COOKIE: c"),
            *(
                "X-Request-Id: mine",
                "x-request-id:\tmine",
                "X-Forwarded-For:  10.0.0.1 ",
                "Referer: é",
            ),
            *(
                "Referer : a",
                " Referer: a",
                "Referer: a\nb",
                "If-None-Match: *",
                "X-Cloud-Trace-Context: 1",
            ),
        )
    ),
    max_size=6,
)


@st.composite
def _heads(draw: st.DrawFn) -> bytes:
    version = draw(
        st.sampled_from((" HTTP/1.1", " HTTP/1.1", " HTTP/1.1", " HTTP/1.0", "", " HTTP/1.1 "))
    )
    target = f"{START.decode()}{draw(_PARTS)}{version}"
    return "\r\n".join([target, *draw(_LINES)]).encode("latin-1")


def test_values_that_are_new_in_every_request_are_removed() -> None:
    assert split_head(_HEAD, 0, len(_HEAD)) == (
        b"slot=a&keywords=x,%20y&kv.b=c",
        b"gdpr=1&gdpr_consent=CP",
        b"Host: a\r\nUser-Agent: some one",
        b"10.0.0.1, 10.0.0.2",
        b"mine",
    )


@given(_heads(), st.binary(max_size=3), st.binary(max_size=3))
@example(_HEAD, b"", b"")
def test_compiled_and_python_versions_split_alike(head: bytes, before: bytes, after: bytes) -> None:
    bounds = len(before), len(before) + len(head)
    assert split_head(before + head + after, *bounds) == _from_source(head, 0, len(head))


@given(_heads(), st.text(st.characters(max_codepoint=255), max_size=30))
def test_a_head_that_splits_like_one_read_before_can_be_read(head: bytes, text: str) -> None:
    """What a remembered reader's lines do not say must be plain: else reading it whole would find it."""
    new = f"\r\nReferer: {text}".encode("latin-1")
    reader = HeadReader()
    split = split_head(head, 0, len(head))
    again = split_head(head + new, 0, len(head) + len(new))
    if split is None or again is None or split[2] != again[2] or reader.read_head(head) is None:
        return
    assert reader.read_head(head + new) is not None


@pytest.mark.parametrize(
    "name", sorted(READ | OF_THE_READER | ONLY_FOR_DEBUG | {"debug", "kv.a", "foreign"})
)
def test_compiled_and_python_versions_classify_every_parameter_alike(name: str) -> None:
    head = f"GET /v1/serve?slot=a&{name}=1 HTTP/1.1\r\nHost: a".encode()
    assert split_head(head, 0, len(head)) == _from_source(head, 0, len(head))


@pytest.mark.parametrize("name", sorted(PER_REQUEST_HEADERS | {"host", "user-agent"}))
def test_compiled_and_python_versions_classify_every_header_alike(name: str) -> None:
    head = f"GET /v1/serve?slot=a HTTP/1.1\r\nHost: a\r\n{name.title()}:  some".encode()
    split = split_head(head, 0, len(head))
    assert split == _from_source(head, 0, len(head))
    assert split is not None
    assert (split[2] == b"Host: a") is (name in PER_REQUEST_HEADERS)


@given(st.binary(max_size=200))
def test_compiled_and_python_versions_split_any_bytes_alike(text: bytes) -> None:
    head = START + text
    assert split_head(head, 0, len(head)) == _from_source(head, 0, len(head))
