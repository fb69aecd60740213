"""
An ad of any shape that the description allows gets the same response, never an error, on every path: from the serve
cache, on the fast path without it, and by Sanic.
"""

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest_asyncio
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from uuid_utils import UUID

from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad
from common.values.enums import Format
from control.demand.ads.content import parse_content
from control.demand.ads.urls import parse_click_url, parse_url
from edge.fastpath.http1.serve_path import ServeFastPath
from edge.fastpath.serve_cache.head_parts import split_head
from edge.fastpath.serve_cache.native_cache import NativeSlotSegment
from edge.state.rate_limit import RateLimiter
from tests.support.builders import NOW_MS, a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.edge_pair import PEER, serve_by_slow_path
from tests.support.raw_http import parse_answers

_TEXT = st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp"))
_PATH = st.text(st.characters(min_codepoint=33, exclude_categories=("Cs", "Cc", "Z")), max_size=60)
_URLS = _PATH.map(lambda text: "https://brand.example/" + _without(text, '\\"<>^`|{}'))
_PIXELS = st.integers(1, 10_000)
_LENGTHS_MS = st.integers(1_000, 1_900)
_HTML_PARTS = st.sampled_from(
    ("{click_url}", "{", "}", "<a href='{click_url}'>é\U0001f98a</a>", "\\")
)


def _without(text: str, unwanted: str) -> str:
    return "".join(one for one in text if one not in unwanted)


def _texts(most: int) -> st.SearchStrategy[str]:
    """Up to *most* characters, now and then that many."""
    return st.text(_TEXT, max_size=min(most, 40)) | _TEXT.map(lambda one: one * most)


def _said(most: int) -> st.SearchStrategy[str]:
    return _texts(most).filter(lambda text: bool(text.strip()))


def _image(**more: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"image_url": _URLS, "width": _PIXELS, "height": _PIXELS, **more})


