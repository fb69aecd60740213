"""Traces of real processes: their spans, exemplars and counts, and an edge whose collector is dead or not there."""

import asyncio
import base64
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from common.service.channels import Channels
from common.values.clock import FixedClock, SystemClock
from common.values.trace_context import is_marked
from control.storage.database import Database
from deploy.standalone.sockets import find_free_ports
from tests.control.events.ingest.world import World
from tests.support.builders import a_campaign, a_key, a_property, a_slot, an_account, an_ad
from tests.support.collector import collector
from tests.support.control_api import DatabaseTemplate
from tests.support.http_client import http_client
from tests.support.lone_edge import LoneEdge, edge_settings, lone_edge
from tests.support.raw_http import RawAnswer, ask, get
from tests.support.servers import RedisServer
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[2]
ALWAYS = {"OTEL_TRACES_SAMPLER": "always_on"}
CONSUMER = 5
OPENMETRICS = {"Accept": "application/openmetrics-text; version=1.0.0"}


async def serve(edge: LoneEdge, key: str) -> RawAnswer:
    """From a worker that has the key, however early the call."""
    return await ask(edge.port, get("/v1/serve?slot=top", f"X-Service-Key: {key}"))


async def track(edge: LoneEdge, key: str, token: str, event: str) -> RawAnswer:
    body = orjson.dumps({"token": token, "event": event})
    lines = (f"X-Service-Key: {key}", f"Content-Length: {len(body)}")
    return await ask(edge.port, get("/v1/track", *lines, method="POST") + body)


def counted(metrics: str, outcome: str) -> float:
    """Spans of all workers with this outcome."""
    name = f'placard_trace_spans_total{{outcome="{outcome}"'
    return sum(float(line.split()[-1]) for line in metrics.splitlines() if line.startswith(name))


