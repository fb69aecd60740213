"""
An ad of any shape that the description allows gets the same response, never an error, on every path: from the serve
cache, on the fast path without it, and by Sanic; as JSON, as a page, and as a VAST document that parsers can read.
"""

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, get_args
from xml.etree import ElementTree as ET

import orjson
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from uuid_utils import UUID

from common.decision.rules.ad_limits import VAST_WRAPPER
from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad
from common.values.enums import Format
from control.demand.ads.content import AudioContent, Content, VideoContent, parse_content
from control.demand.ads.urls import parse_click_url, parse_url
from edge.fastpath.http1.serve_path import ServeFastPath
from edge.fastpath.serve_cache.head_parts import split_head
from edge.fastpath.serve_cache.native_cache import NativeSlotSegment
from edge.state.rate_limit import RateLimiter
from tests.support.builders import NOW_MS, a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import RunningEdge, running_edge
from tests.support.edge_pair import PEER, serve_by_slow_path
from tests.support.raw_http import RawAnswer, parse_answers

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
_MARKUP = st.sampled_from(("]]>", "a < b & 'c'", '{"k":"<v>"}', "[REASON]"))
_UNIVERSAL_ID = st.fixed_dictionaries({"registry": _said(300), "value": _said(300)})
_MEZZANINE = st.fixed_dictionaries(
    {
        "url": _URLS,
        "mime": st.sampled_from(("video/mp4", "video/quicktime", "video/webm", "video/x-matroska")),
        "width": _PIXELS,
        "height": _PIXELS,
    }
)
_ICONS = st.lists(
    st.fixed_dictionaries(
        {"program": _said(300), "image_url": _URLS, "width": _PIXELS, "height": _PIXELS},
        optional={
            "x_position": st.sampled_from(("left", "right", "0", "99999")),
            "y_position": st.sampled_from(("top", "bottom", "0", "99999")),
            "offset_ms": st.integers(0, 3_600_000),
            "duration_ms": st.integers(1, 3_600_000),
            "click_url": _URLS,
            "view_urls": st.lists(_URLS, max_size=5),
        },
    ),
    max_size=10,
)
_VERIFICATIONS = st.lists(
    st.fixed_dictionaries(
        {"vendor": _said(300), "javascript_url": _URLS},
        optional={
            "browser_optional": st.booleans(),
            "parameters": (_MARKUP | _texts(4_096)).filter(bool),
            "not_executed_url": _URLS,
        },
    ),
    max_size=10,
)
_WRAPPER = st.fixed_dictionaries(
    {
        "wrapper": st.fixed_dictionaries(
            {"url": _URLS, "duration_ms": _LENGTHS_MS},
            optional={
                "fallback_on_no_ad": st.booleans(),
                "follow_additional_wrappers": st.booleans(),
            },
        )
    },
    optional={"verifications": _VERIFICATIONS},
)
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
        optional={
            "companion": _BANNER,
            "universal_ad_id": _UNIVERSAL_ID,
            "verifications": _VERIFICATIONS,
        },
    ),
    Format.VIDEO: st.fixed_dictionaries(
        {
            "media": st.lists(
                _medium(("video/mp4", "video/webm"), width=_PIXELS, height=_PIXELS),
                min_size=1,
                max_size=20,
            )
        },
        optional={
            "skip_offset_ms": st.integers(0, 999),
            "poster": _URLS,
            "mezzanine": _MEZZANINE,
            "universal_ad_id": _UNIVERSAL_ID,
            "companions": st.lists(_BANNER, max_size=10),
            "icons": _ICONS,
            "verifications": _VERIFICATIONS,
        },
    )
    | _WRAPPER,
    Format.EMAIL: _image(alt=_said(300), text_fallback=_said(500)),
}
_CLICK_URLS = st.none() | st.lists(
    _PATH.map(lambda text: _without(text, '\\"<>^`|{}'))
    | st.sampled_from(("{click_id}", "{ad_id}", "{timestamp}", "?a=", "&b=")),
    max_size=12,
).map(lambda parts: parse_click_url("https://brand.example/" + "".join(parts)))
_TRACKERS = st.lists(_URLS.map(parse_url), max_size=20, unique=True).map(tuple)
_CAMPAIGN = a_campaign()
_FIELDS_WITH_A_STRATEGY = 70
"""Of all models of content. Change it together with `_CONTENT`."""


