"""
One traced call: a view of the worker's context that notes decisions and conversions, and the spans made of them.

The code that serves and tracks is the same for traced calls and has no branch for them. A traced call only gets a
`TracedEdge` as its context (ADR 111).
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from time import monotonic
from typing import Any, Final, cast
from uuid import UUID

import structlog
import uuid_utils

from common.contract.edge import SERVE
from common.contract.operation import Operation
from common.decision.record import PPM, DecisionRecord, is_sampled
from common.service.tracing import AttributeValue, FinishedSpan, SpanKind
from common.tracking.event import ConversionRecord
from common.tracking.token import TokenPayload
from common.values.clock import Clock, from_ms
from common.values.enums import EventKind
from common.values.trace_context import SpanRef, delivery_span, is_marked, marked
from edge.context import EdgeContext
from edge.runtime.tracing import EdgeTracing
from edge.spool.spool import Spool
from edge.state.decision_recorder import DecisionRecorder

_log: structlog.stdlib.BoundLogger = structlog.get_logger("tracing")
_FAULT: Final = 500
_ERRORS: Final = 400
_SPAN_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class TracedEvent:
    """An event of a call, as its token says. *outcome*: ``accepted`` or ``expired``."""

    payload: TokenPayload
    kind: str
    outcome: str


@dataclass(frozen=True, slots=True)
class _Step:
    """A span of a delivery's trace, before the call's own attributes are added."""

    ref: SpanRef
    parent_id: int | None
    attributes: Mapping[str, AttributeValue]


class TracedCall:
    """
    *caller*: the span that the call names as its parent, which is sampled. Decisions of a serve call are traced where
    it has a caller, or by the seed that it takes.
    """

    def __init__(
        self, edge: EdgeContext, tracing: EdgeTracing, operation: Operation, caller: SpanRef | None
    ) -> None:
        self._tracing = tracing
        self._operation = operation
        self._caller = caller
        self._begun_ns = time.time_ns()
        self._begun_s = monotonic()
        self._decisions: list[DecisionRecord] = []
        self._conversions: list[ConversionRecord] = []
        self._at_ms = edge.clock.now_ms()
        view = TracedEdge(edge, tracing.sample_ppm, self._decisions)
        view.has_caller = caller is not None and operation.id == SERVE.id
        view.clock = _CallClock(edge.clock, self._at_ms)
        view.new_token_id = view.new_id
        view.spool = cast(Spool, _ConversionNotes(edge.spool, self._conversions))
        self.edge: EdgeContext = view

    def finish(self, status: int, find_events: Callable[[], Sequence[TracedEvent]] = tuple) -> None:
        """
        Reports the spans of the call. *status*: of its response; *find_events*: returns those of its tokens. Never
        raises: the response is ready.
        """
        try:
            self._finish(status, find_events())
        except Exception as error:  # noqa: BLE001 - whatever it was, only a span is lost
            _log.error("trace_failed", exc_info=error)

    def _finish(self, status: int, events: Sequence[TracedEvent]) -> None:
        seconds = monotonic() - self._begun_s
        steps = [
            *map(_serve_step, self._decisions),
            *(_event_step(one, self._at_ms) for one in events),
            *filter(None, map(_conversion_step, self._conversions)),
        ]
        caller, own = self._caller, None
        if caller is not None:
            own = SpanRef(caller.trace_id, secrets.randbits(_SPAN_BITS) or 1)
            own_step = _Step(own, caller.span_id, {})
            self._report(own_step, status, seconds, [step.ref for step in steps])
        for step in steps:
            self._report(step, status, seconds, [] if own is None else [own])
        example = own if own is not None else next((step.ref for step in steps), None)
        if example is not None:
            name = self._operation.id
            self._tracing.add_exemplar(name, status, seconds, example.trace_id)

    def _report(self, step: _Step, status: int, seconds: float, links: Sequence[SpanRef]) -> None:
        operation, is_error = self._operation, status >= _FAULT
        attributes: dict[str, AttributeValue] = {
            "http.request.method": operation.method,
            "http.route": operation.path,
            "http.response.status_code": status,
            "placard.operation": operation.id,
            "placard.environment": self.edge.environment.value,
            **step.attributes,
        }
        if status >= _ERRORS:
            attributes["error.type"] = str(status)
        self._tracing.tracer.report(
            FinishedSpan(
                f"{operation.method} {operation.path}",
                SpanKind.SERVER,
                step.ref,
                step.parent_id,
                self._begun_ns,
                self._begun_ns + round(seconds * 1e9),
                attributes,
                links,
                is_error,
            )
        )


class TracedEdge(EdgeContext):
    """All parts of *edge*, as an object of its own whose parts can be replaced for one call."""

    def __init__(self, edge: EdgeContext, sample_ppm: int, notes: list[DecisionRecord]) -> None:
        """*notes*: receives the traced decisions."""
        for one in fields(EdgeContext):
            if one.name != "decisions":
                setattr(self, one.name, getattr(edge, one.name))
        self.has_caller = False
        self._worker = edge
        self._sample_ppm = sample_ppm
        self._is_sampled = False
        self._recorder = DecisionRecorder(
            cast(Spool, _DecisionNotes(edge.decisions, notes)), None, sample_ppm=PPM
        )

    @property
    def decisions(self) -> DecisionRecorder:  # type: ignore[override]  # which one follows from the seed
        return self._recorder if self._is_traced else self._worker.decisions

    def new_id(self, now_ms: int) -> uuid_utils.UUID:
        own = self._worker.new_token_id(now_ms)
        return uuid_utils.UUID(bytes=marked(own.bytes)) if self._is_traced else own

    def peek_seed(self) -> int:
        """The worker's, so that no seed is used twice."""
        return self._follow_seed(self._worker.peek_seed())

    def take_seed(self) -> int:
        return self._follow_seed(self._worker.take_seed())

    def _follow_seed(self, seed: int) -> int:
        self._is_sampled = is_sampled(seed, self._sample_ppm)
        return seed

    @property
    def _is_traced(self) -> bool:
        return self.has_caller or self._is_sampled


