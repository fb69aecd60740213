"""A player library that is not ours, in a real browser, plays a stitched stream; the edge has each event once."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import Browser, Route

from common.values.enums import EventKind, QualitySignal
from tests.clients.publisher import PUBLIC_EDGE, until
from tests.edge.stitching.stitching_edge import an_uploaded_ad, stitching_edge
from tests.support import npm
from tests.support.sounds import a_transport_stream
from tests.support.worker import events_of

_PAGE = b"""<!doctype html><title>Show</title><audio></audio><script src="/hls.js"></script><script>
globalThis.play = (url) => {
  const hls = new Hls(), sound = document.querySelector("audio");
  globalThis.faults = [];
  hls.on(Hls.Events.ERROR, (_, { fatal, details }) => fatal && faults.push(details));
  sound.addEventListener("ended", () => { globalThis.ended = sound.currentTime; });
  Object.assign(sound, { muted: true, defaultPlaybackRate: 4, playbackRate: 4 });
  hls.loadSource(url);
  hls.attachMedia(sound);
  return sound.play();
};
</script>"""
_CONTENT_S, _AD_S = 12, 5


async def test_hls_js_plays_through_two_breaks_and_each_event_counts_once(
    chromium: Browser, tmp_path: Path
) -> None:
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:6"]
    lines += ["#EXTINF:6.000,", "a.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:6.000,", "b.ts"]
    breaks = [{"id": "pre", "type": "pre"}, {"id": "mid", "type": "mid", "offset_ms": 6_000}]
    library = npm.install(npm.JUDGES) / "hls.js" / "dist" / "hls.min.js"
    context = await chromium.new_context()
    async with stitching_edge(tmp_path, *an_uploaded_ad(tmp_path, "a", seconds=_AD_S)) as edge:
        segment = a_transport_stream(6)
        edge.origin.files = {
            "/page.html": _PAGE,
            "/hls.js": library.read_bytes(),
            "/show.m3u8": "\n".join([*lines, "#EXT-X-ENDLIST", ""]).encode(),
            "/a.ts": segment,
            "/b.ts": segment,
        }

        async def to_our_edge(route: Route) -> None:
            answer = await edge.get(urlsplit(route.request.url).path)
            await route.fulfill(status=answer.status, headers=answer.headers, body=answer.body)

        await context.route(f"{PUBLIC_EDGE}/**", to_our_edge)
        content = {"url": edge.origin.url("/show.m3u8"), "kind": "hls"}
        body = {"slot": "podcast", "breaks": breaks, "content": content, "output": "hls"}
        session = await edge.stitch(body)
        page = await context.new_page()
        await page.goto(edge.origin.url("/page.html"))
        await page.evaluate("(url) => play(url)", session["url"])
        await until(page, "!!(globalThis.ended || faults.length)")
        ended_s, faults = await page.evaluate("[globalThis.ended, faults]")
        events = await events_of(edge.edge.context)
    await context.close()

    assert faults == []
    assert abs(ended_s - _CONTENT_S - 2 * _AD_S) < 1
    kinds = [EventKind.IMPRESSION, *QualitySignal]
    assert {kind: [one.kind for one in events].count(kind) for kind in kinds} == {
        kind: 0 if kind in {QualitySignal.VIEWABLE, QualitySignal.SKIP, QualitySignal.ERROR} else 2
        for kind in kinds
    }
