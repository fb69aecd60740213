"""A few operations that show what dispatch does with any: notes, kept in the audit log."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import httpx
from pydantic import Field
from sanic import Sanic
from sqlalchemy import func, select

from common.contract.deprecation import Deprecated
from common.contract.models import WireIn, WireOut
from common.contract.operation import Answer, Auth, Method, Operation
from common.contract.permissions import Permission
from common.http.app import bare_app
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused, not_found
from common.values.messages import Message
from control.api import audit
from control.api.authorization import environment_of
from control.api.call import Call, Endpoint, Reply
from control.api.context import ControlContext
from control.api.http_dispatch import add_endpoint
from control.storage.tables.accounts import AuditRow

_BOTH = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_READ = dict.fromkeys(_BOTH, Permission.CAMPAIGN_READ)
_WRITE = dict.fromkeys(_BOTH, Permission.CAMPAIGN_WRITE)


class Place(WireIn):
    row: int = Field(ge=1)
    name: str = Field("", max_length=3)


class NoteCreate(WireIn):
    text: str = Field(min_length=1, max_length=20)
    place: Place | None = None
    tags: list[Place] = Field(default_factory=list)


class NoteQuery(WireIn):
    environment: Environment | None = None
    limit: int = Field(20, ge=1, le=100)


class NotePublic(WireOut):
    count: int
    environment: Environment
    text: str | None = None


def _operation(name: str, method: Method, path: str, **more: Any) -> Operation:
    values: dict[str, Any] = {"auth": _BOTH, "needs": _READ, **more}
    return Operation(
        name,
        method,
        path,
        "Notes",
        name,
        answers=(Answer(200, "Fine."),),
        **values,
    )


async def _count(call: Call) -> int:
    return await call.session.scalar(select(func.count()).select_from(AuditRow)) or 0


async def list_notes(call: Call) -> Reply:
    return Reply(
        NotePublic(
            count=await _count(call), environment=environment_of(call, call.query.environment)
        )
    )


async def create_note(call: Call) -> Reply:
    requested: NoteCreate = call.body
    if requested.text == "refuse me":
        raise Refused(ErrorCode.INVALID_STATE, Message("No notes today."))
    audit.record(
        call.session,
        account_id=call.principal.account_id,
        now=call.now,
        actor=call.principal.identity,
        action="note",
        object_type="note",
        object_id=requested.text,
        origin=call.client_ip,
    )
    await call.session.flush()
    note = NotePublic(count=await _count(call), environment=Environment.TEST, text=requested.text)
    return Reply(
        note, status=201, headers={"ETag": '"1"'}, secret=requested.text.startswith("secret")
    )


async def patch_note(call: Call) -> Reply:
    if call.path["id"] != "here":
        raise not_found()
    if call.if_match != 3:
        raise Refused(ErrorCode.VERSION_CONFLICT, Message("It is at 3."))
    return Reply(NotePublic(count=0, environment=Environment.TEST, text=call.body.text))


async def forgetful(call: Call) -> Reply:
    """Writes, and never looks at its body."""
    audit.record(
        call.session,
        account_id=call.principal.account_id,
        now=call.now,
        actor="test",
        action="forgetful",
        object_type="note",
        object_id="x",
        origin="",
    )
    return Reply(status=204)


async def fail(call: Call) -> Reply:
    await call.session.flush()
    raise RuntimeError("a fault that holds a secret: hunter2")


ENDPOINTS = (
    Endpoint(_operation("listNotes", "GET", "/v1/notes", query=NoteQuery), list_notes),
    Endpoint(
        _operation("createNote", "POST", "/v1/notes", needs=_WRITE, body=NoteCreate, creates=True),
        create_note,
    ),
    Endpoint(
        _operation(
            "patchNote",
            "PATCH",
            "/v1/notes/{id}",
            body=NoteCreate,
            needs_version=True,
            path_params={"id": "The note."},
        ),
        patch_note,
    ),
    Endpoint(_operation("forget", "POST", "/v1/forget", body=NoteCreate), forgetful),
    Endpoint(_operation("touch", "POST", "/v1/touch"), forgetful),
    Endpoint(
        _operation(
            "oldNotes",
            "GET",
            "/v1/old-notes",
            query=NoteQuery,
            deprecated=Deprecated(date(2026, 1, 1), date(2027, 6, 1), "Use `GET /v1/notes`."),
            deprecated_params={
                "limit": Deprecated(date(2026, 1, 1), date(2027, 1, 1), "Leave it out.")
            },
        ),
        list_notes,
    ),
    Endpoint(_operation("fail", "GET", "/v1/fail"), fail),
    Endpoint(
        _operation(
            "peopleOnly", "GET", "/v1/people-only", auth=(Auth.ACCESS_TOKEN,), query=NoteQuery
        ),
        list_notes,
    ),
)


@dataclass(frozen=True, slots=True)
class LittleApi:
    http: httpx.AsyncClient
    port: int


def little_app(control: ControlContext) -> Sanic[Any, Any]:
    app = bare_app("little", max_body_bytes=4096)
    for endpoint in ENDPOINTS:
        add_endpoint(app, control, endpoint)
    return app
