"""Endpoints of exports: create, list, read and delete. The scheduler builds the files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from common.contract.permissions import Permission
from common.values.environment import Environment
from common.values.errors import ErrorCode, Refused
from common.values.ids import new_id
from common.values.messages import Message
from control.api.authorization import environment_of
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.listing import before_id, page_of
from control.reporting.exports import operations, queries
from control.reporting.exports.export_query import parse_question, to_kept
from control.reporting.exports.rows import make_link, to_public
from control.reporting.exports.schemas import ExportCreate, ExportKind, ExportStatus
from control.reporting.reports.filter_validation import check_named, zone_of
from control.storage.tables.exports import ExportRow

_RETRY_AFTER_S = 30


async def create(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    body: ExportCreate = call.body
    if body.kind is ExportKind.EVENTS and not queries.may_read_events(call.principal):
        raise _not_events(call)
    fields = body.fields()
    zone = await zone_of(call.session, call.principal, fields)
    question = parse_question(body, zone, call.now)
    await check_named(call.session, call.principal, environment, fields)
    await _check_room(call)
    row = _new_row(call, body, environment, to_kept(body, question))
    call.session.add(row)
    await call.session.flush()
    return Reply(to_public(row), status=202, headers={"Location": f"/v1/reports/exports/{row.id}"})


async def list_(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    rows = await queries.list_exports(
        call.session, call.principal, environment, call.query, before_id(call)
    )
    return Reply(page_of(call, rows, to_public))


async def get(call: Call) -> Reply:
    row = await queries.get_export(call.session, call.principal, call.path["id"])
    return Reply(to_public(row, call.prepared))


@asynccontextmanager
async def _with_link(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """The inputs of a link are never changed by a later transaction."""
    control, principal = call.control, call.principal
    async with control.database.tenant(principal.account_id) as session:
        row = await queries.get_export(session, principal, call.path["id"])
    yield PreparedInput(await make_link(control, row, call.now))


async def delete(call: Call) -> Reply:
    """Hides the export at once; the sweep deletes its file."""
    row = await queries.get_export(call.session, call.principal, call.path["id"], lock=True)
    row.is_removed = True
    await call.session.flush()
    return Reply(status=204)


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get, prepare=_with_link),
    Endpoint(operations.DELETE, delete),
)


def _new_row(
    call: Call, body: ExportCreate, environment: Environment, question: dict[str, Any]
) -> ExportRow:
    return ExportRow(
        id=new_id(),
        account_id=call.principal.account_id,
        environment=environment.value,
        property_id=call.principal.property_id,
        kind=body.kind.value,
        format=body.format.value,
        question=question,
        status=ExportStatus.QUEUED.value,
        created_at=call.now,
    )


async def _check_room(call: Call) -> None:
    most = call.control.settings.exports_waiting
    if await queries.count_unfinished(call.session, call.principal.account_id) >= most:
        raise Refused(
            ErrorCode.RATE_LIMITED,
            Message(
                "The account has {max_exports} exports in progress, the maximum. Wait for one to "
                "finish, or delete one.",
                max_exports=most,
            ),
            retry_after_s=_RETRY_AFTER_S,
        )


def _not_events(call: Call) -> Refused:
    return Refused(
        ErrorCode.PERMISSION_DENIED,
        Message(
            "Your role `{role}` lacks the permission `{permission}`. Ask an owner of the account, or "
            "export a report.",
            role=str(call.principal.role),
            permission=Permission.EVENT_READ,
        ),
    )
