"""Lifecycle of one event stream around its `StreamReader`: counts it, checks authorisation, reports why it ended."""

from collections.abc import Awaitable, Callable

import structlog

from common.values.errors import ErrorCode, Refused, Unavailable
from control.api.context import ControlContext
from control.events.events_api import sse
from control.events.events_api.fanout import Feed
from control.events.events_api.positions import Position
from control.events.events_api.stream_reader import Reader, StreamReader

_log: structlog.stdlib.BoundLogger = structlog.get_logger("streams")


async def stream_events(
    control: ControlContext,
    reader: Reader,
    feed: Feed,
    check: Callable[[], Awaitable[object]],
    start: Position,
    *,
    next_step: str,
) -> None:
    """
    Runs until either side ends the stream; raises nothing of its own.

    *check*: raises `Refused` once *reader* is no longer authorised. *next_step*: a sentence that states what to do if
    an internal error ends the stream.
    """

    async def find_refusal() -> Refused | None:
        try:
            await check()
        except Refused as refusal:
            return refusal
        except Unavailable:  # no event is read either, and the next check will decide
            return None
        return None

    control.metrics.streams.inc()
    try:
        await StreamReader(control, reader, feed, find_refusal).run(start)
    except Unavailable as error:
        await reader.send(sse.ending(error.code, error.message))
    except Exception:  # noqa: BLE001 - the head is sent: no other answer is possible
        _log.exception("stream_failed")
        await reader.send(sse.ending(ErrorCode.INTERNAL, f"a fault of ours. {next_step}"))
    finally:
        control.metrics.streams.dec()
