"""Sends spans by OTLP over HTTP, from the thread of the SDK's batch processor. Needs the extra ``otel``."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import Final

import structlog
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags

from common.service.tracing import FinishedSpan, TracingInvalid, TracingSettings
from common.service.version import VERSION
from common.values.trace_context import SpanRef

FLUSH_S: Final = 2.0
"""Longest time for which a process that stops sends spans that wait."""
_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)
_SCOPE: Final = InstrumentationScope("placard", VERSION)
_SILENT: Final = logging.CRITICAL + 1
_log: structlog.stdlib.BoundLogger = structlog.get_logger("tracing")


class OtlpTracer:
    """A `common.service.tracing.Tracer`. Belongs to one event loop."""

    def __init__(self, settings: TracingSettings, service_name: str) -> None:
        """*service_name*: where neither OTEL_SERVICE_NAME nor OTEL_RESOURCE_ATTRIBUTES has one."""
        # Its loggers write a line for each batch that cannot be sent; `_CountingExporter` writes one for each outage.
        logging.getLogger("opentelemetry").setLevel(_SILENT)
        named = OTELResourceDetector().detect().attributes
        self._resource = Resource.create(
            {"service.name": service_name, "service.version": VERSION, **named}
        )
        self._max_waiting = settings.bsp_max_queue_size
        self._reported = 0
        self._queue_full = 0
        try:
            self._exporter = _CountingExporter(OTLPSpanExporter())
            self._processor = BatchSpanProcessor(
                self._exporter, max_queue_size=settings.bsp_max_queue_size
            )
        except (ValueError, OSError) as error:
            raise TracingInvalid(f"The OTEL_* variables: {error}") from error

    @property
    def exported(self) -> int:
        return self._exporter.exported

    @property
    def dropped(self) -> Mapping[str, int]:
        return {"queue_full": self._queue_full, "export_failed": self._exporter.failed}

    def report(self, span: FinishedSpan) -> None:
        # The processor would drop the oldest span of a full queue, and count nothing.
        if self._reported - self._exporter.taken >= self._max_waiting:
            if not self._queue_full:
                _log.warning("trace_queue_full", max_spans=self._max_waiting)
            self._queue_full += 1
            return
        try:
            readable = self._readable(span)
        except Exception as error:  # noqa: BLE001 - the caller has done its work, and must not fail for its span
            _log.error("trace_failed", exc_info=error)
            return
        self._reported += 1
        self._processor.on_end(readable)

    async def close(self) -> None:
        """Sends what waits; gives up after `FLUSH_S`."""
        # A daemon: the processor waits for a collector that does not respond, and the process must not.
        flush = Thread(target=self._processor.shutdown, daemon=True)
        flush.start()
        await asyncio.to_thread(flush.join, FLUSH_S)

    def _readable(self, span: FinishedSpan) -> ReadableSpan:
        parent = None
        if span.parent_id is not None:
            parent = _context(SpanRef(span.ref.trace_id, span.parent_id), is_remote=True)
        return ReadableSpan(
            span.name,
            _context(span.ref, is_remote=False),
            parent,
            self._resource,
            dict(span.attributes),
            links=[Link(_context(link, is_remote=True)) for link in span.links],
            kind=SpanKind[span.kind.value],
            instrumentation_scope=_SCOPE,
            status=Status(StatusCode.ERROR if span.is_error else StatusCode.UNSET),
            start_time=span.start_ns,
            end_time=span.end_ns,
        )


class _CountingExporter(SpanExporter):
    """Runs in the processor's thread, which alone writes the counts."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner
        self._is_failing = False
        self.taken = 0
        """Spans that left the queue."""
        self.exported = 0
        self.failed = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.taken += len(spans)
        try:
            result = self._inner.export(spans)
        except Exception as error:  # noqa: BLE001 - whatever it was, the spans are lost and nothing else
            _log.error("trace_export_broken", exc_info=error)
            result = SpanExportResult.FAILURE
        has_failed = result is not SpanExportResult.SUCCESS
        if has_failed:
            self.failed += len(spans)
        else:
            self.exported += len(spans)
        if has_failed is not self._is_failing:
            self._is_failing = has_failed
            if has_failed:
                advice = (
                    "Check OTEL_EXPORTER_OTLP_ENDPOINT. Spans are dropped until it accepts them."
                )
                _log.warning("trace_export_failed", advice=advice)
            else:
                _log.info("trace_export_recovered")
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()


def _context(ref: SpanRef, *, is_remote: bool) -> SpanContext:
    return SpanContext(ref.trace_id, ref.span_id, is_remote=is_remote, trace_flags=_SAMPLED)