@st.composite
def _ads(draw: st.DrawFn, formats: tuple[Format, ...] = tuple(Format)) -> Ad:
    ad_format = draw(st.sampled_from(formats))
    content = parse_content(ad_format, draw(_CONTENT[ad_format])).model_dump(mode="json")
    click_url = draw(_CLICK_URLS)
    return an_ad(
        _CAMPAIGN,
        format=ad_format,
        width=content.get("width"),
        height=content.get("height"),
        content=canonical_json(content),
        requires=(VAST_WRAPPER,) if content.get("wrapper") else (),
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
    slot: str
    objects: tuple[Any, ...]

    def request(self, query: str = "") -> bytes:
        return (
            f"GET /v1/serve?slot={self.slot}{query} HTTP/1.1\r\nX-Service-Key: {self.key}\r\n"
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0\r\nX-Request-Id: mine\r\n"
            "Host: edge.example\r\n\r\n"
        ).encode()

    def adopt(self, ad: Ad) -> None:
        snapshot = a_snapshot(*self.objects, _CAMPAIGN, ad)
        for edge in self.edges:
            edge.context.rng = random.Random(5)
            edge.context.limiter = RateLimiter(workers=1)
            edge.context.new_token_id = lambda now_ms: UUID(int=now_ms << 80 | 7)
            edge.adopt(snapshot)

    def find_answer(self, path: ServeFastPath, query: str = "") -> bytes | None:
        request = self.request(query)
        return path.find_answer(request, 0, len(request) - 4, PEER)

    def find_cached(self) -> bytes | None:
        """By the cache alone; None where it cannot answer."""
        request = self.request()
        return self.cached.lookup_cached(request, 0, len(request) - 4, PEER)

    async def by_sanic(self, query: str = "") -> RawAnswer:
        lines = self.request(query).decode().split("\r\n")
        fields = [line for line in lines[1:] if line and not line.startswith("Host:")]
        target = lines[0].split(" ")[1]
        return await self.edges[-1].get(target, *fields)


@pytest_asyncio.fixture(scope="module")
async def paths() -> AsyncIterator[Paths]:
    text, key = a_key()
    slot = a_slot(formats=tuple(Format), sizes=())
    objects = (key, slot)
    snapshot = a_snapshot(*objects)
    async with (
        running_edge(snapshot) as one,
        running_edge(snapshot) as two,
        running_edge(snapshot, fast_path=False) as sanic,
    ):
        cached, uncached = ServeFastPath(one.app), ServeFastPath(two.app, serve_by_slow_path)
        yield Paths([one, two, sanic], cached, uncached, text.text, slot.key, objects)


async def _check(paths: Paths, ad: Ad) -> None:
    paths.adopt(ad)
    answer = paths.find_answer(paths.uncached)
    assert answer is not None
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert paths.find_answer(paths.cached) == answer
    assert paths.find_cached() == answer
    (parsed,) = parse_answers(answer)
    assert parsed.json["content"] == orjson.loads(ad.content)
    by_sanic = await paths.by_sanic()
    assert (by_sanic.status, by_sanic.body) == (200, parsed.body)


async def _check_output(paths: Paths, ad: Ad, query: str, status: int) -> bytes:
    """The body, which is the same on every path that answers."""
    paths.adopt(ad)
    by_sanic = await paths.by_sanic(query)
    assert by_sanic.status == status
    for path in (paths.uncached, paths.cached):
        found = paths.find_answer(path, query)
        if found is not None:
            (answer,) = parse_answers(found)
            assert (answer.status, answer.body) == (status, by_sanic.body)
    return by_sanic.body


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ad=_ads())
@example(ad=_html_ad("{click_url}" * 9))
@example(ad=_html_ad("{click_url}" * 5_957))
async def test_an_ad_of_any_shape_gets_the_same_response_on_every_path(
    paths: Paths, ad: Ad
) -> None:
    if ad.requires:  # a wrapper serves in VAST documents only
        assert await _check_output(paths, ad, "", 204) == b""
    else:
        await _check(paths, ad)


@pytest.mark.parametrize("version", ["4.2", "3.0"])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ad=_ads((Format.VIDEO, Format.AUDIO)))
async def test_an_ad_of_any_shape_is_a_document_that_parsers_can_read(
    paths: Paths, ad: Ad, version: str
) -> None:
    body = await _check_output(paths, ad, f"&output=vast&vast_version={version}", 200)
    root = ET.fromstring(body)  # noqa: S314 - our own edge wrote it
    texts = {one.text for one in root.iter()}
    content = orjson.loads(ad.content)
    assert {one["url"] for one in content.get("media", ())} <= texts
    assert {
        one["parameters"] for one in content.get("verifications", ()) if one["parameters"]
    } <= texts
    if content.get("wrapper"):
        assert content["wrapper"]["url"] in texts


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ad=_ads())
async def test_an_ad_of_any_shape_is_a_page_on_every_path(paths: Paths, ad: Ad) -> None:
    await _check_output(paths, ad, "&output=html", 204 if ad.requires else 200)


def _fields(kind: Any) -> set[str]:
    """Names of the fields of every model in *kind*, however deep, as `Model.field`."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        own = {f"{kind.__name__}.{name}" for name in kind.model_fields}
        return own.union(*(_fields(field.annotation) for field in kind.model_fields.values()))
    return set().union(*map(_fields, get_args(kind)))


def test_no_field_of_the_description_is_missing_in_the_shapes_above() -> None:
    """A field that is added to a content gets its strategy here, or this fails."""
    assert len(_fields(Content)) == _FIELDS_WITH_A_STRATEGY
    assert {"VideoContent.wrapper", "VideoIcon.view_urls", "Mezzanine.mime"} <= _fields(
        VideoContent
    )
    assert "AdVerification.parameters" in _fields(AudioContent)


async def test_a_segment_of_more_positions_than_the_cache_holds_is_not_cached(paths: Paths) -> None:
    await _check(paths, _html_ad("{click_url}"))
    filler, context = paths.cached._filler, paths.edges[0].context
    request = paths.request()
    split = split_head(request, 0, len(request) - 4)
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
