"""Spans of management requests (ADR 111)."""

import secrets
import time
from collections.abc import Sequence
from typing import Final

from common.contract.operation import Operation
from common.service.tracing import (
    PPM,
    AttributeValue,
    FinishedSpan,
    SpanKind,
    Tracer,
    TracingSettings,
)
from common.values.trace_context import SpanRef, parse_traceparent

HEADER: Final = "traceparent"
_FAULT: Final = 500
_ERRORS: Final = 400


class ApiTracing:
    """Traces all requests unless a variable says how many. A caller's ``traceparent`` decides for its request."""

    def __init__(self, tracer: Tracer, settings: TracingSettings) -> None:
        self._tracer = tracer
        self._sample_ppm = settings.sample_ppm(PPM)
        self._follows_callers = settings.follows_callers

    def begin(self, operation: Operation, headers: Sequence[str]) -> "ApiSpan | None":
        """*headers*: those named ``traceparent``; several are ignored, as malformed ones. None: not traced."""
        found = parse_traceparent(headers[0]) if len(headers) == 1 else None
        if found is not None and self._follows_callers:
            caller, is_sampled = found
            return ApiSpan(self._tracer, operation, caller) if is_sampled else None
        if secrets.randbelow(PPM) >= self._sample_ppm:
            return None
        return ApiSpan(self._tracer, operation, None)


class ApiSpan:
    """One request. *caller*: the span that is its parent."""

    def __init__(self, tracer: Tracer, operation: Operation, caller: SpanRef | None) -> None:
        self._tracer = tracer
        self._operation = operation
        self._parent_id = None if caller is None else caller.span_id
        trace_id = (secrets.randbits(128) or 1) if caller is None else caller.trace_id
        self._ref = SpanRef(trace_id, secrets.randbits(64) or 1)
        self._begun_ns = time.time_ns()

    @property
    def exemplar(self) -> dict[str, str]:
        return {"trace_id": f"{self._ref.trace_id:032x}"}

    def finish(self, status: int, code: str) -> None:
        """*code*: the error code; `ok` for none."""
        operation = self._operation
        attributes: dict[str, AttributeValue] = {
            "http.request.method": operation.method,
            "http.route": operation.path,
            "http.response.status_code": status,
            "placard.operation": operation.id,
        }
        if status >= _ERRORS:
            attributes["error.type"] = code
        self._tracer.report(
            FinishedSpan(
                f"{operation.method} {operation.path}",
                SpanKind.SERVER,
                self._ref,
                self._parent_id,
                self._begun_ns,
                time.time_ns(),
                attributes,
                is_error=status >= _FAULT,
            )
        )
