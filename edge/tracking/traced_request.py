"""
Which calls are traced, and what their events were. A call is traced because of its seed, its token or its
``traceparent``.
"""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from sanic import HTTPResponse, Request

from common.contract.conversions import CONVERSION, CONVERSION_PIXEL
from common.contract.edge import CLICK, IMPRESSION, SERVE, SIGNAL, TRACK, TRACK_MANY
from common.contract.operation import Operation
from common.decision.record import is_sampled
from common.http.answer import RawResponse
from common.tracking.token import TokenInvalid, TokenUse, parse_token
from common.values.enums import EventKind
from common.values.errors import ApiError
from common.values.trace_context import MARK_IN_TEXT, MARK_IN_TOKEN, is_marked
from edge.context import EdgeContext
from edge.request.call import Call
from edge.serving.serve_flow import serve_inline
from edge.tracking.traced_call import TracedCall, TracedEvent

HEADER: Final = "traceparent"
_FAULT: Final = 500
_REFUSED: Final = 400
_NO_CONTENT: Final = 204
_PATH_KINDS: Final = {IMPRESSION.id: EventKind.IMPRESSION.value, CLICK.id: EventKind.CLICK.value}
_STORED_UNMEASURED: Final = frozenset(EventKind)
"""Kinds that are stored of users who may not be measured (`edge.tracking.redeem`)."""
_CONVERSIONS: Final = frozenset({CONVERSION.id, CONVERSION_PIXEL.id})


def serve_traced_inline(edge: EdgeContext, call: Call) -> RawResponse | None:
    """`serve_inline` where traces are on. Returns None, with nothing changed, where the answer might have to wait."""
    tracing = edge.tracing
    if tracing is None:
        return serve_inline(edge, call)
    caller = tracing.find_caller(call.headers.get(HEADER))
    if caller is not None and not tracing.take_room():
        caller = None
    if caller is None and not is_sampled(edge.peek_seed(), tracing.sample_ppm):
        return serve_inline(edge, call)
    traced = TracedCall(edge, tracing, SERVE, caller)
    try:
        response = serve_inline(traced.edge, call)
    except Exception as error:
        traced.finish(status_of(error))
        raise
    if response is not None:
        traced.finish(response.status)
    return response


def begin_traced(
    edge: EdgeContext, operation: Operation, request: Request, path: Mapping[str, str]
) -> TracedCall | None:
    """Returns the traced call of *request*; None where it is not traced."""
    tracing = edge.tracing
    if tracing is None:
        return None
    headers = request.headers.getall(HEADER, ())
    caller = tracing.find_caller(headers[0]) if len(headers) == 1 else None
    if operation.id == SERVE.id:
        if caller is not None and not tracing.take_room():
            caller = None
        return TracedCall(edge, tracing, operation, caller)
    is_wanted = caller is not None or _may_have_mark(operation, request, path)
    return (
        TracedCall(edge, tracing, operation, caller) if is_wanted and tracing.take_room() else None
    )


def find_events(
    operation: Operation,
    request: Request,
    path: Mapping[str, str],
    response: HTTPResponse,
    now_ms: int,
) -> list[TracedEvent]:
    """Returns the events of traced deliveries that *response* accepted."""
    if response.status >= _REFUSED or request.method == "HEAD":
        return []
    accepted = _accepted(operation, request, path, response.body or b"")
    found = [_event_of(text, kind, use, now_ms) for text, kind, use in accepted]
    return [event for event in found if event is not None]


def status_of(error: Exception) -> int:
    return error.status if isinstance(error, ApiError) else _FAULT


def _may_have_mark(operation: Operation, request: Request, path: Mapping[str, str]) -> bool:
    """Whether *request* has the mark of a traced delivery; a chance match is found later."""
    if operation.id in _CONVERSIONS:
        return MARK_IN_TEXT in request.body.lower() or MARK_IN_TEXT.decode() in (
            path.get("click_id", "").lower()
        )
    return MARK_IN_TOKEN in request.body or MARK_IN_TOKEN.decode() in path.get("token", "")


def _accepted(
    operation: Operation, request: Request, path: Mapping[str, str], body: bytes
) -> list[tuple[str, str, TokenUse]]:
    """Token, kind and use of each event that *operation* accepted."""
    if operation.id == TRACK.id:
        one = orjson.loads(request.body)
        return [(one["token"], one["event"], TokenUse.TRACK)]
    if operation.id == TRACK_MANY.id:
        events: list[dict[str, Any]] = orjson.loads(request.body)["events"]
        results: list[dict[str, Any]] = orjson.loads(body)["results"]
        return [
            (one["token"], one["event"], TokenUse.TRACK)
            for one, result in zip(events, results, strict=True)
            if result["status"] == _NO_CONTENT
        ]
    kind = path["event"] if operation.id == SIGNAL.id else _PATH_KINDS.get(operation.id)
    if kind is None:
        return []
    is_click = kind == EventKind.CLICK.value
    return [(path["token"], kind, TokenUse.CLICK if is_click else TokenUse.IMPRESSION)]


def _event_of(text: str, kind: str, use: TokenUse, now_ms: int) -> TracedEvent | None:
    """
    None where the token is not of a traced delivery, or where its event is dropped, because its user may not be
    measured. *text* was verified: the call was accepted.
    """
    try:
        payload = parse_token(text)[0]
    except TokenInvalid:
        return None
    is_stored = payload.is_measured or kind in _STORED_UNMEASURED
    if not (is_stored and is_marked(payload.token_id.bytes)):
        return None
    is_expired = payload.expires_ms(use) < now_ms
    return TracedEvent(payload, kind, "expired" if is_expired else "accepted")
