"""The example of all formats, as its reader opens it."""

from pathlib import Path
from urllib.parse import urlencode

from common.values.enums import Format
from tests.clients.publisher import BANNER, DIST, ROOT, Publisher, until

_EXAMPLES = ROOT / "clients" / "web" / "examples"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8"}
_CONTENTS = {
    Format.BANNER: BANNER,
    Format.NATIVE: {"title": "Shoes", "body": "Light."},
    Format.HTML: {"html": "<p>Shoes</p>", "width": 300, "height": 250},
    Format.AUDIO: {"media": []},
    Format.VIDEO: {"media": []},
    Format.EMAIL: BANNER | {"width": 600, "height": 200},
}


async def test_every_format_that_a_page_can_show_is_shown(publisher: Publisher) -> None:
    for ad_format, content in _CONTENTS.items():
        publisher.place(ad_format.value, ad_format, content=content)
    for folder in (_EXAMPLES, DIST):
        for path in folder.iterdir():
            if kind := _TYPES.get(path.suffix):
                _put(publisher, path, kind)
    query = urlencode({"key": publisher.key, "edge": publisher.edge_url})
    publisher.site.page(
        f"127.0.0.1/examples/formats.html?{query}",
        (_EXAMPLES / "formats.html").read_bytes(),
        "Content-Type: text/html; charset=utf-8",
    )

    page = await publisher.context.new_page()
    await page.goto(f"{publisher.origin}/examples/formats.html?{query}")
    await page.evaluate(
        "document.querySelectorAll('[lazy]').forEach((one) => one.removeAttribute('lazy'))"
    )
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    await until(page, "document.querySelectorAll('[data-state=filled]').length === 6")

    kinds = [kind for kind, _ in await publisher.kept(6, of="impression")]
    assert kinds.count("impression") == 6


def _put(publisher: Publisher, path: Path, kind: str) -> None:
    publisher.site.page(
        f"127.0.0.1/{path.parent.name}/{path.name}", path.read_bytes(), f"Content-Type: {kind}"
    )
