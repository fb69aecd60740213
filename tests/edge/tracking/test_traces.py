"""Traces of a worker, as a collector receives them: which calls, their ids, parents and links, and no personal data."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from common.tracking.event import EventRecord
from common.values.enums import Format
from common.values.keys import KeyKind
from common.values.trace_context import delivery_span, is_marked
from edge.runtime.tracing import MAX_FOLLOWED_S
from edge.state.decision_recorder import DecisionRecorder
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, an_ad
from tests.support.collector import Collector, SeenSpan, collector, open_edge_tracing
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer, ask, connection, get, read_answer
from tests.support.spools import until

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
CALLER_TRACE, CALLER_SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
CALLER = f"traceparent: 00-{CALLER_TRACE}-{CALLER_SPAN}-01"
SERVER, ERROR_STATUS = 2, 404


@dataclass(slots=True)
class World:
    edge: RunningEdge
    collector: Collector
    pk: str
    sk: str

    async def serve(self, *headers: str, query: str = "slot=top") -> RawAnswer:
        return await self.edge.serve(query, self.pk, f"User-Agent: {BROWSER}", *headers)

    def head(self, path: str) -> bytes:
        """A request that keeps its connection open, as the fast path takes it."""
        lines = [f"GET {path} HTTP/1.1", "Host: test", f"X-Service-Key: {self.pk}"]
        return "\r\n".join([*lines, f"User-Agent: {BROWSER}", "", ""]).encode()

    async def pipeline(self, *heads: bytes) -> list[RawAnswer]:
        """On one connection, each after the last was answered."""
        async with connection(self.edge.port) as (reader, writer):
            answers = []
            for one in heads:
                writer.write(one)
                answers.append(await read_answer(reader))
            return answers

    async def post(self, path: str, body: Any, *headers: str) -> RawAnswer:
        raw = orjson.dumps(body)
        lines = (f"X-Service-Key: {self.pk}", f"User-Agent: {BROWSER}", *headers)
        head = get(path, *lines, f"Content-Length: {len(raw)}", method="POST")
        return await ask(self.edge.port, head + raw)

    async def pixel(self, url: str, *headers: str, method: str = "GET") -> RawAnswer:
        path = url.removeprefix("https://edge.example")
        return await self.edge.get(path, f"User-Agent: {BROWSER}", *headers, method=method)

    async def spans(self, count: int) -> list[SeenSpan]:
        """All spans; fails where there are not just *count*."""
        found = await self.collector.wait_for(count)
        assert len(found) == count
        return found


@asynccontextmanager
async def a_world(monkeypatch: pytest.MonkeyPatch, **variables: str) -> AsyncIterator[World]:
    """One ad for the slot ``top``, none for ``empty``. *variables*: of OpenTelemetry, without their prefix."""
    publishable, pk = a_key(KeyKind.PUBLISHABLE)
    secret, sk = a_key(KeyKind.SECRET)
    campaign = a_campaign()
    slots = a_slot(), a_slot(key="empty", formats=(Format.NATIVE,))
    snapshot = a_snapshot(*slots, campaign, an_ad(campaign), pk, sk)
    with collector() as found:
        for name, value in found.environment.items():
            monkeypatch.setenv(name, value)
        for name, value in variables.items():
            monkeypatch.setenv(f"OTEL_{name}", value)
        tracing, tracer = open_edge_tracing()
        async with running_edge(snapshot, tracing=tracing) as edge:
            yield World(edge, found, publishable.text, secret.text)
        await tracer.close()


@pytest.fixture
async def world(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    async with a_world(monkeypatch) as made:
        yield made


async def test_the_trace_of_a_fill_has_the_id_of_the_decision(world: World) -> None:
    ad = (await world.serve()).json
    (span,) = await world.spans(1)

    decision = uuid.UUID(ad["decision_id"])
    assert is_marked(decision.bytes)
    assert span.trace_id == decision.hex
    assert (span.service, span.kind, span.parent) == ("placard-edge", SERVER, "")
    assert span.name == "GET /v1/serve"
    assert span.start_ns < span.end_ns
    assert span.attributes == {
        "http.request.method": "GET",
        "http.route": "/v1/serve",
        "http.response.status_code": 200,
        "placard.operation": "serveAd",
        "placard.environment": "live",
        "placard.outcome": "fill",
        "placard.slot": ad["slot_id"],
        "placard.campaign": ad["campaign_id"],
        "placard.ad": ad["ad_id"],
    }


async def test_a_no_fill_has_its_reason(world: World) -> None:
    answer = await world.serve(query="slot=empty")
    (span,) = await world.spans(1)

    assert answer.status == 204
    about = span.attributes
    assert (about["placard.outcome"], about["placard.reason"]) == ("no_fill", "format_mismatch")


async def test_each_slot_of_a_call_has_a_trace_of_its_own(world: World) -> None:
    await world.serve(query="slot=top&slot=empty")
    spans = await world.spans(2)

    assert len({span.trace_id for span in spans}) == 2
    assert {span.attributes["placard.outcome"] for span in spans} == {"fill", "no_fill"}


async def test_every_event_of_a_traced_delivery_is_a_child_of_its_serve_call(world: World) -> None:
    ad = (await world.serve()).json
    click_url = ad["click_url"]
    signal_url = ad["impression_url"].replace("/v1/impression/", "/v1/signal/viewable/")
    await world.post("/v1/track", {"token": ad["track_token"], "event": "viewable"})
    await world.pixel(ad["impression_url"])
    await world.pixel(signal_url)
    redirect = await world.pixel(click_url)
    batch = {
        "events": [
            {"token": ad["track_token"], "event": "impression"},
            {"token": ad["track_token"].replace("f_-_", "f_-A"), "event": "click"},
        ]
    }
    await world.post("/v1/track/batch", batch)
    serve, *events = await world.spans(6)

    assert redirect.status == 302
    assert [
        (one.attributes["placard.operation"], one.attributes["placard.event"]) for one in events
    ] == [
        ("trackEvent", "viewable"),
        ("impressionPixel", "impression"),
        ("signalPixel", "viewable"),
        ("clickRedirect", "click"),
        ("trackEvents", "impression"),
    ]
    assert {(one.trace_id, one.parent) for one in events} == {serve.ref}
    assert len({one.span_id for one in events}) > 1
    assert {one.attributes["placard.campaign"] for one in events} == {ad["campaign_id"]}


async def test_the_span_of_an_event_follows_from_its_record(world: World) -> None:
    ad = (await world.serve()).json
    await world.post("/v1/track", {"token": ad["track_token"], "event": "impression"})
    _, span = await world.spans(2)
    (record,) = [one.body for one in await world.edge.context.spool.read(0, 10)]

    assert isinstance(record, EventRecord)
    ref = delivery_span(record.token_id.bytes, record.kind.value, record.at_ms)
    assert span.ref == (f"{ref.trace_id:032x}", f"{ref.span_id:016x}")


async def test_a_conversion_of_a_traced_click_is_in_its_trace(world: World) -> None:
    ad = (await world.serve()).json
    landing = (await world.pixel(ad["click_url"])).headers["location"]
    click_id = world.edge.context.click_ids.sign(uuid.UUID(ad["decision_id"]))
    by_server = {"click_id": click_id, "event_name": "purchase"}
    secret = f"Authorization: Bearer {world.sk}"
    from_server = await world.post("/v1/conversions", by_server, secret)
    from_page = await world.pixel(f"/v1/conversions/{click_id}.gif?event_name=purchase")
    serve, _, server, page = await world.spans(4)

    assert landing
    assert (from_server.status, from_page.status) == (202, 200)
    for span in (server, page):
        assert (span.trace_id, span.parent) == serve.ref
        assert span.attributes["placard.event"] == "conversion"


async def test_a_head_and_a_refused_token_have_no_span_in_the_delivery(world: World) -> None:
    ad = (await world.serve()).json
    await world.pixel(ad["impression_url"], method="HEAD")
    forged = ad["impression_url"].removesuffix(".gif")[:-4] + "AAAA.gif"
    refused = await world.pixel(forged)
    await world.pixel(ad["impression_url"])
    spans = await world.spans(2)

    assert refused.status == ERROR_STATUS
    assert [span.attributes["http.route"] for span in spans] == [
        "/v1/serve",
        "/v1/impression/{token}.gif",
    ]


async def test_a_signal_of_a_user_who_may_not_be_measured_has_no_span(world: World) -> None:
    ad = (await world.serve(query="slot=top&gdpr=1")).json
    for event in ("viewable", "impression"):
        answer = await world.post("/v1/track", {"token": ad["track_token"], "event": event})
        assert answer.status == 204
    _, tracked = await world.spans(2)

    assert tracked.attributes["placard.event"] == "impression"


async def test_a_callers_trace_and_the_delivery_have_links_to_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch, TRACES_SAMPLER_ARG="0") as world:
        ad = (await world.serve(CALLER)).json
        body = {"token": ad["track_token"], "event": "impression"}
        await world.post("/v1/track", body, CALLER.replace("traceparent", "Traceparent"))
        spans = await world.spans(4)

    ours, serve, tracked, event = spans
    assert ours.ref[0] == tracked.ref[0] == CALLER_TRACE
    assert ours.parent == tracked.parent == CALLER_SPAN
    assert serve.trace_id == uuid.UUID(ad["decision_id"]).hex
    assert (serve.parent, event.parent) == ("", serve.span_id)
    assert (ours.links, serve.links) == ([serve.ref], [ours.ref])
    assert (tracked.links, event.links) == ([event.ref], [tracked.ref])


async def test_a_refused_call_of_a_traced_caller_has_a_span(world: World) -> None:
    answer = await world.serve(CALLER, query="slot=nowhere")
    (span,) = await world.spans(1)

    assert span.parent == CALLER_SPAN
    assert span.attributes["http.response.status_code"] == answer.status == ERROR_STATUS
    assert span.attributes["error.type"] == str(ERROR_STATUS)


@pytest.mark.parametrize(
    "header",
    [
        "traceparent: 00",
        "traceparent: \u00ff",
        CALLER.replace("-01", "-00"),
        CALLER.replace("00-", "ff-", 1),
        f"{CALLER}\r\n{CALLER}",
    ],
)
async def test_another_traceparent_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    async with a_world(monkeypatch, TRACES_SAMPLER_ARG="0") as world:
        before = await world.serve()
        answer = await world.serve(header)
        await world.serve(CALLER)
        spans = await world.spans(2)

    assert answer.status == before.status == 200
    assert answer.json["ad_id"] == before.json["ad_id"]
    assert not is_marked(uuid.UUID(answer.json["decision_id"]).bytes)
    assert spans[0].parent == CALLER_SPAN


async def test_a_sampler_that_ignores_parents_ignores_callers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch, TRACES_SAMPLER="always_on") as world:
        await world.serve(CALLER)
        (span,) = await world.spans(1)

    assert (span.parent, span.links) == ("", [])


async def test_one_second_follows_a_bounded_number_of_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch, TRACES_SAMPLER_ARG="0") as world:
        tracing = world.edge.context.tracing
        assert tracing is not None
        monkeypatch.setattr(tracing, "_clock", world.edge.clock)
        for _ in range(MAX_FOLLOWED_S + 5):
            assert (await world.serve(CALLER)).status == 200
        world.edge.clock.advance(ms=1000)
        await world.serve(CALLER)

        await world.spans(2 * MAX_FOLLOWED_S + 2)


@pytest.mark.parametrize("is_kept_alive", [False, True])
async def test_a_share_of_decisions_is_traced_and_no_other_has_the_mark(
    monkeypatch: pytest.MonkeyPatch, *, is_kept_alive: bool
) -> None:
    """On a kept-alive connection, the native cache answers the calls that are not traced."""
    async with a_world(monkeypatch, TRACES_SAMPLER_ARG="0.25") as world:
        context = world.edge.context
        context.decisions = DecisionRecorder(None, None, sample_ppm=0)
        assert context.tracing is not None
        context.decisions.leave_out(context.tracing.sample_ppm)
        if is_kept_alive:
            answers = await world.pipeline(*[world.head("/v1/serve?slot=top")] * 200)
        else:
            answers = await asyncio.gather(*(world.serve() for _ in range(200)))
        ids = {uuid.UUID(answer.json["decision_id"]) for answer in answers}
        traced = {one.hex for one in ids if is_marked(one.bytes)}
        spans = await world.spans(len(traced))

    assert len(ids) == 200
    assert 10 < len(traced) < 150
    assert {span.trace_id for span in spans} == traced
    assert (context.metrics.fast_path_requests > 0) is is_kept_alive


async def test_the_fast_path_follows_callers_and_events_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch, TRACES_SAMPLER_ARG="0") as world:
        head = world.head("/v1/serve?slot=top")
        (ad,) = await world.pipeline(head.replace(b"Host", CALLER.encode() + b"\r\nHost"))
        pixel = ad.json["impression_url"].removeprefix("https://edge.example")
        answers = await world.pipeline(head, head, world.head(pixel), head)
        ours, serve, event = await world.spans(3)

    assert {answer.status for answer in answers} == {200}
    assert (ours.parent, serve.links) == (CALLER_SPAN, [ours.ref])
    assert (event.trace_id, event.parent) == serve.ref


async def test_a_traced_decision_is_recorded_where_decisions_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with a_world(monkeypatch) as world:
        context = world.edge.context
        context.decisions = DecisionRecorder(context.spool, context.spool, sample_ppm=1)
        ad = (await world.serve()).json
        await world.spans(1)
        await until(lambda: context.decisions.kept >= 1)
        records = [one.body for one in await context.spool.read(0, 10)]

    assert [getattr(record, "id", None) for record in records] == [ad["decision_id"]]


async def test_spans_have_no_personal_data_and_no_secret(world: World) -> None:
    personal = [
        "203.0.113.77",
        "somebody-42",
        "https://shop.example/secret-page",
        "Firefox/132",
        "cookie-value",
    ]
    headers = (
        f"X-Forwarded-For: {personal[0]}",
        f"Referer: {personal[2]}",
        f"Cookie: session={personal[4]}",
        CALLER,
    )
    query = f"slot=top&uid={personal[1]}&gdpr=0&kv.user={personal[1]}"
    ad = (await world.serve(*headers, query=query)).json
    body = {"token": ad["track_token"], "event": "impression"}
    await world.post("/v1/track", body, *headers)
    await world.pixel(ad["impression_url"], *headers)
    await world.pixel(ad["click_url"], *headers)
    await world.spans(8)

    sent = b"".join(world.collector.raw).decode("latin-1")
    secrets = [world.pk, world.sk, ad["track_token"], ad["track_token"][:40], "127.0.0.1"]
    assert [one for one in (*personal, *secrets) if one in sent] == []
    assert {name for span in world.collector.spans for name in span.attributes} == {
        "http.request.method",
        "http.route",
        "http.response.status_code",
        "placard.ad",
        "placard.campaign",
        "placard.environment",
        "placard.event",
        "placard.operation",
        "placard.outcome",
        "placard.slot",
    }
