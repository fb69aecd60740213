"""The pixel and the redirect over real HTTP: they answer for a page that cannot try again."""

import asyncio
import random
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from common.snapshot.model import Ad
from common.tracking.token import TOKEN_CHARS
from common.values.enums import EventKind, Reason
from common.values.environment import Environment
from edge.endpoints.impression import GIF
from tests.edge.tracking.track_clients import (
    BROWSER,
    PREFETCHES,
    ROBOT,
    TrackClients,
    open_track_clients,
)
from tests.support.builders import a_campaign, an_ad
from tests.support.spools import fill_up
from tests.support.tokens import for_ad
from tests.support.worker import events_of, later

DAY_S = 86_400


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[TrackClients]:
    async with open_track_clients(tmp_path) as clients:
        yield clients


def pixel(text: str) -> str:
    return f"/v1/impression/{text}.gif"


def click(text: str) -> str:
    return f"/v1/click/{text}"


async def kinds_of(clients: TrackClients) -> list[str]:
    return [event.kind for event in await events_of(clients.edge)]


async def test_the_pixel_is_an_image_and_counts_an_impression(live: TrackClients) -> None:
    response = await live.get(pixel(live.tokens().impression))
    assert (response.status_code, response.content) == (200, GIF)
    assert (len(GIF), response.headers["Content-Type"]) == (43, "image/gif")
    assert await kinds_of(live) == [EventKind.IMPRESSION]


async def test_the_pixel_is_not_cached(live: TrackClients) -> None:
    headers = (await live.get(pixel(live.tokens().impression))).headers
    assert headers["Cache-Control"] == "no-store, no-cache, must-revalidate, private"
    assert (headers["Pragma"], headers["Expires"]) == ("no-cache", "0")
    assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


async def test_the_click_redirects_to_the_ads_address_and_counts(live: TrackClients) -> None:
    tokens = live.tokens()
    response = await live.get(click(tokens.click))
    (event,) = await events_of(live.edge)
    assert response.status_code == 302
    assert response.headers["Location"] == (
        f"{live.ad.click_url}?sa_click_id={live.edge.click_ids.sign(event.token_id)}"
    )
    assert (event.kind, event.reason) == (EventKind.CLICK, Reason.OK)


async def test_the_redirect_is_not_cached_and_sends_no_referrer(live: TrackClients) -> None:
    headers = (await live.get(click(live.tokens().click))).headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"


async def test_replays_answer_alike_and_count_once(live: TrackClients) -> None:
    tokens = live.tokens()
    for path in (pixel(tokens.impression), click(tokens.click)):
        first, second = await live.get(path), await live.get(path)
        assert first.status_code == second.status_code
        assert first.content == second.content
    assert await kinds_of(live) == [EventKind.IMPRESSION, EventKind.CLICK]


async def test_a_head_gets_the_same_answer_and_counts_nothing(live: TrackClients) -> None:
    tokens = live.tokens()
    agent = {"User-Agent": "Mozilla/5.0 Firefox/132.0"}
    picture = await live.http.head(pixel(tokens.impression), headers=agent)
    redirect = await live.http.head(click(tokens.click), headers=agent)
    assert (picture.status_code, picture.headers["Content-Length"]) == (200, "43")
    assert redirect.headers["Location"].startswith("https://brand.example/landing?")
    assert await events_of(live.edge) == []


@pytest.mark.parametrize("headers", PREFETCHES)
async def test_a_prefetch_gets_the_same_answer_is_shown_as_invalid_and_leaves_the_token(
    live: TrackClients, headers: dict[str, str]
) -> None:
    tokens = live.tokens()
    assert (await live.get(pixel(tokens.impression), **headers)).status_code == 200
    assert (await live.get(click(tokens.click), **headers)).status_code == 302
    await live.get(pixel(tokens.impression))
    await live.get(click(tokens.click))
    assert [(event.kind, event.reason) for event in await events_of(live.edge)] == [
        (EventKind.IMPRESSION, Reason.PREFETCH),
        (EventKind.CLICK, Reason.PREFETCH),
        (EventKind.IMPRESSION, Reason.OK),
        (EventKind.CLICK, Reason.OK),
    ]


async def test_an_expired_pixel_is_an_image_that_does_not_count(live: TrackClients) -> None:
    tokens = live.tokens()
    later(live.edge, s=631)
    assert (await live.get(pixel(tokens.impression))).content == GIF
    assert await events_of(live.edge) == []


async def test_an_expired_click_still_redirects_and_does_not_count(live: TrackClients) -> None:
    tokens = live.tokens()
    later(live.edge, s=399 * DAY_S)
    response = await live.get(click(tokens.click))
    assert response.headers["Location"].startswith("https://brand.example/landing?")
    assert await events_of(live.edge) == []


async def test_after_four_hundred_days_a_click_does_not_redirect(live: TrackClients) -> None:
    tokens = live.tokens()
    later(live.edge, s=400 * DAY_S + 1)
    assert (await live.get(click(tokens.click))).status_code == 404


async def test_a_click_counts_for_four_hours(live: TrackClients) -> None:
    tokens = live.tokens()
    later(live.edge, s=4 * 3_600)
    await live.get(click(tokens.click))
    assert await kinds_of(live) == [EventKind.CLICK]


