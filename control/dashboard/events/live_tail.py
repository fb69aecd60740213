"""
The live tail as a stream: rows of the events page, sent as events arrive, while the signed-in user may see them.

It follows the same feed as `control.events.events_api.stream`, under the browser's cookie.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from common.values.clock import to_iso
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.authorization import authorize
from control.api.two_factor_enrolment import check_enrolled
from control.dashboard.events.params import EventParams, parse_params
from control.dashboard.events.reasons import KINDS, REASONS
from control.dashboard.page import LiveStream, Rendered, Result, Send
from control.dashboard.page_request import PageRequest
from control.dashboard.queries import read_names
from control.dashboard.rendering import render
from control.dashboard.session_cookie import find_signed_in
from control.events.events_api import endpoints, sse
from control.events.events_api.fanout import EventStreams, Feed
from control.events.events_api.positions import Position, decode_position, position_below
from control.events.events_api.queries import get_horizon, list_following
from control.events.events_api.stream_lifecycle import stream_events

SHOWN = 50
"""Rows of a page; of more at once only the newest are sent."""
_MAX_MISSED = 1000
_MAX_NAMES = 5000
_NAMED = ("campaign_id", "ad_id", "slot_id", "property_id")


async def names_in(view: PageRequest, events: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Names of the objects of *events*, by id."""
    return await read_names(view, (one[field] for one in events for field in _NAMED))


def feed_of(view: PageRequest, params: EventParams) -> Feed:
    """Leaves out the date range, which moves: so all streams with equal filters share the found rows."""
    filters = replace(params.filters(view), since=None)
    kind = (
        f"eventTail:{filters.account_id}:{filters.environment}:"
        f"{','.join(filters.property_ids)}:{','.join(filters.kinds)}:{filters.valid}"
    )
    return Feed(filters, kind)


async def start_of(view: PageRequest, params: EventParams) -> str:
    """The cursor for a stream of what comes after the page. Call it before the page's events are read."""
    async with view.control.database.tenant(view.caller.account_id) as session:
        position = position_below(await get_horizon(session), view.now.date())
    return feed_of(view, params).cursor(view.control.keys, position)


async def follow(view: PageRequest) -> Result:
    """``after``: the cursor from `start_of`, used where no ``Last-Event-ID`` is sent. Raises `Refused`."""
    params = parse_params(view)
    feed = feed_of(view, params)
    cursor = view.request.headers.getone("last-event-id", "") or view.query_param("after")
    start = decode_position(view.control.keys, feed.kind, cursor)
    await _check_missed(view, feed, start)

    async def run(send: Send) -> None:
        await _listen(view, Rows(view, params, send), feed, start)

    admitted = view.control.get(EventStreams).admitted(f"pages:{view.caller.account_id}")
    return LiveStream(run, sse.MEDIA_TYPE, admitted)


class Rows:
    """Takes the frames of the API's stream, and sends them on with rows of the page instead of events."""

    def __init__(self, view: PageRequest, params: EventParams, send: Send) -> None:
        self._view = view
        self._since = to_iso(params.since)
        self._send = send
        self._names: dict[str, str] = {}

    async def send(self, data: bytes) -> None:
        events, cursor = sse.events_of(data)
        if cursor is None:
            await self._send(data)
            return
        shown = [one for one in events if one["ts"] >= self._since][-SHOWN:]
        rows = await self._rows(shown[::-1]) if shown else ""
        text = "".join(f"data: {line}\n" for line in rows.splitlines() if line.strip())
        await self._send(f"id: {cursor}\n{text}\n".encode())

    async def _rows(self, events: Sequence[dict[str, Any]]) -> str:
        """Newest first."""
        if len(self._names) > _MAX_NAMES:
            self._names.clear()
        new = [one for one in events if any(one[field] not in self._names for field in _NAMED)]
        self._names |= await names_in(self._view, new)
        values = {
            "events": events,
            "names": self._names,
            "kinds": KINDS,
            "reasons": REASONS,
            "has_sites": self._view.query_param("sites") == "many",
        }
        return render(self._view, Rendered("events/rows.html", values))


async def _listen(view: PageRequest, rows: Rows, feed: Feed, start: Position) -> None:
    async def check() -> None:
        await _check_still(view)

    await stream_events(view.control, rows, feed, check, start, next_step="Load the page again.")


async def _check_still(view: PageRequest) -> None:
    """
    Raises `Refused` once the session has ended, or may not see events any more.

    The check does not extend the session.
    """
    principal = await find_signed_in(view.control, view.request, is_use=False)
    if principal is None or principal.account_id != view.caller.account_id:
        raise Refused(
            ErrorCode.INVALID_KEY, Message("You are signed out. Sign in to follow events.")
        )
    authorize(endpoints.LIST_EVENTS, principal)
    check_enrolled(endpoints.LIST_EVENTS, principal)


async def _check_missed(view: PageRequest, feed: Feed, start: Position) -> None:
    """Raises `Refused` where so many events arrived meanwhile that the page should be loaded again."""
    async with view.control.database.tenant(view.caller.account_id) as session:
        horizon = await get_horizon(session)
        missed = await list_following(
            session, feed.filters, start, horizon=horizon, limit=_MAX_MISSED
        )
    if len(missed) > _MAX_MISSED:
        raise Refused(
            ErrorCode.CURSOR_EXPIRED,
            Message("Too many events arrived in the meantime. Reload the page."),
            param="after",
        )