class _CallClock:
    """The worker's clock, whose wall time stands still: the record of an event has the instant of its span's id."""

    def __init__(self, clock: Clock, now_ms: int) -> None:
        self._now_ms = now_ms
        self.monotonic_s = clock.monotonic_s
        self.monotonic_ms = clock.monotonic_ms

    def now_ms(self) -> int:
        return self._now_ms

    def now(self) -> datetime:
        return from_ms(self._now_ms)


class _DecisionNotes:
    """Takes the place of the recorder's spool. A worker that records decisions also stores the traced ones."""

    def __init__(self, recorder: DecisionRecorder, notes: list[DecisionRecord]) -> None:
        self._recorder = recorder
        self._notes = notes

    def offer(self, record: DecisionRecord, _partition_key: bytes) -> None:
        self._notes.append(record)
        if self._recorder.is_recording:
            self._recorder.offer(record)


class _ConversionNotes:
    """The worker's spool; notes the conversions that it stored."""

    def __init__(self, spool: Spool, notes: list[ConversionRecord]) -> None:
        self._spool = spool
        self._notes = notes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spool, name)

    async def append(self, record: ConversionRecord, partition_key: bytes) -> None:
        await self._spool.append(record, partition_key)
        self._notes.append(record)


def _serve_step(record: DecisionRecord) -> _Step:
    about: dict[str, AttributeValue] = {"placard.slot": record.slot_id}
    if record.campaign_id is not None and record.ad_id is not None:
        about["placard.outcome"] = "fill"
        about["placard.campaign"], about["placard.ad"] = record.campaign_id, record.ad_id
    else:
        about["placard.outcome"] = "no_fill"
        if record.reason is not None:
            about["placard.reason"] = record.reason.value
    return _Step(delivery_span(UUID(record.id).bytes), None, about)


def _event_step(event: TracedEvent, at_ms: int) -> _Step:
    payload = event.payload
    decision_id = payload.token_id.bytes
    about: dict[str, AttributeValue] = {
        "placard.event": event.kind,
        "placard.outcome": event.outcome,
        "placard.slot": str(payload.slot_id),
        "placard.campaign": str(payload.campaign_id),
        "placard.ad": str(payload.ad_id),
    }
    ref = delivery_span(decision_id, event.kind, at_ms)
    return _Step(ref, delivery_span(decision_id).span_id, about)


def _conversion_step(record: ConversionRecord) -> _Step | None:
    """None where the conversion names no click of a traced delivery."""
    if record.click_id is None or not is_marked(record.click_id.bytes):
        return None
    click = record.click_id.bytes
    kind = EventKind.CONVERSION.value
    about: dict[str, AttributeValue] = {
        "placard.event": kind,
        "placard.outcome": "accepted",
        "placard.reason": record.reason.value,
    }
    ref = delivery_span(click, kind, record.at_ms)
    return _Step(ref, delivery_span(click).span_id, about)
