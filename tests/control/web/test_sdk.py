"""The web library as any page of any site fetches it."""

import hashlib
import re

import httpx

from tests.support.control_api import ControlApi


async def _get(api: ControlApi, path: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=api.http.base_url) as anyone:
        return await anyone.get(path)


async def test_the_library_says_which_edges_there_are(api: ControlApi) -> None:
    answer = await _get(api, "/sdk/placard.js")

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    first = answer.text.splitlines()[0]
    assert re.fullmatch(r'globalThis\.serviceAdEdges\?\?=\{"live":"[^"]+","test":"[^"]+"\};', first)


async def test_every_site_may_load_it(api: ControlApi) -> None:
    for name in (
        "placard.js",
        "formats.js",
        "consent-apis.js",
        "debug.js",
        "refresh.js",
        "embed.js",
    ):
        answer = await _get(api, f"/sdk/{name}")

        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"


async def test_only_the_address_of_these_very_bytes_is_kept_for_long(api: ControlApi) -> None:
    plain = await _get(api, "/sdk/placard.js")
    version = hashlib.sha256(plain.content).hexdigest()[:12]
    exact = await _get(api, f"/sdk/placard.js?v={version}")
    stale = await _get(api, "/sdk/placard.js?v=000000000000")

    assert plain.headers["cache-control"] == "public, max-age=300"
    assert stale.headers["cache-control"] == "public, max-age=300"
    assert exact.headers["cache-control"] == "public, max-age=31536000, immutable"


async def test_what_is_no_file_of_the_library_is_404(api: ControlApi) -> None:
    for name in ("index.d.ts", "..%2fpackage.json", "none.js"):
        assert (await _get(api, f"/sdk/{name}")).status_code == 404
