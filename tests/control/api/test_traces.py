"""Spans of management requests, and the exemplars of their latencies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from common.service.otlp import OtlpTracer
from common.service.tracing import read_tracing
from control.api.tracing import ApiTracing
from tests.support.collector import Collector, collector
from tests.support.control_api import ControlApi, Person

CALLER_TRACE, CALLER_SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SERVER = 2


@asynccontextmanager
async def traces(
    api: ControlApi, monkeypatch: pytest.MonkeyPatch, **variables: str
) -> AsyncIterator[Collector]:
    with collector() as found:
        for name, value in found.environment.items():
            monkeypatch.setenv(name, value)
        for name, value in variables.items():
            monkeypatch.setenv(f"OTEL_{name}", value)
        settings = read_tracing()
        assert settings is not None
        tracer = OtlpTracer(settings, "placard-control")
        api.control.tracing = ApiTracing(tracer, settings)
        yield found
        api.control.tracing = None
        await tracer.close()


def traceparent(flags: str) -> dict[str, str]:
    return {"traceparent": f"00-{CALLER_TRACE}-{CALLER_SPAN}-{flags}"}


async def test_a_request_is_a_child_of_its_callers_span(
    api: ControlApi, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with traces(api, monkeypatch) as found:
        answer = await api.http.get("/v1/properties", headers=owner.headers | traceparent("01"))
        (span,) = await found.wait_for(1)
        metrics = generate_latest(api.control.metrics.registry).decode()  # type: ignore[no-untyped-call]

    assert answer.status_code == 200
    assert (span.service, span.name, span.kind) == ("placard-control", "GET /v1/properties", SERVER)
    assert (span.trace_id, span.parent) == (CALLER_TRACE, CALLER_SPAN)
    assert span.attributes == {
        "http.request.method": "GET",
        "http.route": "/v1/properties",
        "http.response.status_code": 200,
        "placard.operation": "listProperties",
    }
    families = text_string_to_metric_families(metrics)  # type: ignore[no-untyped-call]
    exemplars = [sample.exemplar for family in families for sample in family.samples]
    assert {"trace_id": CALLER_TRACE} in [one.labels for one in exemplars if one is not None]


async def test_a_refusal_has_its_error_code(
    api: ControlApi, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with traces(api, monkeypatch) as found:
        answer = await api.http.get("/v1/properties/nowhere", headers=owner.headers)
        (span,) = await found.wait_for(1)

    assert span.parent == ""
    assert span.attributes["http.response.status_code"] == answer.status_code == 404
    assert span.attributes["error.type"] == "not_found"
    assert span.attributes["http.route"] == "/v1/properties/{id}"


async def test_a_caller_that_is_not_sampled_has_no_span(
    api: ControlApi, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with traces(api, monkeypatch, TRACES_SAMPLER_ARG="0") as found:
        await api.http.get("/v1/properties", headers=owner.headers | traceparent("00"))
        await api.http.get("/v1/properties", headers=owner.headers)
        await api.http.get("/v1/campaigns", headers=owner.headers | traceparent("01"))
        (span,) = await found.wait_for(1)

    assert span.attributes["placard.operation"] == "listCampaigns"
