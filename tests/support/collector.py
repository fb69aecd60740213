"""A trace collector: a real OTLP/HTTP receiver on loopback, which decodes what processes send."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from common.service.otlp import OtlpTracer
from common.service.tracing import read_tracing
from common.values.clock import Clock, SystemClock
from edge.runtime.tracing import EdgeTracing
from tests.support.waiting import until


@dataclass(frozen=True, slots=True)
class SeenSpan:
    """A span that arrived. Ids as hex digits; ``parent``: empty for the first of its trace."""

    service: str
    name: str
    kind: int
    trace_id: str
    span_id: str
    parent: str
    attributes: dict[str, Any]
    links: list[tuple[str, str]]
    start_ns: int
    end_ns: int

    @property
    def ref(self) -> tuple[str, str]:
        return self.trace_id, self.span_id


class Collector:
    """``raw``: the bodies that arrived. ``status``: of its responses."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.status = 200
        self.raw: list[bytes] = []

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process that sends its spans here within a moment."""
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, "OTEL_BSP_SCHEDULE_DELAY": "20"}

    @property
    def spans(self) -> list[SeenSpan]:
        return [span for raw in tuple(self.raw) for span in _decode(raw)]

    async def wait_for(self, count: int) -> list[SeenSpan]:
        """All spans, once there are *count*."""

        async def has_them() -> bool:
            return len(self.spans) >= count

        await until(has_them)
        return self.spans


@contextmanager
def collector() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if found.status == 200 and self.path == "/v1/traces":
                found.raw.append(body)
            self.send_response(found.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Requests are not logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found = Collector(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def open_edge_tracing(clock: Clock | None = None) -> tuple[EdgeTracing, OtlpTracer]:
    """As a worker opens it, from the environment; without a variable, every decision is traced."""
    settings = read_tracing()
    assert settings is not None
    tracer = OtlpTracer(settings, "placard-edge")
    return EdgeTracing(tracer, settings, clock or SystemClock(), default_ppm=1_000_000), tracer


def _decode(raw: bytes) -> Iterator[SeenSpan]:
    request = ExportTraceServiceRequest()
    request.ParseFromString(raw)
    for resource in request.resource_spans:
        service = _values(resource.resource.attributes)["service.name"]
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield SeenSpan(
                    service,
                    span.name,
                    span.kind,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    _values(span.attributes),
                    [(link.trace_id.hex(), link.span_id.hex()) for link in span.links],
                    span.start_time_unix_nano,
                    span.end_time_unix_nano,
                )


def _values(attributes: Any) -> dict[str, Any]:
    return {one.key: _value(one) for one in attributes}


def _value(one: KeyValue) -> Any:
    return getattr(one.value, one.value.WhichOneof("value") or "string_value")
