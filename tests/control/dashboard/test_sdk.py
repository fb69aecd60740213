"""The web library as any page of any site fetches it."""

import hashlib
import re
from base64 import b64encode

import httpx
import orjson

from control.dashboard.sdk import LIBRARY, pin_element
from tests.support.control_api import ControlApi
from tests.support.http_client import http_client


async def _get(api: ControlApi, path: str) -> httpx.Response:
    async with http_client(base_url=api.http.base_url) as anyone:
        return await anyone.get(path)


async def test_the_library_contains_the_addresses_of_the_edges(api: ControlApi) -> None:
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


async def test_only_the_address_with_the_hash_is_cached_for_long(api: ControlApi) -> None:
    plain = await _get(api, "/sdk/placard.js")
    version = hashlib.sha256(plain.content).hexdigest()[:12]
    exact = await _get(api, f"/sdk/placard.js?v={version}")
    stale = await _get(api, "/sdk/placard.js?v=000000000000")

    assert plain.headers["cache-control"] == "public, max-age=300"
    assert stale.headers["cache-control"] == "public, max-age=300"
    assert exact.headers["cache-control"] == "public, max-age=31536000, immutable"


async def test_an_unknown_file_of_the_library_is_404(api: ControlApi) -> None:
    for name in ("index.d.ts", "..%2fpackage.json", "none.js"):
        assert (await _get(api, f"/sdk/{name}")).status_code == 404


async def test_a_file_is_sent_again_only_when_it_changed(api: ControlApi) -> None:
    first = await _get(api, "/sdk/placard.js")
    async with http_client(base_url=api.http.base_url) as anyone:
        again = await anyone.get(
            "/sdk/placard.js", headers={"If-None-Match": f'"other", {first.headers["etag"]}'}
        )
        other = await anyone.get("/sdk/placard.js", headers={"If-None-Match": '"other"'})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert (other.status_code, other.content) == (200, first.content)


async def test_a_released_version_is_the_same_bytes_at_every_host(api: ControlApi) -> None:
    pinned = pin_element()
    answer = await _get(api, pinned.path)

    released = LIBRARY / "released" / pinned.path.split("/")[2]
    assert answer.content == (released / "placard.js").read_bytes()
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    digest = b64encode(hashlib.sha384(answer.content).digest()).decode()
    assert pinned.integrity == f"sha384-{digest}"
    for name in (path.name for path in released.iterdir()):
        assert (await _get(api, f"/sdk/{released.name}/{name}")).status_code == 200


async def test_an_unknown_version_is_404(api: ControlApi) -> None:
    for path in ("/sdk/9.9.9/placard.js", "/sdk/../placard.js", "/sdk/0.1.0/none.js"):
        assert (await _get(api, path)).status_code == 404


def test_a_released_build_does_not_change() -> None:
    """What differs from a release has another version: pages that pinned the release refuse other bytes."""
    version = orjson.loads((LIBRARY / "package.json").read_bytes())["version"]
    released = LIBRARY / "released" / version
    if released.is_dir():
        files = list(released.iterdir())
        assert files
        for path in files:
            assert path.read_bytes() == (LIBRARY / "dist" / path.name).read_bytes(), path.name
