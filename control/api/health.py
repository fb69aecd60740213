"""Liveness and readiness of the API, at plain paths outside the public API description."""

import asyncio
from typing import Any

import structlog
from sanic import Request, Sanic
from sanic.response import HTTPResponse
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from common.http.responses import json_response
from common.http.router import READING
from common.values.errors import Unavailable
from common.values.messages import Message
from control.api.context import ControlContext
from control.storage.database import describe_error
from control.storage.migrate import head_revision, is_new_enough, read_revisions

_CHECK_EVERY_S = 2.0
_log: structlog.stdlib.BoundLogger = structlog.get_logger("health")


def add_health(app: Sanic[Any, Any], control: ControlContext) -> None:
    read_revisions()  # at the start: this blocks the event loop

    async def livez(_: Request) -> HTTPResponse:
        return json_response({"status": "ok"})

    async def readyz(_: Request) -> HTTPResponse:
        await check_ready(control)
        return json_response({"status": "ok"})

    app.add_route(livez, "/livez", methods=READING, name="livez", ctx_is_counted=False)
    app.add_route(readyz, "/readyz", methods=READING, name="readyz", ctx_is_counted=False)


async def check_ready(control: ControlContext) -> None:
    """Raises `Unavailable` unless the database responds and its schema is that of this release or of a newer one."""
    try:
        async with control.database.service() as session:
            found = await session.scalar(text("select version_num from alembic_version"))
    except DBAPIError:  # even the role or the table may be missing
        found = None
    if not is_new_enough(found):
        raise Unavailable(
            Message(
                "The database schema is at {found}, and this release needs {expected}. Run `python "
                "-m control migrate`.",
                found=found or "no revision",
                expected=head_revision(),
            )
        )


class ReadinessWatch:
    """Checks regularly whether the API can do its work, and logs changes."""

    def __init__(self, control: ControlContext) -> None:
        self.error: str | None = "The database was not reached yet."
        """Reason why the API is not ready, or None where it is."""
        self._control = control
        read_revisions()  # as in `add_health`

    async def run(self) -> None:
        """Runs forever."""
        while True:
            await self._check()
            await asyncio.sleep(_CHECK_EVERY_S)

    async def _check(self) -> None:
        before = self.error
        try:
            await check_ready(self._control)
        except Unavailable as error:
            self.error = describe_error(error)
            if self.error != before:
                _log.warning("not_ready", reason=self.error)
        else:
            self.error = None
            if before is not None:
                _log.info("ready")
