"""What an ad may be made of, by format."""

from typing import Any

import pytest
from pydantic import ValidationError

from control.demand.ads.schemas import AdCreate, AdPatch

BANNER = {"image_url": "https://cdn.example.com/a.png", "width": 300, "height": 250}
SOUND = {"url": "https://cdn.example.com/a.mp3", "mime": "audio/mpeg", "duration_ms": 15_000}
CLIP = {
    "url": "https://cdn.example.com/a.mp4",
    "mime": "video/mp4",
    "width": 640,
    "height": 360,
    "bitrate_kbps": 800,
    "duration_ms": 15_000,
}
EMAIL = BANNER | {"alt": "Spring", "text_fallback": "Spring sale at https://shop.example.com"}
GOOD: dict[str, Any] = {
    "campaign_id": "01940b3e-0000-7000-8000-0000000000c1",
    "name": "Spring",
    "format": "banner",
    "content": BANNER,
}


def refusals(**changes: Any) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as caught:
        AdCreate.model_validate(GOOD | changes)
    return [(".".join(map(str, fault["loc"])), fault["type"]) for fault in caught.value.errors()]


@pytest.mark.parametrize(
    ("ad_format", "content"),
    [
        ("banner", BANNER),
        ("html", {"html": "<b>\n</b>", "width": 1, "height": 10_000}),
        ("native", {"title": "x" * 90}),
        ("native", {"title": "t", "body": "b", "cta": "c", "icon": "https://cdn.example.com/i"}),
        ("native", {"title": "t", "body": "Two\nlines"}),
        ("audio", {"media": [SOUND]}),
        ("audio", {"media": [SOUND, SOUND | {"duration_ms": 15_900}], "companion": BANNER}),
        ("audio", {"media": [SOUND | {"url": "http://127.0.0.1:8080/a.mp3"}]}),
        ("video", {"media": [CLIP], "skip_offset_ms": 5000}),
        ("email", EMAIL),
    ],
)
def test_content_fits_its_format(ad_format: str, content: dict[str, Any]) -> None:
    ad = AdCreate.model_validate(GOOD | {"format": ad_format, "content": content})

    assert ad.content.model_dump(exclude_unset=True) == content


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"content": {"width": 1, "height": 1}}, [("content.image_url", "missing")]),
        ({"content": BANNER | {"html": ""}}, [("content.html", "extra_forbidden")]),
        ({"content": BANNER | {"width": 0}}, [("content.width", "greater_than_equal")]),
        ({"content": []}, [("content", "model_type")]),
        (
            {"content": BANNER | {"image_url": "http://cdn.example.com/"}},
            [("content.image_url", "url_not_https")],
        ),
        (
            {"format": "native", "content": {"title": "x" * 91, "cta": "x" * 31}},
            [("content.title", "string_too_long"), ("content.cta", "string_too_long")],
        ),
        (
            {"format": "html", "content": {"html": "a\x00", "width": 1, "height": 1}},
            [("content.html", "control_character")],
        ),
        (
            {"format": "html", "content": {"html": "é" * 40_000, "width": 1, "height": 1}},
            [("content.html", "length")],
        ),
        ({"asset_ids": {"image": "a"}}, [("asset_ids.image", "id_invalid")]),
        ({"format": "audio", "content": {"media": []}}, [("content.media", "too_short")]),
        (
            {"format": "audio", "content": {"media": [SOUND | {"mime": "audio/midi"}]}},
            [("content.media.0.mime", "literal_error")],
        ),
        (
            {"format": "audio", "content": {"media": [SOUND | {"duration_ms": 0}]}},
            [("content.media.0.duration_ms", "greater_than_equal")],
        ),
        (
            {"format": "audio", "content": {"media": [SOUND, SOUND | {"duration_ms": 30_000}]}},
            [("content.media", "durations_differ")],
        ),
        (
            {"format": "audio", "content": {"media": [SOUND | {"url": "http://10.0.0.1/a.mp3"}]}},
            [("content.media.0.url", "url_not_https")],
        ),
        (
            {"format": "audio", "content": {"media": [SOUND | {"url": "https://a@b.example/a"}]}},
            [("content.media.0.url", "url_credentials")],
        ),
        (
            {"format": "video", "content": {"media": [CLIP | {"url": "https://10.0.0.1/a"}]}},
            [("content.media.0.url", "host_is_address")],
        ),
        (
            {
                "format": "video",
                "content": {"media": [CLIP | {"mime": "application/vnd.apple.mpegurl"}]},
            },
            [("content.media.0.mime", "hls_not_taken")],
        ),
        (
            {"format": "video", "content": {"media": [CLIP], "skip_offset_ms": 15_000}},
            [("content.skip_offset_ms", "skip_after_end")],
        ),
        (
            {
                "name": "",
                "format": "video",
                "content": {"media": [CLIP, CLIP | {"duration_ms": 1}], "skip_offset_ms": -1},
            },
            [
                ("name", "string_too_short"),
                ("content.media", "durations_differ"),
                ("content.skip_offset_ms", "greater_than_equal"),
            ],
        ),
        (
            {"format": "email", "content": BANNER | {"alt": " "}},
            [("content.alt", "string_too_short"), ("content.text_fallback", "missing")],
        ),
        (
            {"click_url": "https://shop.example.com/?a={gclid}"},
            [("click_url", "macro_unknown")],
        ),
        (
            {"click_url": "https://shop.example.com/?a={ad_id"},
            [("click_url", "macro_unbalanced")],
        ),
        ({"weight": 0}, [("weight", "greater_than_equal")]),
        ({"weight": 101}, [("weight", "less_than_equal")]),
        (
            {"tracking": {"impression_urls": ["http://a.example.com/"]}},
            [("tracking.impression_urls.0", "url_not_https")],
        ),
        ({"slot_ids": ["top"]}, [("slot_ids.0", "id_invalid")]),
        ({"status": "active"}, [("status", "extra_forbidden")]),
    ],
)
def test_a_fault_is_named_where_it_is(
    changes: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert refusals(**changes) == expected


def test_format_and_campaign_cannot_be_patched() -> None:
    for field in ("format", "campaign_id", "status"):
        with pytest.raises(ValidationError):
            AdPatch.model_validate({field: "x"})
