"""Markup: escaped, framed, and nothing from outside gets out of its attribute."""

from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.decision.demo_slots import DEMO_ALWAYS_FILL, decide_demo, find_demo_slot
from common.decision.rules.outcome import Fill
from common.snapshot.codec import canonical_json
from common.snapshot.model import Ad
from common.values.enums import Format
from edge.serving.render.markup import SANDBOX, ad_template, fill_template, page
from tests.support.builders import a_campaign, a_property, an_ad, an_opportunity

CLICK = "https://edge.example/v1/click/abc?x=1&y=2"


class Elements(HTMLParser):
    """What a browser would see: start tags with their attributes, and scripts."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def banner(**content: object) -> Ad:
    whole = {
        "image_url": "https://brand.example/a.png",
        "width": 300,
        "height": 250,
        "alt": "Shoes",
    }
    return an_ad(a_campaign(), content=canonical_json(whole | content))


def native(**content: object) -> Ad:
    whole = {
        "title": "T",
        "body": "B",
        "cta": "C",
        "sponsored_by": "S",
        "icon": None,
        "image": None,
    }
    return an_ad(
        a_campaign(),
        format=Format.NATIVE,
        width=None,
        height=None,
        content=canonical_json(whole | content),
    )


EMAIL = {"image_url": "https://brand.example/a.png", "width": 300, "height": 250, "alt": "Shoes"}
SOUND = {"url": "https://cdn.example/a.mp3", "mime": "audio/mpeg"}


def made_of(ad_format: Format, content: dict[str, Any]) -> Ad:
    return an_ad(a_campaign(), format=ad_format, content=canonical_json(content))


def html(text: str) -> Ad:
    content = {"html": text, "width": 300, "height": 250}
    return an_ad(a_campaign(), format=Format.HTML, content=canonical_json(content))


def elements(ad: Ad) -> list[tuple[str, dict[str, str | None]]]:
    return Elements(fill_template(ad_template(ad), CLICK)).seen


def test_a_banner_is_a_link_around_an_image() -> None:
    (link, link_attributes), (image, image_attributes) = elements(banner())
    assert (link, link_attributes["href"], link_attributes["rel"]) == (
        "a",
        CLICK,
        "sponsored noopener",
    )
    assert (image, image_attributes["width"], image_attributes["alt"]) == ("img", "300", "Shoes")


def test_an_html_ad_stays_in_a_sandboxed_frame() -> None:
    ((frame, attributes),) = elements(html("<script>top.location='https://evil'</script>"))
    assert frame == "iframe"
    assert attributes["sandbox"] == SANDBOX
    assert "allow-same-origin" not in SANDBOX
    assert attributes["srcdoc"] == "<script>top.location='https://evil'</script>"


def test_an_html_ad_finds_its_click_url() -> None:
    ((_, attributes),) = elements(html('<a href="{click_url}">go</a>'))
    assert Elements(attributes["srcdoc"] or "").seen == [("a", {"href": CLICK})]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil", "", None, 7])
def test_an_image_with_an_unsafe_address_is_left_out(url: object) -> None:
    assert [tag for tag, _ in elements(banner(image_url=url))] == ["a"]


@pytest.mark.parametrize(
    ("ad_format", "content"),
    [
        (Format.BANNER, EMAIL),
        (Format.EMAIL, EMAIL),
        (Format.NATIVE, {"title": "T", "image": "https://brand.example/a.png"}),
        (Format.AUDIO, {"media": [SOUND], "companion": EMAIL}),
        (Format.VIDEO, {"media": [SOUND]}),
    ],
)
def test_an_ad_without_a_click_url_has_no_link(ad_format: Format, content: dict[str, Any]) -> None:
    ad = replace(made_of(ad_format, content), click_url=None, advertiser_domain=None)
    tags = [tag for tag, _ in elements(ad)]
    assert "a" not in tags
    assert "img" in tags or "video" in tags


@pytest.mark.parametrize("ad_format", [Format.BANNER, Format.EMAIL])
def test_the_ad_of_the_demo_slot_shows_its_picture(ad_format: Format) -> None:
    prop = a_property()
    slot = find_demo_slot(prop, DEMO_ALWAYS_FILL)
    assert slot is not None
    decision = decide_demo(replace(an_opportunity(slot), property=prop, format=ad_format))
    assert isinstance(decision, Fill)
    (picture,) = [attributes for tag, attributes in elements(decision.ad) if tag == "img"]
    assert (picture["src"] or "").startswith("data:image/svg+xml,")


def test_an_email_ad_is_a_table_around_a_link_around_an_image() -> None:
    found = elements(made_of(Format.EMAIL, EMAIL))
    assert [tag for tag, _ in found] == ["table", "tr", "td", "a", "img"]
    assert (found[3][1]["href"], found[4][1]["alt"]) == (CLICK, "Shoes")


def test_an_audio_ad_is_a_player_and_a_companion_to_click() -> None:
    (link, link_attributes), (image, size), (player, _), (source, sound) = elements(
        made_of(Format.AUDIO, {"media": [SOUND], "companion": EMAIL})
    )
    assert (link, image, player, source) == ("a", "img", "audio", "source")
    assert (link_attributes["href"], size["width"]) == (CLICK, "300")
    assert sound == {"src": SOUND["url"], "type": "audio/mpeg"}


def test_an_audio_ad_without_a_companion_is_a_player_alone() -> None:
    found = elements(made_of(Format.AUDIO, {"media": [SOUND], "companion": None}))
    assert [tag for tag, _ in found] == ["audio", "source"]


def test_a_video_ad_is_a_player_with_every_rendition_and_a_link() -> None:
    found = elements(made_of(Format.VIDEO, {"media": [SOUND, SOUND], "skip_offset_ms": None}))
    assert [tag for tag, _ in found] == ["video", "source", "source", "a"]
    assert found[3][1]["href"] == CLICK


def test_a_video_ad_has_its_poster() -> None:
    poster = "https://cdn.example/a.png?size=1&again=2"
    video, *_ = elements(made_of(Format.VIDEO, {"media": [SOUND], "poster": poster}))
    assert video[1]["poster"] == poster


@pytest.mark.parametrize("url", ["javascript:alert(1)", "//evil", "", None, 7])
def test_a_poster_with_an_unsafe_address_is_left_out(url: object) -> None:
    video, *_ = elements(made_of(Format.VIDEO, {"media": [SOUND], "poster": url}))
    assert "poster" not in video[1]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil", "", None, 7])
def test_a_recording_with_an_unsafe_address_is_left_out(url: object) -> None:
    found = elements(made_of(Format.AUDIO, {"media": [SOUND | {"url": url}], "companion": None}))
    assert [tag for tag, _ in found] == ["audio"]


@given(st.text(), st.text())
def test_no_text_of_a_recording_escapes_its_attribute(url: str, mime: str) -> None:
    media = [{"url": f"https://cdn.example/{url}", "mime": mime}]
    found = elements(made_of(Format.AUDIO, {"media": media, "companion": EMAIL | {"alt": mime}}))
    assert {tag for tag, _ in found} <= {"a", "img", "audio", "source"}
    assert all(set(held) == {"src", "type"} for tag, held in found if tag == "source")


@given(st.text())
def test_no_text_of_a_banner_escapes_its_attribute(text: str) -> None:
    (_, _), (image, attributes) = elements(banner(alt=text))
    assert image == "img"
    assert set(attributes) == {"src", "alt", "width", "height", "style"}


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_text_of_a_native_ad_becomes_markup(title: str, body: str) -> None:
    tags = [tag for tag, _ in elements(native(title=title, body=body))]
    assert tags == ["a", "strong", "span", "span", "small"]


@given(st.text())
def test_no_html_leaves_its_frame(text: str) -> None:
    assert [tag for tag, _ in elements(html(text))] == ["iframe"]


def test_a_page_counts_its_impression_and_fires_the_advertiser_s_pixels() -> None:
    whole = page("<b>ad</b>", "https://edge.example/i.gif", ("https://verify.example/p?a=1&b=2",))
    pixels = [attributes["src"] for tag, attributes in Elements(whole).seen if tag == "img"]
    assert pixels == ["https://edge.example/i.gif", "https://verify.example/p?a=1&b=2"]
