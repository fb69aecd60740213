"""Whatever comes over the wire, the fast path and Sanic give the same bytes and count the same."""

import random
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import count

import pytest_asyncio
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from uuid_utils import UUID

from common.snapshot.model import FrequencyCap, Property, RateLimits, SnapshotObject
from common.values.enums import EventKind, PropertyStatus
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.state.rate_limit import RateLimiter
from tests.support.builders import (
    NOW_MS,
    a_campaign,
    a_key,
    a_property,
    a_slot,
    a_snapshot,
    a_stock,
    an_ad,
)
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import connection, read_to_end

_LAST = b"GET /livez HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
_MADE_IDS = re.compile(rb"(?<=X-Request-Id: )[0-9a-f]{24}|(?<=\"request_id\":\")[0-9a-f]{24}")
_UNVERIFIED_ID = "01900000-0000-7000-8000-0000000000aa"
_HURRIED_ID = "01900000-0000-7000-8000-0000000000bb"
_CAPPED_ID = "01900000-0000-7000-8000-0000000000cc"


@dataclass
class BothPaths:
    fast: RunningEdge
    sanic: RunningEdge
    keys: dict[str, str]
    slot: str
    capped: str

    async def both(self, *parts: bytes) -> tuple[bytes, bytes]:
        return await _answers(self.fast, parts), await _answers(self.sanic, parts)


def _unverified() -> Property:
    return a_property(id=_UNVERIFIED_ID, status=PropertyStatus.UNVERIFIED)


def _hurried() -> Property:
    return a_property(id=_HURRIED_ID, rate_limits=RateLimits(1, 1, 1, 1))


@pytest_asyncio.fixture(scope="module")
async def clients() -> AsyncIterator[BothPaths]:
    stock = a_stock()
    texts, objects = dict[str, str](), list[SnapshotObject]()
    for name, text, key in (
        ("good", *a_key()),
        ("secret", *a_key(KeyKind.SECRET)),
        ("test", *a_key(environment=Environment.TEST)),
        ("revoked", *a_key(revoked_at_ms=NOW_MS - 1)),
        ("unverified", *a_key(property_id=_UNVERIFIED_ID)),
        ("hurried", *a_key(property_id=_HURRIED_ID)),
    ):
        texts[name] = text.text
        objects.append(key)
    capped_slot = a_slot(id=_CAPPED_ID, key="capped")
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 1, 3600)
    campaign = a_campaign(frequency_caps=(cap,), bid_cents=9_000)
    objects += [capped_slot, campaign, an_ad(campaign, slot_ids=(_CAPPED_ID,))]
    snapshot = a_snapshot(a_property(), _unverified(), _hurried(), *stock.objects, *objects)
    async with running_edge(snapshot) as fast, running_edge(snapshot, fast_path=False) as sanic:
        yield BothPaths(fast, sanic, texts, stock.slot.key, capped_slot.key)


async def _answers(edge: RunningEdge, parts: tuple[bytes, ...]) -> bytes:
    """All that is answered to *parts*, each sent on its own, on a worker that begins anew."""
    context, numbers = edge.context, count(1)
    context.rng = random.Random(7)
    context.limiter = RateLimiter(workers=1)
    context.new_token_id = lambda now_ms: UUID(int=now_ms << 80 | next(numbers))
    async with connection(edge.port) as (reader, writer):
        for part in (*parts, _LAST):
            writer.write(part)
            await writer.drain()
        return _MADE_IDS.sub(b"made", await read_to_end(reader))


def _head(target: str, *fields: str, version: str = "HTTP/1.1", method: str = "GET") -> bytes:
    return "\r\n".join([f"{method} {target} {version}", *fields, "", ""]).encode("latin-1")


_NAMES = ("good", "good", "good", "secret", "test", "revoked", "unverified", "hurried", "nonsense")
_TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)


