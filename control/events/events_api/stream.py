"""
``GET /v1/integration/events/stream``: the feed, pushed.

A cursor is sent with every event, so that a reader that loses the connection continues after the last event it
received.
"""

from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.http.errors import api_error
from common.http.request_id import request_id
from common.http.router import READING
from common.values.errors import ApiError, ErrorCode
from control.api.admission import Admission, admit
from control.api.authentication import authenticate
from control.api.authorization import authorize
from control.api.call import Call
from control.api.context import ControlContext
from control.api.two_factor_enrolment import check_enrolled
from control.events.events_api import sse
from control.events.events_api.cursors import kind_of, parse_position
from control.events.events_api.fanout import EventStreams, Feed
from control.events.events_api.feed import check_properties, filters_of
from control.events.events_api.positions import Position, position_below
from control.events.events_api.queries import get_horizon
from control.events.events_api.schemas import StreamQuery
from control.events.events_api.stream_lifecycle import stream_events
from control.foundation.http.inputs import parse_query
from control.foundation.principal import Principal
from control.outbox.changes import Changes

_LAST_EVENT_ID = "Last-Event-ID"

STREAM_EVENTS = Operation(
    id="streamEvents",
    method="GET",
    path="/v1/integration/events/stream",
    tag="Integration",
    summary="Stream the events feed",
    description=(
        "Server-sent events: each message's `data` is an event as in `listEvents`, its `id` a cursor. Reconnect with "
        "the last id in `Last-Event-ID` (browsers do) and no event is lost or repeated; the feed and the stream share "
        "cursors if the filters are equal. Without a cursor, it starts with the next event stored.\n"
        "\n"
        "A comment is sent every 15 seconds. The stream ends with an event `end`, whose `data` is `{code, message}`, "
        "when the token expires or loses its permission, when the account is suspended, when the client reads too "
        "slowly, and when the server stops. An account can have 20 open streams on each server; more return 429."
    ),
    auth=(Auth.ACCESS_TOKEN,),
    needs={Auth.ACCESS_TOKEN: Permission.EVENT_READ},
    query=StreamQuery,
    header_params={
        _LAST_EVENT_ID: "The `id` of the last message received; takes precedence over `cursor`."
    },
    answers=(
        Answer(
            200,
            "A stream of events, open until one side closes it.",
            media_type="text/event-stream",
        ),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.CURSOR_EXPIRED),
)


def add_stream(app: Sanic[Any, Any], control: ControlContext) -> None:
    async def handle(request: Request) -> None:
        static_headers: dict[str, str] = {}
        code = "ok"
        try:
            admission = await admit(control, STREAM_EVENTS, request)
            static_headers = admission.rate.headers
            principal = _authorized(admission.principal)
            query = parse_query(STREAM_EVENTS, request)
            with control.get(EventStreams).admitted(principal.account_id):
                feed, start = await _begin(control, request, admission, query)
                await _follow(control, request, feed, start, static_headers)
        except Exception as error:
            code = api_error(error).code
            if isinstance(error, ApiError):
                error.headers = static_headers | error.headers
            raise
        finally:
            control.metrics.requests.labels(STREAM_EVENTS.id, code).inc()

    app.add_route(handle, STREAM_EVENTS.path, methods=READING, name=STREAM_EVENTS.id)


def _authorized(principal: Principal | None) -> Principal:
    """Returns the principal if it may read the stream. Raises `Refused`."""
    if principal is None:
        raise RuntimeError("the stream is never public")
    authorize(STREAM_EVENTS, principal)
    check_enrolled(STREAM_EVENTS, principal)
    return principal


async def _begin(
    control: ControlContext, request: Request, admission: Admission, query: Any
) -> tuple[Feed, Position]:
    """The feed to stream and the position to start after. Raises `Refused` as the feed does."""
    principal = _authorized(admission.principal)
    async with control.database.tenant(principal.account_id) as session:
        call = Call(
            operation=STREAM_EVENTS,
            control=control,
            session=session,
            now=control.clock.now(),
            request_id=request_id(request),
            client_ip=admission.client_ip,
            path={},
            query=query,
            parsed_body=None,
            parsed_version=None,
            changes=Changes(),
            caller=principal,
            rate=admission.rate,
        )
        await check_properties(call)
        horizon = await get_horizon(session)
        feed = Feed(filters_of(call), kind_of(call))
        cursor = request.headers.getone(_LAST_EVENT_ID, "") or query.cursor
        if cursor is None:
            return feed, position_below(horizon, call.now.date())
        return feed, await parse_position(call, cursor)


async def _follow(
    control: ControlContext,
    request: Request,
    feed: Feed,
    start: Position,
    static_headers: dict[str, str],
) -> None:
    headers = static_headers | {"X-Accel-Buffering": "no"}  # nginx would buffer the events
    answer: HTTPResponse = await request.respond(headers=headers, content_type=sse.MEDIA_TYPE)
    if request.method == "HEAD":
        await answer.send(b"")  # sends only the headers: the body has no end
        return

    async def check() -> None:
        _authorized(await authenticate(control, STREAM_EVENTS, request))

    await stream_events(control, answer, feed, check, start, next_step="Connect again.")
