"""A player library that is not ours, in a real browser, plays a VAST document; the edge has each event once."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, Route

from common.decision.demo_media import DEMO_VIDEO
from common.values.enums import Format
from tests.clients.publisher import PUBLIC_EDGE, Publisher, until
from tests.support import npm

_MEDIA = {"url": DEMO_VIDEO, "mime": "video/mp4", "width": 160, "height": 90, "duration_ms": 5_000}
_AGENT = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0 Safari/537.36"
_PLAYER = """
import { VASTClient, VASTTracker } from "/vast-client.js";
const client = new VASTClient();
globalThis.play = async (tag, skipAt) => {
  const { ads } = await client.get(tag);
  const linear = ads[0].creatives.find(({ type }) => type === "linear");
  const tracker = new VASTTracker(client, ads[0], linear);
  const video = document.querySelector("video");
  Object.assign(video, { muted: true, defaultPlaybackRate: 4 });
  const { fileURL: src, mimeType: type } = linear.mediaFiles[0];
  const player = globalThis.videojs?.(video);
  if (player) player.src({ src, type });
  else video.src = src;
  video.addEventListener("playing", () => tracker.trackImpression());
  video.addEventListener("timeupdate", () => {
    if (video.ended || video.paused) return;
    tracker.setProgress(video.currentTime);
    if (video.currentTime < skipAt) return;
    tracker.skip();
    video.pause();
  });
  video.addEventListener("ended", () => tracker.complete());
  await (player ?? video).play();
  return { ads: ads.length, skipDelay: linear.skipDelay, id: ads[0].adServingId };
};
globalThis.fail = async (tag) => {
  const { ads } = await client.get(tag);
  new VASTTracker(client, ads[0], ads[0].creatives[0]).error({ ERRORCODE: "405" });
};
"""


@pytest.fixture
async def page(publisher: Publisher) -> Page:
    library = npm.install(npm.JUDGES) / "@dailymotion/vast-client/dist/vast-client.min.js"
    for name, text in (("vast-client", library.read_text("utf-8")), ("player", _PLAYER)):
        publisher.site.page(f"127.0.0.1/{name}.js", text, "Content-Type: text/javascript")

    async def to_our_edge(route: Route) -> None:
        parts = urlsplit(route.request.url)
        answer = await publisher.edge.get(f"{parts.path}?{parts.query}", _AGENT)
        await route.fulfill(status=answer.status, headers=dict(answer.headers), body=answer.body)

    await publisher.context.route(f"{PUBLIC_EDGE}/v1/**", to_our_edge)
    content = {"media": [_MEDIA], "skip_offset_ms": 1_000}
    publisher.place("film", Format.VIDEO, content=content)
    opened = await publisher.open('<video></video><script type="module" src="/player.js"></script>')
    await until(opened, "!!globalThis.play")
    return opened


def _tag(publisher: Publisher, more: str = "") -> str:
    return f"{publisher.edge_url}/v1/serve?slot=film&output=vast&key={publisher.key}{more}"


async def _play(page: Page, tag: str, skip_at_s: float) -> dict[str, Any]:
    played: dict[str, Any] = await page.evaluate(
        "([tag, skipAt]) => play(tag, skipAt)", [tag, skip_at_s]
    )
    return played


@pytest.mark.parametrize("version", ["4.2", "3.0"])
async def test_a_player_reports_each_event_of_a_whole_film_once(
    publisher: Publisher, page: Page, version: str
) -> None:
    played = await _play(page, _tag(publisher, f"&vast_version={version}"), 99)
    await publisher.kept(1, "complete")
    events = await publisher.events()

    assert (played["ads"], played["skipDelay"]) == (1, 1)
    assert sorted(kind for kind, _ in events) == sorted(
        [
            *("impression", "start", "first_quartile", "midpoint", "third_quartile"),
            "complete",
        ]
    )
    assert {reason for _, reason in events} == {"ok_test"}


async def test_video_js_reports_each_event_of_a_whole_film_once(
    publisher: Publisher, page: Page
) -> None:
    library = npm.install(npm.JUDGES) / "video.js" / "dist" / "video.min.js"
    script = library.read_text("utf-8")
    publisher.site.page("127.0.0.1/video.js", script, "Content-Type: text/javascript")
    await page.add_script_tag(url="/video.js")
    await _play(page, _tag(publisher), 99)
    await publisher.kept(1, "complete")
    kinds = [kind for kind, _ in await publisher.events()]

    assert await page.locator("video.vjs-tech").count() == 1
    assert sorted(kinds) == sorted(
        [
            *("impression", "start", "first_quartile", "midpoint", "third_quartile"),
            "complete",
        ]
    )


async def test_a_skip_is_a_skip(publisher: Publisher, page: Page) -> None:
    await _play(page, _tag(publisher), 1.5)
    await publisher.kept(1, "skip")
    kinds = [kind for kind, _ in await publisher.events()]

    assert sorted(kinds) == ["first_quartile", "impression", "skip", "start"]


async def test_a_player_reports_the_code_of_what_it_cannot_play(
    publisher: Publisher, page: Page
) -> None:
    await page.evaluate("(tag) => fail(tag)", _tag(publisher, "&macros=plain"))
    await publisher.kept(1, "error")

    assert [kind for kind, _ in await publisher.events()] == ["error"]
    assert dict(publisher.edge.context.metrics.player_errors) == {"405": 1}


async def test_a_player_reports_an_error_without_its_code_from_a_strictly_valid_document(
    publisher: Publisher, page: Page
) -> None:
    await page.evaluate("(tag) => fail(tag)", _tag(publisher))
    await publisher.kept(1, "error")

    assert dict(publisher.edge.context.metrics.player_errors) == {"other": 1}