@st.composite
def _fields(draw: st.DrawFn) -> list[str]:
    """``@name@`` stands for a key."""
    name = draw(st.sampled_from(_NAMES))
    shown = draw(
        st.sampled_from(
            (f"X-Service-Key: @{name}@", f"Authorization: Bearer @{name}@", "X-None: 1")
        )
    )
    odd = st.sampled_from(
        (
            "Accept: */*",
            "user-agent:  Mozilla/5.0 (iPhone) ",
            "Accept-Language: de-DE,de;q=0.8",
            "Accept-Language: ;q=,\xff",
            "Referer: https://shop.example/é",
            "X-Request-Id: mine-1",
            "X-Request-Id: not fit",
            "Connection: keep-alive",
            "Connection: Keep-Alive",
            "Connection: close",
            "Connection: upgrade",
            "Upgrade: websocket",
            "Content-Length: 0",
            "Content-Length: 3",
            "Content-Length: x",
            "Transfer-Encoding: chunked",
            "Expect: 100-continue",
            "DNT: 1",
            "Sec-GPC: 1",
            "Host: other",
            "X-Folded: a\r\n b",
            "X-Space : a",
            "X-Nul: \0",
            "X-Empty:",
            "X-Feed: a\nX-B: b",
            ": nameless",
            "nonsense",
            "X-Forwarded-For: 10.0.0.1",
            "X-Forwarded-For: 10.0.0.2",
            "Origin: null",
        )
    )
    host = draw(
        st.sampled_from(("Host: edge.example", "Host: edge.example:80", "host:a/b", "X: y"))
    )
    fields = [host, shown, *draw(st.lists(odd, max_size=3))]
    if draw(st.booleans()):
        fields.append(f"X-Text: {draw(_TEXTS)}")
    return draw(st.permutations(fields))


@st.composite
def _query(draw: st.DrawFn) -> str:
    part = st.sampled_from(
        (
            "slot=@slot@",
            "slot=@slot@",
            "slot=@capped@",
            "slot=other",
            "slot=",
            "key=@good@",
            "key=@secret@",
            "format=banner",
            "format=cheese",
            "w=300",
            "w=-1",
            "h=99999",
            "debug=1",
            "output=html",
            "output=vast",
            "uid=" + "u" * 200,
            "uid=reader-1",
            "keywords=shoes,hats",
            "segments=a",
            "seen=none",
            "gdpr=1",
            "gdpr=0",
            "gdpr_consent=nonsense",
            "preview_ad=x",
            "coppa=1",
            "kv.a=%62",
            "kv.=1",
            "lang=%zz",
            "keywords=a,%00",
            "segments=a",
            "ip=nowhere",
            "ua=okhttp/4",
            "a+b=c",
            "#fragment",
            "?",
            '"<>`{}|^\\',
        )
    )
    return "&".join(draw(st.lists(part, max_size=4)))


@st.composite
def _requests(draw: st.DrawFn) -> str:
    path = draw(
        st.sampled_from(
            ("/v1/serve?", "/v1/serve?", "/v1/serve?", "/v1/serve", "/v1/serve/?", "//v1/serve?")
        )
    )
    version = draw(st.sampled_from(("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.2")))
    method = draw(st.sampled_from(("GET", "GET", "GET", "HEAD", "POST", "get")))
    target = path + draw(_query())
    return _head(target, *draw(_fields()), version=version, method=method).decode("latin-1")


def _filled(clients: BothPaths, text: str) -> bytes:
    for name, value in {
        **clients.keys,
        "nonsense": "pk_live_no",
        "slot": clients.slot,
        "capped": clients.capped,
    }.items():
        text = text.replace(f"@{name}@", value)
    return text.encode("latin-1")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(_requests(), min_size=1, max_size=4), cut=st.integers(0, 4000))
@example(["GET /v1/serve?slot=@slot@ HTTP/1.1\r\nHost: a\r\nX-Service-Key: @good@\r\n\r\n"] * 40, 0)
async def test_the_fast_and_the_slow_path_return_the_same_bytes(
    clients: BothPaths, texts: list[str], cut: int
) -> None:
    whole = b"".join(_filled(clients, text) for text in texts)
    parts = [part for part in (whole[:cut], whole[cut:]) if part]
    fast, sanic = await clients.both(*parts)
    assert fast == sanic
    assert clients.fast.counted() == clients.sanic.counted()
    assert clients.fast.context.metrics.refusals == clients.sanic.context.metrics.refusals