async def test_a_token_for_one_use_is_refused_for_another(live: TrackClients) -> None:
    tokens = live.tokens()
    for path in (pixel(tokens.track), pixel(tokens.click), click(tokens.track)):
        assert (await live.get(path)).status_code == 404
    assert (await live.get(click(tokens.impression))).status_code == 404
    assert await events_of(live.edge) == []


@pytest.mark.parametrize("text", ["x", "A" * 205, "A" * 176 + "." + "A" * 28, "%00", "..%2f.."])
async def test_a_forged_token_is_404_in_the_envelope(live: TrackClients, text: str) -> None:
    for path in (pixel(text), click(text)):
        response = await live.get(path)
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


async def test_mutated_click_urls_never_redirect(live: TrackClients) -> None:
    text = live.tokens().click
    dice = random.Random(7)
    for _ in range(300):
        place = dice.randrange(TOKEN_CHARS)
        other = dice.choice([c for c in "ABCxyz019-_." if c != text[place]])
        response = await live.get(click(text[:place] + other + text[place + 1 :]))
        assert response.status_code == 404


async def test_nothing_in_the_query_changes_the_target_of_a_click(live: TrackClients) -> None:
    query = "?url=https://evil.example&click_url=https://evil.example&sa_click_id=x"
    response = await live.get(click(live.tokens().click) + query)
    assert response.headers["Location"].startswith("https://brand.example/landing?sa_click_id=")
    assert "evil" not in response.headers["Location"]


async def test_a_click_on_a_removed_ad_does_not_redirect(live: TrackClients) -> None:
    gone = an_ad(a_campaign())
    response = await live.get(click(live.tokens(**for_ad(gone)).click))
    assert (response.status_code, await events_of(live.edge)) == (404, [])


@pytest.mark.parametrize("click_url", [None, "javascript:alert(1)", "http://brand.example/"])
async def test_a_click_on_an_ad_without_a_safe_address_does_not_redirect(
    tmp_path: Path, click_url: str | None
) -> None:
    campaign = a_campaign()
    bad: Ad = an_ad(campaign, click_url=click_url)
    async with open_track_clients(tmp_path, campaign, bad) as clients:
        response = await clients.get(click(clients.tokens(**for_ad(bad)).click))
        assert response.status_code == 404


async def test_with_a_full_spool_both_still_answer(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, spool_max_bytes=150_000) as clients:
        await fill_up(clients.edge.spool)
        tokens = clients.tokens()
        assert (await clients.get(pixel(tokens.impression))).content == GIF
        assert (await clients.get(click(tokens.click))).status_code == 302
        assert clients.edge.redemptions.counts.lost_spool_full == 2
        clients.edge.spool.settle(clients.edge.spool.last_sequence)


async def test_a_robots_click_redirects_and_is_marked(live: TrackClients) -> None:
    tokens = live.tokens()
    assert (await live.get(click(tokens.click), **{"User-Agent": ROBOT})).status_code == 302
    await live.get(click(tokens.click))
    reasons = [event.reason for event in await events_of(live.edge)]
    assert reasons == [Reason.BOT_USER_AGENT, Reason.OK]


async def test_a_user_agent_that_is_not_text_counts_at_every_endpoint(live: TrackClients) -> None:
    tokens = live.tokens()
    agent = {
        b"User-Agent": BROWSER.encode() + b" \xe9\xff",
        b"X-Service-Key": live.publishable.encode(),
    }
    body = {"token": live.tokens(token_id=uuid.uuid4()).track, "event": "impression"}
    click_id = live.edge.click_ids.sign(uuid.uuid4())
    answers = [
        await live.http.get(pixel(tokens.impression), headers=agent),
        await live.http.get(click(tokens.click), headers=agent),
        await live.http.get(f"/v1/conversions/{click_id}.gif", headers=agent),
        await live.http.post("/v1/track", json=body, headers=agent),
    ]
    assert [answer.status_code for answer in answers] == [200, 302, 200, 204]
    assert all(event.reason is Reason.OK for event in await events_of(live.edge))


async def test_many_at_once_count_once(live: TrackClients) -> None:
    path = pixel(live.tokens().impression)
    responses = await asyncio.gather(*(live.get(path) for _ in range(40)))
    assert {response.status_code for response in responses} == {200}
    assert await kinds_of(live) == [EventKind.IMPRESSION]


async def test_a_click_on_a_demo_ad_redirects_in_test(tmp_path: Path) -> None:
    async with open_track_clients(tmp_path, environment=Environment.TEST) as clients:
        served = await clients.get(f"/v1/serve?slot=demo-always-fill&key={clients.publishable}")
        path = served.json()["click_url"].removeprefix("https://edge.example")
        response = await clients.get(path)
        assert response.status_code == 302
        assert response.headers["Location"].startswith("https://example.com/?sa_click_id=")


async def test_the_urls_that_serve_returns_are_accepted(live: TrackClients) -> None:
    response = await live.get(f"/v1/serve?slot=top&key={live.publishable}")
    ad = response.json()
    for url in (ad["impression_url"], ad["click_url"]):
        await live.get(url.removeprefix("https://edge.example"))
    await live.track({"token": ad["track_token"], "event": "viewable"})
    events = await events_of(live.edge)
    assert [event.kind for event in events] == ["impression", "click", "viewable"]
    assert {str(event.token_id) for event in events} == {ad["decision_id"]}
