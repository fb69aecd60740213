"""An operation of the edge that goes away says so on every response, on each path by which it is answered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date

import orjson
import pytest

from common.contract.deprecation import Deprecated
from common.contract.edge import FEATURES, IMPRESSION, SERVE, TRACK
from common.values.keys import KeyKind
from edge.http import route_table
from tests.support.builders import a_key, a_snapshot, a_stock
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer, ask

_GONE = Deprecated(date(2026, 1, 1), date(2027, 6, 1), "Use another.")
_SOONER = Deprecated(date(2026, 1, 1), date(2027, 1, 1), "Leave it out.")
_SINCE = "@1767225600"
_SUNSET, _SOONER_SUNSET = "Tue, 01 Jun 2027 00:00:00 GMT", "Fri, 01 Jan 2027 00:00:00 GMT"


@asynccontextmanager
async def an_edge() -> AsyncIterator[tuple[RunningEdge, str]]:
    """After `monkeypatch` changed the operations of the route table."""
    text, key = a_key(KeyKind.PUBLISHABLE)
    async with running_edge(a_snapshot(key, *a_stock().objects)) as edge:
        yield edge, text.text


def announced(answer: RawAnswer) -> tuple[str | None, str | None]:
    return answer.headers.get("deprecation"), answer.headers.get("sunset")


async def track(edge: RunningEdge, key: str, body: bytes) -> RawAnswer:
    lines = (
        "POST /v1/track HTTP/1.1",
        "Host: edge",
        f"X-Service-Key: {key}",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    return await ask(edge.port, ("\r\n".join(lines) + "\r\n\r\n").encode() + body)


async def test_every_response_of_serve_announces_that_it_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(route_table, "SERVE", replace(SERVE, deprecated=_GONE))
    async with an_edge() as (edge, key):
        answers = [
            await edge.serve("slot=top", key),
            await edge.serve("slot=top", key),  # of a page met before
            await edge.serve("slot=top&format=video", key),
            await edge.serve("slot=nowhere", key),
            await edge.serve("slot=top&w=none", key),
            await edge.serve("slot=top", "pk_live_none"),
            await edge.serve("slot=top&output=html", key),
            await edge.serve("slot=top&slot=top", key),
        ]
    assert [one.status for one in answers] == [200, 200, 204, 404, 422, 401, 200, 200]
    assert {announced(one) for one in answers} == {(_SINCE, _SUNSET)}
    exposed = answers[0].headers["access-control-expose-headers"]
    assert {"Deprecation", "Sunset"} <= {name.strip() for name in exposed.split(",")}
    assert answers[0].headers["cache-control"] == "no-store"
    assert answers[0].json["ad_id"]


async def test_a_parameter_that_goes_is_announced_to_those_who_send_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operation = replace(SERVE, deprecated_params={"url": _SOONER})
    monkeypatch.setattr(route_table, "SERVE", operation)
    async with an_edge() as (edge, key):
        with_it = await edge.serve("slot=top&url=https%3A%2F%2Fshop.example%2F", key)
        without = await edge.serve("slot=top", key)
    assert (with_it.status, announced(with_it)) == (200, (_SINCE, _SOONER_SUNSET))
    assert (without.status, announced(without)) == (200, (None, None))


async def test_every_response_of_track_announces_that_it_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(route_table, "TRACK", replace(TRACK, deprecated=_GONE))
    async with an_edge() as (edge, key):
        token = (await edge.serve("slot=top", key)).json["track_token"]
        good = orjson.dumps({"token": token, "event": "impression"})
        answers = [
            await track(edge, key, good),
            await track(edge, key, b"{"),
            await track(edge, key, b'{"token": "none", "event": "impression"}'),
            await track(edge, "pk_live_none", good),  # refused before its body is read
        ]
    assert [one.status for one in answers] == [204, 400, 400, 401]
    assert {announced(one) for one in answers} == {(_SINCE, _SUNSET)}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_pixels_and_features_announce_it_too(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(route_table, "IMPRESSION", replace(IMPRESSION, deprecated=_GONE))
    monkeypatch.setattr(route_table, "FEATURES", replace(FEATURES, deprecated=_GONE))
    async with an_edge() as (edge, key):
        served = (await edge.serve("slot=top", key)).json
        pixel = served["impression_url"].removeprefix("https://edge.example")
        header = f"X-Service-Key: {key}"
        etag = (await edge.get("/v1/features", header)).headers["etag"]
        answers = [
            await edge.get(pixel, method=method),
            await edge.get("/v1/impression/none.gif", method=method),
            await edge.get("/v1/features", header, method=method),
            await edge.get("/v1/features", header, f"If-None-Match: {etag}", method=method),
        ]
    assert [one.status for one in answers] == [200, 404, 200, 304]
    assert {announced(one) for one in answers} == {(_SINCE, _SUNSET)}


async def test_operations_that_stay_announce_nothing() -> None:
    async with an_edge() as (edge, key):
        served = await edge.serve("slot=top", key)
        features = await edge.get("/v1/features", f"X-Service-Key: {key}")
    assert announced(served) == announced(features) == (None, None)
