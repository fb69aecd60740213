"""``output=html``: a whole document for a frame, which counts its own impression and lets nothing out."""

from html.parser import HTMLParser

import pytest

from common.snapshot.codec import canonical_json
from common.values.enums import Format
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.serving.render.markup import SANDBOX
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.edge import running_edge
from tests.support.raw_http import RawAnswer
from tests.support.resources import CONTENT_OF

HOSTILE = (
    "</iframe></body><script>parent.document.title='taken'</script>",
    '"><script>top.location="https://evil.example"</script>',
    "<base href='https://evil.example/'><form action='https://evil.example'><input name=a></form>",
    "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
    "<svg onload=alert(1)><iframe src=javascript:alert(1)>",
    "\x00</iframe>\x00<script>1</script>",
)


class Document(HTMLParser):
    """Start tags and their attributes, as a browser would find them outside of frames' own documents."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.found: dict[str, list[dict[str, str | None]]] = {}
        self.feed(body.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found.setdefault(tag, []).append(dict(attrs))

    def values(self, tag: str, name: str) -> list[str]:
        return [one.get(name) or "" for one in self.found.get(tag, ())]


async def page_of(ad_format: Format, content: dict[str, object], query: str = "") -> RawAnswer:
    text, row = a_key(KeyKind.PUBLISHABLE, Environment.LIVE)
    slot = a_slot(formats=(ad_format,))
    campaign = a_campaign()
    ad = an_ad(campaign, format=ad_format, content=canonical_json(content))
    async with running_edge(a_snapshot(row, slot, campaign, ad)) as edge:
        return await edge.serve(f"slot=top&output=html{query}", text.text)


@pytest.mark.parametrize("ad_format", list(Format))
async def test_a_page_of_each_format_counts_and_redirects_through_the_edge(
    ad_format: Format,
) -> None:
    answer = await page_of(ad_format, CONTENT_OF[ad_format])
    document = Document(answer.body)
    pixels = [url for url in document.values("img", "src") if "/v1/impression/" in url]
    assert answer.status == 200
    assert len(pixels) == 1
    assert all("/v1/click/" in url for url in document.values("a", "href"))
    assert "script" not in document.tags


@pytest.mark.parametrize("ad_format", list(Format))
async def test_a_page_is_sandboxed_and_not_cached(ad_format: Format) -> None:
    answer = await page_of(ad_format, CONTENT_OF[ad_format])
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == f"sandbox {SANDBOX}"
    assert "allow-same-origin" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("html", HOSTILE)
async def test_hostile_markup_stays_in_its_own_frame(html: str) -> None:
    answer = await page_of(Format.HTML, {"html": html, "width": 300, "height": 250})
    document = Document(answer.body)
    assert document.tags == ["html", "meta", "title", "style", "iframe", "img"]
    (frame,) = document.found["iframe"]
    assert frame["sandbox"] == SANDBOX
    assert frame["srcdoc"] == html.replace("\x00", "")
    assert "src" not in frame


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_of_a_native_ad_stays_text(text: str) -> None:
    content: dict[str, object] = {"title": text, "body": text, "cta": text, "sponsored_by": text}
    answer = await page_of(Format.NATIVE, content)
    tags = Document(answer.body).tags
    assert tags == ["html", "meta", "title", "style", "a", "strong", "span", "span", "small", "img"]


async def test_a_page_without_an_ad_is_204() -> None:
    answer = await page_of(Format.BANNER, CONTENT_OF[Format.BANNER], "&format=video")
    assert (answer.status, answer.body) == (204, b"")
