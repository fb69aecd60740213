"""
Whatever comes over the wire to track or to the impression pixel, the fast path and Sanic give the same bytes and keep
the same events.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from common.snapshot.model import RateLimits
from common.tracking.token import sign_token
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.state.rate_limit import RateLimiter
from tests.support.builders import (
    NOW_MS,
    SIGNING_SECRET,
    a_key,
    a_property,
    a_snapshot,
    a_stock,
)
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import connection, read_to_end
from tests.support.tokens import a_payload, for_ad

_LAST = b"GET /livez HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
_MADE_IDS = re.compile(rb"(?<=X-Request-Id: )[0-9a-f]{24}|(?<=\"request_id\":\")[0-9a-f]{24}")
_HURRIED_ID = "01900000-0000-7000-8000-0000000000bb"
_BROWSER = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"


@dataclass
class BothPaths:
    fast: RunningEdge
    sanic: RunningEdge
    texts: dict[str, str]
    """What stands for ``@name@``: keys and tokens."""


@pytest_asyncio.fixture(scope="module", params=[Environment.LIVE, Environment.TEST])
async def clients(request: pytest.FixtureRequest) -> AsyncIterator[BothPaths]:
    environment: Environment = request.param
    other = Environment.TEST if environment is Environment.LIVE else Environment.LIVE
    stock = a_stock(environment=environment)
    texts, objects = {"nonsense": "pk_live_no"}, []
    for name, text, key in (
        ("good", *a_key(environment=environment)),
        ("secret", *a_key(KeyKind.SECRET, environment)),
        ("other", *a_key(environment=other)),
        ("revoked", *a_key(environment=environment, revoked_at_ms=NOW_MS - 1)),
        ("hurried", *a_key(environment=environment, property_id=_HURRIED_ID)),
    ):
        texts[name] = text.text
        objects.append(key)
    texts |= _tokens(is_test=environment.is_test, **for_ad(stock.ad))
    hurried = a_property(id=_HURRIED_ID, rate_limits=RateLimits(1, 1, 1, 1))
    snapshot = a_snapshot(a_property(), hurried, *stock.objects, *objects, environment=environment)
    async with running_edge(snapshot) as fast, running_edge(snapshot, fast_path=False) as sanic:
        sanic.context.salts = fast.context.salts  # as an edge's workers agree on them
        yield BothPaths(fast, sanic, texts)


def _tokens(**of_the_ad: Any) -> dict[str, str]:
    made = {
        "token-1": a_payload(**of_the_ad),
        "token-2": a_payload(**of_the_ad),
        "expired": a_payload(**{**of_the_ad, "issued_ms": NOW_MS - 3_600_000}),
        "foreign": a_payload(**{**of_the_ad, "property_id": UUID(_HURRIED_ID)}),
        "mistaken": a_payload(**{**of_the_ad, "is_test": not of_the_ad["is_test"]}),
    }
    signed = {name: sign_token(payload, SIGNING_SECRET) for name, payload in made.items()}
    pixels = {"pixel": "token-1", "old-pixel": "expired", "mistaken-pixel": "mistaken"}
    return {name: texts.track for name, texts in signed.items()} | {
        name: signed[token].impression for name, token in pixels.items()
    }


async def _outcome(edge: RunningEdge, parts: list[bytes]) -> tuple[bytes, list[Any], Any]:
    """
    All that is answered to *parts*, each sent on its own, on a worker that begins anew; what it kept, and what it
    counted.
    """
    context = edge.context
    context.limiter = RateLimiter(workers=1)
    await context.tokens.close()
    before = context.spool.last_sequence
    counts = context.redemptions.counts
    counted = (counts.counted, counts.invalid, counts.duplicate, counts.refused, counts.expired)
    refusals = context.metrics.refusals.copy()
    async with connection(edge.port) as (reader, writer):
        for part in (*parts, _LAST):
            writer.write(part)
            await writer.drain()
        answers = _MADE_IDS.sub(b"made", await read_to_end(reader))
    kept = [record.body for record in await context.spool.read(before, 1_000)]
    context.spool.settle(context.spool.last_sequence)
    after = (counts.counted, counts.invalid, counts.duplicate, counts.refused, counts.expired)
    moved = [now - then for now, then in zip(after, counted, strict=True)]
    return answers, kept, (moved, context.metrics.refusals - refusals)


_KEYS = ("good", "good", "good", "good", "secret", "other", "revoked", "hurried", "nonsense")
_ODD = (
    "Accept: */*",
    "Content-Type: application/json",
    "content-type: text/plain;charset=UTF-8",
    "User-Agent: Googlebot/2.1",
    "User-Agent: " + "a" * 2_000,
    "Referer: https://shop.example/basket?user=anna",
    "Referer: https://shop.example/é",
    "Origin: https://shop.example",
    "Origin: null",
    "Sec-Purpose: prefetch",
    "X-Request-Id: mine-1",
    "X-Request-Id: not fit",
    "Connection: keep-alive",
    "Connection: close",
    "Connection: upgrade",
    "Upgrade: websocket",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "Host: other",
    "X-Folded: a\r\n b",
    "X-Space : a",
    "X-Feed: a\nX-B: b",
    "nonsense",
    "Content-Length: 3",
    "Content-Length: 0x3",
    "Content-Length: +3",
    "X-Forwarded-For: 10.0.0.1",
    "Cookie: a=b",
)
_BODIES: tuple[Any, ...] = (
    {"token": "@token-1@", "event": "impression"},
    {"token": "@token-1@", "event": "impression"},
    {"token": "@token-1@", "event": "click"},
    {"token": "@token-2@", "event": "viewable"},
    {
        "token": "@token-2@",
        "event": "conversion",
        "value_cents": 4_999,
        "currency": "EUR",
        "order_id": "7",
    },
    {"token": "@expired@", "event": "click"},
    {"token": "@foreign@", "event": "click"},
    {"token": "@mistaken@", "event": "click"},
    {"token": "@pixel@", "event": "impression"},
    {"token": "x", "event": "impression"},
    {"token": "@token-1@", "event": "view"},
    {"token": "@token-1@", "event": ["click"]},
    {"token": 7, "event": "click"},
    {"token": "@token-1@", "event": "click", "user": "anna"},
    {},
    [],
    "text",
)
_RAW_BODIES = ("", "{", "token=@token-1@", "x" * 17_000)


@st.composite
def _calls(draw: st.DrawFn) -> tuple[str, str]:
    """Head without its length and empty line, and body."""
    key = draw(st.sampled_from(_KEYS))
    shown = draw(
        st.sampled_from(
            (f"X-Service-Key: @{key}@",) * 3 + (f"Authorization: Bearer @{key}@", "X-None: 1")
        )
    )
    method = draw(st.sampled_from(("POST",) * 6 + ("GET", "PUT", "OPTIONS", "post")))
    path = draw(
        st.sampled_from(
            ("/v1/track",) * 6
            + (
                "/v1/track?",
                f"/v1/track?key=@{key}@",
                "/v1/track/",
                "/v1/tracks",
                "/v1/track#a",
                "/v1/track/../track",
            )
        )
    )
    version = draw(st.sampled_from(("HTTP/1.1",) * 5 + ("HTTP/1.0", "HTTP/1.2")))
    fields = [draw(st.sampled_from(("Host: edge.example",) * 4 + ("host:a/b", "X: y"))), shown]
    fields += draw(st.lists(st.sampled_from((_BROWSER, *_ODD)), max_size=3))
    body = draw(
        st.sampled_from([orjson.dumps(body).decode() for body in _BODIES])
        | st.sampled_from(_RAW_BODIES)
    )
    return "\r\n".join([f"{method} {path} {version}", *draw(st.permutations(fields))]), body


def _filled(clients: BothPaths, call: tuple[str, str], length: int | None) -> bytes:
    head, body = call
    for name, value in clients.texts.items():
        head, body = head.replace(f"@{name}@", value), body.replace(f"@{name}@", value)
    raw = body.encode()
    text = len(raw) if length is None else min(length, len(raw))  # more would be waited for
    return f"{head}\r\nContent-Length: {text}\r\n\r\n".encode("latin-1") + raw


async def _check_alike(clients: BothPaths, request: bytes, count: int) -> None:
    """*count* times in one piece, all on the fast path."""
    metrics = clients.fast.context.metrics
    before = metrics.fast_path_requests
    raw = request * count
    assert await _outcome(clients.fast, [raw]) == await _outcome(clients.sanic, [raw])
    assert metrics.fast_path_requests == before + count


_PLAIN = (
    f"POST /v1/track HTTP/1.1\r\nHost: a\r\nX-Service-Key: @good@\r\n{_BROWSER}",
    '{"token": "@token-1@", "event": "impression"}',
)


@pytest.mark.parametrize("count", [1, 2, 40])
async def test_both_paths_answer_a_plain_request_alike(clients: BothPaths, count: int) -> None:
    await _check_alike(clients, _filled(clients, _PLAIN, None), count)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    calls=st.lists(st.tuples(_calls(), st.none() | st.integers(0, 400)), min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 3_000), max_size=2),
)
@example([(_PLAIN, None)] * 3, [])
@example([(_PLAIN, None)] * 2, [150, 400])
async def test_the_fast_and_the_slow_path_return_the_same_bytes_and_store_the_same_events(
    clients: BothPaths, calls: list[tuple[tuple[str, str], int | None]], cuts: list[int]
) -> None:
    sent = _cut(b"".join(_filled(clients, call, length) for call, length in calls), cuts)
    assert await _outcome(clients.fast, sent) == await _outcome(clients.sanic, sent)


def _cut(whole: bytes, cuts: list[int]) -> list[bytes]:
    """The pieces of *whole*, none of them empty."""
    parts, rest, at = [], whole, 0
    for cut in sorted(cuts):
        parts.append(rest[: cut - at])
        rest, at = rest[cut - at :], cut
    return [part for part in (*parts, rest) if part]


@st.composite
def _pixels(draw: st.DrawFn) -> str:
    """A head without its empty line."""
    token = draw(
        st.sampled_from(
            ("@pixel@",) * 6 + ("@old-pixel@", "@mistaken-pixel@", "@token-1@", "x", "@pixel@%41")
        )
    )
    path = draw(
        st.sampled_from(
            (f"/v1/impression/{token}.gif",) * 6
            + (
                f"/v1/impression/{token}.gif?visit=1",
                f"/v1/impression/{token}.gif#a",
                f"/v1/impression/{token}",
                f"/v1/impression/{token}.gif/",
                f"/v1/impression/{token}%2Egif",
                f"/v1/impression/./{token}.gif",
                f"/v1/impression/%2f{token[:-3]}.gif",
            )
        )
    )
    method = draw(st.sampled_from(("GET",) * 6 + ("HEAD", "POST", "OPTIONS", "get")))
    version = draw(st.sampled_from(("HTTP/1.1",) * 5 + ("HTTP/1.0", "HTTP/1.2")))
    fields = [draw(st.sampled_from(("Host: edge.example",) * 4 + ("host:a/b", "X: y")))]
    odd = [
        field for field in _ODD if field != "Content-Length: 3"
    ]  # a body of bytes of the next head
    fields += draw(st.lists(st.sampled_from((_BROWSER, "Range: bytes=0-9", *odd)), max_size=3))
    return "\r\n".join([f"{method} {path} {version}", *draw(st.permutations(fields))])


def _pixel_bytes(clients: BothPaths, head: str) -> bytes:
    for name, value in clients.texts.items():
        head = head.replace(f"@{name}@", value)
    return f"{head}\r\n\r\n".encode("latin-1")


_PLAIN_PIXEL = f"GET /v1/impression/@pixel@.gif HTTP/1.1\r\nHost: a\r\n{_BROWSER}"


@pytest.mark.parametrize("count", [1, 2, 40])
async def test_both_paths_answer_a_plain_pixel_alike(clients: BothPaths, count: int) -> None:
    await _check_alike(clients, _pixel_bytes(clients, _PLAIN_PIXEL), count)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    heads=st.lists(_pixels(), min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 1_000), max_size=2),
)
@example([_PLAIN_PIXEL] * 3, [])
@example([_PLAIN_PIXEL] * 2, [150, 400])
async def test_both_paths_answer_every_pixel_with_the_same_bytes_and_store_the_same_events(
    clients: BothPaths, heads: list[str], cuts: list[int]
) -> None:
    sent = _cut(b"".join(_pixel_bytes(clients, head) for head in heads), cuts)
    assert await _outcome(clients.fast, sent) == await _outcome(clients.sanic, sent)