def _medium(mimes: tuple[str, ...], **more: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = {"url": _URLS, "mime": st.sampled_from(mimes), "duration_ms": _LENGTHS_MS, **more}
    return st.fixed_dictionaries(fields, optional={"bitrate_kbps": st.integers(1, 200_000)})


_BANNER = _image(alt=_texts(300))
_CONTENT: dict[Format, st.SearchStrategy[dict[str, Any]]] = {
    Format.BANNER: _BANNER,
    Format.HTML: st.fixed_dictionaries(
        {
            "html": st.lists(_HTML_PARTS | _said(2_000), min_size=1, max_size=20).map("".join)
            | st.integers(1, 5_000).map(lambda number: "{click_url}" * number),
            "width": _PIXELS,
            "height": _PIXELS,
        }
    ),
    Format.NATIVE: st.fixed_dictionaries(
        {"title": _said(90)},
        optional={
            "body": _texts(200),
            "cta": _texts(30),
            "sponsored_by": _texts(100),
            "icon": _URLS,
            "image": _URLS,
        },
    ),
    Format.AUDIO: st.fixed_dictionaries(
        {"media": st.lists(_medium(("audio/mpeg", "audio/ogg")), min_size=1, max_size=20)},
        optional={"companion": _BANNER},
    ),
    Format.VIDEO: st.fixed_dictionaries(
        {
            "media": st.lists(
                _medium(("video/mp4", "video/webm"), width=_PIXELS, height=_PIXELS),
                min_size=1,
                max_size=20,
            )
        },
        optional={"skip_offset_ms": st.integers(0, 999)},
    ),
    Format.EMAIL: _image(alt=_said(300), text_fallback=_said(500)),
}
_CLICK_URLS = st.none() | st.lists(
    _PATH.map(lambda text: _without(text, '\\"<>^`|{}'))
    | st.sampled_from(("{click_id}", "{ad_id}", "{timestamp}", "?a=", "&b=")),
    max_size=12,
).map(lambda parts: parse_click_url("https://brand.example/" + "".join(parts)))
_TRACKERS = st.lists(_URLS.map(parse_url), max_size=20, unique=True).map(tuple)
_CAMPAIGN = a_campaign()


@st.composite
def _ads(draw: st.DrawFn) -> Ad:
    ad_format = draw(st.sampled_from(Format))
    content = parse_content(ad_format, draw(_CONTENT[ad_format])).model_dump(mode="json")
    click_url = draw(_CLICK_URLS)
    return an_ad(
        _CAMPAIGN,
        format=ad_format,
        width=content.get("width"),
        height=content.get("height"),
        content=canonical_json(content),
        click_url=click_url,
        advertiser_domain=None if click_url is None else "brand.example",
        impression_trackers=draw(_TRACKERS),
        click_trackers=draw(_TRACKERS),
        weight=draw(st.integers(1, 100)),
    )


def _html_ad(html: str) -> Ad:
    content = {"html": html, "width": 300, "height": 250}
    return an_ad(_CAMPAIGN, format=Format.HTML, content=canonical_json(content))


@dataclass
class Paths:
    """The same edge three times: with the serve cache, on the fast path without it, by Sanic alone."""

    edges: list[RunningEdge]
    cached: ServeFastPath
    uncached: ServeFastPath
    key: str
    objects: tuple[Any, ...]
    request: bytes

    def adopt(self, ad: Ad) -> None:
        snapshot = a_snapshot(*self.objects, _CAMPAIGN, ad)
        for edge in self.edges:
            edge.context.rng = random.Random(5)
            edge.context.limiter = RateLimiter(workers=1)
            edge.context.new_token_id = lambda now_ms: UUID(int=now_ms << 80 | 7)
            edge.adopt(snapshot)

    def find_answer(self, path: ServeFastPath) -> bytes | None:
        return path.find_answer(self.request, 0, len(self.request) - 4, PEER)

    def find_cached(self) -> bytes | None:
        """By the cache alone; None where it cannot answer."""
        return self.cached.lookup_cached(self.request, 0, len(self.request) - 4, PEER)

    async def by_sanic(self) -> bytes:
        lines = self.request.decode().split("\r\n")
        fields = [line for line in lines[1:] if line and not line.startswith("Host:")]
        target = self.request.split(b" ")[1].decode()
        answer = await self.edges[-1].get(target, *fields)
        assert answer.status == 200
        return answer.body


@pytest_asyncio.fixture(scope="module")
async def paths() -> AsyncIterator[Paths]:
    text, key = a_key()
    slot = a_slot(formats=tuple(Format), sizes=())
    request = (
        f"GET /v1/serve?slot={slot.key} HTTP/1.1\r\nX-Service-Key: {text.text}\r\n"
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0\r\nX-Request-Id: mine\r\n"
        "Host: edge.example\r\n\r\n"
    ).encode()
    objects = (key, slot)
    snapshot = a_snapshot(*objects)
    async with (
        running_edge(snapshot) as one,
        running_edge(snapshot) as two,
        running_edge(snapshot, short_way=False) as sanic,
    ):
        cached, uncached = ServeFastPath(one.app), ServeFastPath(two.app, serve_by_slow_path)
        yield Paths([one, two, sanic], cached, uncached, text.text, objects, request)


async def _check(paths: Paths, ad: Ad) -> None:
    paths.adopt(ad)
    answer = paths.find_answer(paths.uncached)
    assert answer is not None
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert paths.find_answer(paths.cached) == answer
    assert paths.find_cached() == answer
    (parsed,) = parse_answers(answer)
    assert parsed.json["content"] == orjson.loads(ad.content)
    assert parsed.body == await paths.by_sanic()


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ad=_ads())
@example(ad=_html_ad("{click_url}" * 9))
@example(ad=_html_ad("{click_url}" * 5_957))
async def test_an_ad_of_any_shape_gets_the_same_response_on_every_path(
    paths: Paths, ad: Ad
) -> None:
    await _check(paths, ad)


async def test_a_segment_of_more_positions_than_the_cache_holds_is_not_cached(paths: Paths) -> None:
    await _check(paths, _html_ad("{click_url}"))
    filler, context = paths.cached._filler, paths.edges[0].context
    split = split_head(paths.request, 0, len(paths.request) - 4)
    assert filler is not None
    assert split is not None
    client = filler._caches.find_client(split[2], context.snapshots.current(), NOW_MS)
    assert client is not None
    before = paths.find_cached()
    assert before is not None
    words = 257
    segment = NativeSlotSegment(words, 0, 1 << 62, 0, 0, [0], [()])
    segment.generation = context.snapshots.generation
    segment.put_run(0, [(0, 0)], True, None)  # noqa: FBT003 - as the C takes it

    filler._native_cache.put_page(client.group, 0, split[0], 0, segment, b"\xff" * (words * 8))
    filler._native_cache.put_mask(segment, 1, 0, 1, b"\xff" * (words * 8))

    assert paths.find_cached() == before
