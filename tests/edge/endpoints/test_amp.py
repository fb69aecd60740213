"""
``output=amp`` and ``output=amp-rtc`` over a real connection. The document's rules name the sections of the AMPHTML ad
format that they come from, by their headings.
"""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from common.snapshot.codec import canonical_json
from common.values.enums import Format, Surface
from tests.edge.endpoints.players import VIDEO, Player, a_player
from tests.support import npm
from tests.support.amp_validator import VARIABLE, amp_validator_faults
from tests.support.builders import a_campaign, a_slot, an_ad
from tests.support.resources import CONTENT_OF
from tests.support.worker import events_of

_SLOT = a_slot(key="article", formats=(Format.BANNER, Format.NATIVE, Format.HTML, Format.VIDEO))
_RUNTIME: Final = "https://cdn.ampproject.org/amp4ads-v0.js"
_EXTENSIONS: Final = {"amp-analytics", "amp-video"}
_BUILT_IN: Final = {"amp-img", "amp-pixel"}
_PRETENDED: Final = npm.JUDGES / "pretended_amp_validator.js"
_FORBIDDEN: Final = {"img", "video", "audio", "iframe", "object", "form", "input", "base"}


class _Document(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.declaration = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_decl(self, decl: str) -> None:
        self.declaration = decl

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def amp_faults(text: str) -> list[str]:
    """Headings of the rules that *text* breaks, and what AMP's own validator reports where its file is named."""
    page = _Document(text)
    names = {tag for tag, _ in page.tags}
    scripts = page.all("script")
    loaded = {one["custom-element"] for one in scripts if "custom-element" in one}
    used = names & _EXTENSIONS
    rules = {
        "AMP ad format rules: doctype": page.declaration == "doctype html",
        "AMP ad format rules: <html ⚡4ads>": all("⚡4ads" in one for one in page.all("html")),
        "AMP ad format rules: runtime": [
            one["src"] for one in scripts if "custom-element" not in one and "src" in one
        ]
        == [_RUNTIME],
        "Boilerplate": "<style amp4ads-boilerplate>body{visibility:hidden}</style>" in text,
        "AMP extensions and builtins: script of each": loaded == used,
        "AMP extensions and builtins: no others": {n for n in names if n.startswith("amp-")}
        <= _EXTENSIONS | _BUILT_IN,
        "HTML tags": not names & _FORBIDDEN,
        "Scripts: only JSON inline": all(
            "src" in one or one.get("type") == "application/json" for one in scripts
        ),
        "CSS: one amp-custom, no !important": text.count("<style amp-custom>") == 1
        and "!important" not in text,
        "HTML tags: links": all(one.get("target") in {"_blank", "_top"} for one in page.all("a")),
        "Charset first": bool(re.search(r'<head><meta charset="utf-8">', text)),
        "No event handlers": not any(
            name.startswith("on") for _, attributes in page.tags for name in attributes
        ),
    }
    broken = [rule for rule, holds in rules.items() if not holds]
    return broken + amp_validator_faults(text)


def _stock(ad_format: Format, content: dict[str, Any], **changes: Any) -> tuple[Any, Any]:
    campaign = a_campaign()
    size = (300, 250) if ad_format is Format.BANNER else (None, None)
    ad = an_ad(
        campaign,
        format=ad_format,
        content=canonical_json(content),
        width=size[0],
        height=size[1],
        **changes,
    )
    return campaign, ad


async def _ask(player: Player, output: str) -> Any:
    return await player.ask(f"slot=article&output={output}")


@pytest.mark.parametrize(
    ("ad_format", "content"),
    [
        (Format.BANNER, CONTENT_OF["banner"] | {"alt": '"><script>alert(1)</script>'}),
        (Format.NATIVE, {"title": "A < B", "icon": "https://b.example/i.png", "cta": "See"}),
        (Format.VIDEO, {"media": [VIDEO]}),
        (Format.VIDEO, {"media": [VIDEO], "poster": "https://b.example/p.png?a=1&b=2"}),
    ],
)
async def test_an_amp_document_keeps_the_rules_of_its_format(
    ad_format: Format, content: dict[str, Any]
) -> None:
    trackers = ("https://t.example/i?a=1&b=2",)
    stock = _stock(ad_format, content, impression_trackers=trackers)
    async with a_player(*stock, slots=(_SLOT,)) as player:
        answer = await _ask(player, "amp")
        text = answer.body.decode()
        page = _Document(text)
        pixels = [str(one["src"]) for one in page.all("amp-pixel")]
        config = orjson.loads(text.split('type="application/json">')[1].split("</script>")[0])
        for url in (pixels[0], config["requests"]["viewable"]):
            await player.get(url)
        events = await events_of(player.edge.context)

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert amp_faults(text) == []
    assert pixels[1:] == list(trackers)
    assert [(one.kind.value, one.surface) for one in events] == [
        ("impression", Surface.AMP),
        ("viewable", Surface.AMP),
    ]


async def test_a_named_validator_examines_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    stock = _stock(Format.BANNER, CONTENT_OF["banner"])
    async with a_player(*stock, slots=(_SLOT,)) as player:
        text = (await _ask(player, "amp")).body.decode()

    monkeypatch.setenv(VARIABLE, str(_PRETENDED))
    assert amp_faults(text) == []
    assert amp_faults(text.replace("</body>", "<img></body>")) == [
        "HTML tags",
        "1:0 DISALLOWED_TAG img",
    ]


@pytest.mark.parametrize("content", [None, "", "var amp = {", "throw new Error('no rules')"])
def test_a_validator_that_does_not_run_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    file = tmp_path / "validator_wasm.js"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv(VARIABLE, str(file))
    with pytest.raises((AssertionError, FileNotFoundError), match=r"validator_wasm\.js"):
        amp_validator_faults("<!doctype html>")


async def test_an_html_ad_does_not_serve_as_amp() -> None:
    stock = _stock(Format.HTML, CONTENT_OF["html"])
    async with a_player(*stock, slots=(_SLOT,)) as player:
        statuses = [(await _ask(player, output)).status for output in ("amp", "amp-rtc", "json")]
        counted = player.edge.counted()

    assert statuses == [204, 204, 200]
    assert sum(counted.values()) == 2, "amp-rtc shows no ad, and counts no request"


async def test_real_time_config_gets_key_values_and_nothing_is_counted() -> None:
    campaign, ad = _stock(Format.BANNER, CONTENT_OF["banner"])
    async with a_player(campaign, ad, slots=(_SLOT,)) as player:
        answer = await _ask(player, "amp-rtc")
        counted = player.edge.counted()

    assert answer.json == {
        "targeting": {
            "placard_ad": ad.id,
            "placard_campaign": campaign.id,
            "placard_format": "banner",
            "placard_source": "auction",
            "placard_size": "300x250",
        }
    }
    assert counted == {}