@asynccontextmanager
async def ingesting(
    database_url: str, redis_url: str, namespace: str, folder: Path, variables: Mapping[str, str]
) -> AsyncIterator[None]:
    """`python -m control ingest`, until the block ends."""
    key_file = folder / "control-keys.json"
    key_file.write_bytes(
        orjson.dumps({"active": "k1", "keys": {"k1": base64.b64encode(b"k" * 32).decode()}})
    )
    settings = {
        "PLACARD_DATABASE_URL": database_url,
        "PLACARD_REDIS_URL": redis_url,
        "PLACARD_NAMESPACE": namespace,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_STATE": str(folder / "control"),
        "PLACARD_CONTROL_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_LIVE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_TEST_URL": "http://127.0.0.1:1",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "control", "ingest"),
        env={**os.environ, **settings, **variables},  # noqa: TID251 - a child needs the whole environment
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def test_a_delivery_is_one_trace_from_serve_to_ingest(
    migrated: DatabaseTemplate, redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    url = migrated.new_database()
    database = Database(url)
    world = await World(database, FixedClock(SystemClock().now_ms())).open()
    campaign = a_campaign(
        id=await world.add_campaign(),
        account_id=world.account_id,
        property_ids=(world.property_id,),
    )
    publishable, key = a_key(property_id=world.property_id, account_id=world.account_id)
    objects = (
        an_account(id=world.account_id),
        a_property(id=world.property_id, account_id=world.account_id),
        a_slot(property_id=world.property_id),
        campaign,
        an_ad(campaign),
        key,
    )
    with collector() as found:
        variables = found.environment | ALWAYS
        async with (
            lone_edge(redis_server.url, namespace, tmp_path, *objects, variables=variables) as edge,
            ingesting(url, redis_server.url, namespace, tmp_path, variables),
        ):
            ad = (await serve(edge, publishable.text)).json
            await track(edge, publishable.text, ad["track_token"], "impression")
            spans = await found.wait_for(3)
    await database.close()

    decision = uuid.UUID(ad["decision_id"])
    of = {span.service: span for span in spans if span.name != "POST /v1/track"}
    (tracked,) = [span for span in spans if span.name == "POST /v1/track"]
    served, stored = of["placard-edge"], of["placard-ingest"]
    assert is_marked(decision.bytes)
    assert {span.trace_id for span in spans} == {decision.hex}
    assert [served.parent, tracked.parent, stored.parent] == ["", served.span_id, tracked.span_id]
    assert (stored.kind, stored.name) == (
        CONSUMER,
        f"process {Channels(namespace).log_stream(0).removesuffix(':0')}",
    )
    about = stored.attributes
    assert about["messaging.system"] == "redis"
    assert about["messaging.operation.type"] == "process"
    assert about["messaging.destination.partition.id"].isdigit()
    assert about["placard.outcome"] in {"stored", "invalid"}
    assert about["placard.delay_ms"] >= 0
    assert about["placard.position"] > 0


async def test_latencies_carry_the_ids_of_traced_calls(
    redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    publishable, key = a_key()
    campaign = a_campaign()
    objects = (an_account(), a_property(), a_slot(), campaign, an_ad(campaign), key)
    with collector() as found:
        variables = found.environment | ALWAYS
        async with lone_edge(
            redis_server.url, namespace, tmp_path, *objects, variables=variables
        ) as edge:
            answers = [await serve(edge, publishable.text) for _ in range(20)]
            async with http_client(base_url=f"http://{edge.machine.internal}") as http:

                async def are_exported() -> bool:
                    return counted((await http.get("/metrics")).text, "exported") == len(answers)

                await until(are_exported)
                openmetrics = (await http.get("/metrics", headers=OPENMETRICS)).text
                plain = (await http.get("/metrics")).text

    trace_ids = {uuid.UUID(answer.json["decision_id"]).hex for answer in answers}
    samples = [
        sample
        for family in text_string_to_metric_families(openmetrics)  # type: ignore[no-untyped-call]
        for sample in family.samples
    ]
    examples = {
        sample.exemplar.labels["trace_id"] for sample in samples if sample.exemplar is not None
    }
    assert examples
    assert examples <= trace_ids == {span.trace_id for span in found.spans}
    assert "trace_id" not in plain


async def test_spans_that_wait_are_sent_when_the_machine_stops(
    redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    publishable, key = a_key()
    campaign = a_campaign()
    objects = (an_account(), a_property(), a_slot(), campaign, an_ad(campaign), key)
    with collector() as found:
        variables = found.environment | ALWAYS | {"OTEL_BSP_SCHEDULE_DELAY": "3600000"}
        async with lone_edge(
            redis_server.url, namespace, tmp_path, *objects, variables=variables
        ) as edge:
            await serve(edge, publishable.text)
            assert not found.spans
            edge.machine.ask_to_stop(signal.SIGTERM)
            assert await asyncio.to_thread(edge.machine.wait_ended) == 0
        assert len(found.spans) == 1


async def test_an_edge_without_its_collector_serves_and_counts_lost_spans(
    redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    publishable, key = a_key()
    campaign = a_campaign()
    objects = (an_account(), a_property(), a_slot(), campaign, an_ad(campaign), key)
    (port,) = find_free_ports(1)
    variables = ALWAYS | {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
        "OTEL_BSP_SCHEDULE_DELAY": "20",
        "OTEL_BSP_MAX_QUEUE_SIZE": "4",
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "2",
    }
    async with lone_edge(
        redis_server.url, namespace, tmp_path, *objects, variables=variables
    ) as edge:
        answers: list[RawAnswer] = []
        async with http_client(base_url=f"http://{edge.machine.internal}") as http:

            async def has_lost_both_ways() -> bool:
                calls = (serve(edge, publishable.text) for _ in range(40))
                answers.extend(await asyncio.gather(*calls))
                text = (await http.get("/metrics")).text
                return all(
                    counted(text, outcome) > 0 for outcome in ("queue_full", "export_failed")
                )

            await until(has_lost_both_ways)
        edge.machine.ask_to_stop(signal.SIGTERM)
        code = await asyncio.to_thread(edge.machine.wait_ended)

    assert {answer.status for answer in answers} == {200}
    assert code == 0
    for event in ("trace_export_failed", "trace_queue_full"):
        lines = [line for line in edge.machine.lines if event in line]
        assert 1 <= len(lines) <= 2  # one a worker


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL: "),
        ({"OTEL_TRACES_SAMPLER": "jaeger_remote"}, "OTEL_TRACES_SAMPLER: "),
        ({"OTEL_TRACES_SAMPLER_ARG": "2"}, "OTEL_TRACES_SAMPLER_ARG: "),
        ({"OTEL_PROPAGATORS": "b3"}, "OTEL_PROPAGATORS: b3 lacks `tracecontext`"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"}, "OTEL_EXPORTER_OTLP_ENDPOINT: it must"),
        ({}, "the extra `otel` is not installed"),
    ],
)
def test_a_process_refuses_what_it_cannot_do(
    tmp_path: Path, variables: dict[str, str], message: str
) -> None:
    program = "import runpy, sys\n"
    if not variables:
        program += "sys.modules['opentelemetry'] = None\n"
    program += "sys.argv = ['edge']\nrunpy.run_module('edge', run_name='__main__')\n"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **edge_settings("redis://127.0.0.1:1", "none", tmp_path),
            "PYTHONPATH": str(ROOT),
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
            **variables,
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 2
    assert message in ran.stderr.splitlines()[-1]


def test_the_control_plane_refuses_as_well(tmp_path: Path) -> None:
    settings = {
        "PLACARD_DATABASE_URL": "postgresql://127.0.0.1:1/none",
        "PLACARD_REDIS_URL": "redis://127.0.0.1:1",
        "PLACARD_KEY_FILE": str(tmp_path / "keys.json"),
        "PLACARD_CONTROL_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_LIVE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_TEST_URL": "http://127.0.0.1:1",
        "PYTHONPATH": str(ROOT),
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
        "OTEL_PROPAGATORS": "b3",
    }
    ran = subprocess.run(
        [sys.executable, "-m", "control", "ingest"],
        env=settings,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 1
    assert ran.stderr.startswith("OTEL_PROPAGATORS: b3 lacks")
    assert len(ran.stderr.splitlines()) == 1
