"""Endpoints of saved views."""

from typing import Any

from common.values.environment import Environment
from common.values.ids import new_id
from control.api.authorization import environment_of
from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.api.versioning import check_version, created, raise_version, versioned
from control.foundation.resource_models import from_row
from control.foundation.wire_types import given
from control.reporting.reports.filter_validation import check_named
from control.reporting.views import operations, queries, rules
from control.reporting.views.schemas import ViewCreate, ViewParameters, ViewPublic
from control.storage.tables.report_views import ReportViewRow


async def create(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    body: ViewCreate = call.body
    account_id, user_id = call.principal.account_id, _user_id(call)
    question = await _checked(call, environment, body.question)
    rules.check_room(await queries.count_views(call.session, account_id, environment))
    row = ReportViewRow(
        id=new_id(),
        account_id=account_id,
        environment=environment.value,
        name=body.name,
        question=question,
        owner_id=None if body.is_shared else user_id,
        created_by=user_id,
        created_at=call.now,
        updated_at=call.now,
    )
    call.session.add(row)
    await call.session.flush()
    return created(_public(call, row), row.version, f"/v1/reports/views/{row.id}")


async def list_(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    rows = await queries.list_views(
        call.session, call.principal, environment, call.query.limit, before_id(call)
    )
    return Reply(page_of(call, rows, lambda row: _public(call, row)))


async def get(call: Call) -> Reply:
    row = await queries.get_view(call.session, call.principal, call.path["id"])
    return versioned(_public(call, row), row.version)


async def patch(call: Call) -> Reply:
    row = await queries.get_view(call.session, call.principal, call.path["id"], lock=True)
    rules.check_may_change(call.principal.role, is_own=_is_own(call, row))
    check_version(call, row)
    values = given(call.body)
    if values:
        await _write(call, row, values)
        raise_version(row, call.now)
        await call.session.flush()
    return versioned(_public(call, row), row.version)


async def delete(call: Call) -> Reply:
    row = await queries.get_view(call.session, call.principal, call.path["id"], lock=True)
    rules.check_may_change(call.principal.role, is_own=_is_own(call, row))
    check_version(call, row)
    await call.session.delete(row)
    await call.session.flush()
    return Reply(status=204)


ENDPOINTS = (
    Endpoint(operations.CREATE, create),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
    Endpoint(operations.PATCH, patch),
    Endpoint(operations.DELETE, delete),
)


async def _write(call: Call, row: ReportViewRow, values: dict[str, Any]) -> None:
    if "question" in values:
        row.question = await _checked(call, Environment(row.environment), values["question"])
    if "name" in values:
        row.name = values["name"]
    if values.get("is_shared") is True:
        row.owner_id = None
    elif values.get("is_shared") is False and row.owner_id is None:
        rules.check_takes_back(is_own=_is_own(call, row))
        row.owner_id = row.created_by


async def _checked(
    call: Call, environment: Environment, question: ViewParameters
) -> dict[str, Any]:
    """The stored form of *question*. Raises 422 for its range, and 404 for an object that the caller may not see."""
    rules.check_range(question)
    await check_named(call.session, call.principal, environment, question)
    kept: dict[str, Any] = question.model_dump(mode="json", by_alias=True)
    return {name: value for name, value in kept.items() if value not in (None, [], False)}


def _public(call: Call, row: ReportViewRow) -> ViewPublic:
    return from_row(
        ViewPublic,
        row,
        is_shared=row.owner_id is None,
        is_own=_is_own(call, row),
        is_test=row.environment == Environment.TEST,
    )


def _is_own(call: Call, row: ReportViewRow) -> bool:
    return row.created_by == call.principal.user_id


def _user_id(call: Call) -> str:
    if call.principal.user_id is None:
        raise RuntimeError("An access token without a user: the operation admits no other caller.")
    return call.principal.user_id
