"""``/debug/stacks`` and ``/debug/profile`` of an internal port, for a process that is slow or hangs."""

from collections.abc import Awaitable, Callable
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.router import READING
from common.service.stacks import MAX_SECONDS, describe_stacks
from common.values.errors import ErrorCode, Refused, Unavailable, not_found
from common.values.messages import Message

_SECONDS = 5.0


async def _own_stacks(worker: str | None, seconds: float) -> str:
    if worker is not None:
        raise not_found()
    return await describe_stacks(seconds)


def add_debug_routes(
    app: Sanic[Any, Any],
    describe: Callable[[str | None, float], Awaitable[str]] = _own_stacks,
) -> None:
    """
    *describe*: the stacks of the worker with this number, of this process for None, as `describe_stacks` returns
    them. One profile is taken at a time.
    """
    is_taken = False

    async def stacks(request: Request) -> HTTPResponse:
        return _text(await describe(request.args.get("worker"), 0.0))

    async def profile(request: Request) -> HTTPResponse:
        nonlocal is_taken
        seconds = _parse_seconds(request.args.get("seconds"))
        if is_taken:
            raise Unavailable(Message.untranslated("A profile is being taken. Try again after it."))
        is_taken = True
        try:
            return _text(await describe(request.args.get("worker"), seconds))
        finally:
            is_taken = False

    app.add_route(stacks, "/debug/stacks", methods=READING, name="debug_stacks")
    app.add_route(profile, "/debug/profile", methods=READING, name="debug_profile")


def _parse_seconds(text: str | None) -> float:
    try:
        seconds = _SECONDS if text is None else float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise Refused(
            ErrorCode.BAD_REQUEST,
            Message.untranslated(f"`seconds` must be above 0 and at most {MAX_SECONDS:.0f}."),
            param="seconds",
        )
    return seconds


def _text(body: str) -> HTTPResponse:
    return HTTPResponse(body, content_type="text/plain; charset=utf-8")
