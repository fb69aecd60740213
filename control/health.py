"""Is the API alive, and can it do its work? Plain paths outside the public description."""

from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from common.errors import ApiError, Unavailable
from common.http.responses import json_response
from control.context import ControlContext
from control.migrate import head_revision


def add_health(app: Sanic[Any, Any], control: ControlContext) -> None:
    head = head_revision()

    async def livez(_: Request) -> HTTPResponse:
        return json_response({"status": "ok"})

    async def readyz(_: Request) -> HTTPResponse:
        await check_ready(control, head)
        return json_response({"status": "ok"})

    app.add_route(livez, "/livez", methods=["GET"], name="livez")
    app.add_route(readyz, "/readyz", methods=["GET"], name="readyz")


async def check_ready(control: ControlContext, head: str) -> None:
    """Raises `Unavailable` unless the database answers and its schema is at *head*."""
    try:
        async with control.database.service() as session:
            found = await session.scalar(text("select version_num from alembic_version"))
    except ProgrammingError:
        found = None
    if found != head:
        raise Unavailable(
            f"The database's schema is at {found or 'no revision'}, this release needs {head}. "
            "Run `python -m control migrate`."
        )


async def find_trouble(control: ControlContext, head: str) -> str | None:
    """The same as words, None where there is none."""
    try:
        await check_ready(control, head)
    except ApiError as error:
        return error.message
    return None
