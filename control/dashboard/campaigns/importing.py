"""
The page that imports campaigns from the lines of a file. Each line is one call of the API, counted and checked as such,
and a later import of the same lines creates nothing twice (ADR 107).
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import orjson

from common.values.errors import ApiError, ErrorCode, Refused, invalid
from common.values.messages import Message
from control.api.admission import rate_of_caller
from control.dashboard.campaigns import labels
from control.dashboard.campaigns.form_fields import instants_in, zone_named
from control.dashboard.campaigns.import_file import (
    COLUMNS,
    MAX_LINES,
    USUAL_COLUMNS,
    FileLine,
    ImportFile,
    parse_file,
)
from control.dashboard.form_body import Reader, body_of, lines, text, whole
from control.dashboard.page import LiveStream, Rendered, Result, Send
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import offer
from control.dashboard.pickers.queries import PROPERTY
from control.dashboard.rendering import render
from control.dashboard.session_cookie import find_signed_in
from control.dashboard.timezones import read_timezone
from control.demand.campaigns import operations
from control.demand.campaigns.schemas import CampaignCreate
from control.foundation.resource_models import field_schemas

PROGRESS = "placard-progress"
"""The header of a script that shows how many lines are done."""
NDJSON = "application/x-ndjson"
_OF_ALL_LINES = ("property_ids", "objective", "pricing_model", "timezone")
"""Fields of the form, for lines without a value of their own."""
_ENDING = frozenset({ErrorCode.UNAVAILABLE, ErrorCode.INVALID_KEY, ErrorCode.TENANT_SUSPENDED})
"""Errors that every later line would have, too."""


class Outcome(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class LineResult:
    """``reasons``: of a refusal, each with its column, or "" where it is about the line as a whole."""

    line: FileLine
    name: str
    outcome: Outcome
    campaign_id: str = ""
    reasons: Sequence[tuple[str, Message]] = ()


@dataclass(frozen=True, slots=True)
class ImportResult:
    """``ended_by``: why the lines after the last one were not reached; None where all were."""

    file: ImportFile
    lines: Sequence[LineResult]
    ended_by: Message | None

    @property
    def left(self) -> Sequence[FileLine]:
        """The lines to import again: refused, or not reached."""
        done = {one.line.number for one in self.lines if one.outcome is not Outcome.REFUSED}
        return [one for one in self.file.lines if one.number not in done]

    def count(self, outcome: str) -> int:
        return sum(one.outcome == outcome for one in self.lines)


async def show(view: PageRequest) -> Result:
    return await _page(view, None)


async def run(view: PageRequest) -> Result:
    """The page with the results; for a script a stream of how many lines are done, and of this page at its end."""
    file = await asyncio.to_thread(parse_file, view.form_field("lines"))
    if PROGRESS not in view.request.headers:
        return await _finish(view, file, [one async for one in _import(view, file)])

    async def stream(send: Send) -> None:
        done: list[LineResult | ApiError] = []
        async for one in _import(view, file):
            done.append(one)
            await send(_line_of(done=len(done), of=len(file.lines)))
        await send(_line_of(page=render(view, await _finish(view, file, done))))

    return LiveStream(stream, NDJSON, nullcontext())


async def _finish(
    view: PageRequest, file: ImportFile, done: Sequence[LineResult | ApiError]
) -> Rendered:
    """The form then holds the lines to correct."""
    results = [one for one in done if isinstance(one, LineResult)]
    ended = next((one.message for one in done if isinstance(one, ApiError)), None)
    result = ImportResult(file, results, ended)
    view.form = {**view.form, "lines": [file.text_of(result.left)]}
    return await _page(view, result)


async def _page(view: PageRequest, result: ImportResult | None) -> Rendered:
    sites = await offer(view, PROPERTY, "property_ids", chosen=view.form.get("property_ids", ()))
    schemas = field_schemas(CampaignCreate)
    values: dict[str, Any] = {
        "sites": sites,
        "only_site": [value for value, _ in sites.choices] if len(sites.choices) == 1 else [],
        "objectives": list(labels.OBJECTIVES.items()),
        "pricing_models": list(labels.PRICING_MODELS.items()),
        "policies": list(labels.IMPORT_POLICIES.items()),
        "outcomes": labels.IMPORT_OUTCOMES,
        "columns": [
            (name, labels.IMPORT_COLUMNS[name], schemas[name].get("enum", ())) for name in COLUMNS
        ],
        "usual_columns": USUAL_COLUMNS,
        "max_lines": MAX_LINES,
        "timezone": view.timezone.key,
        "result": result,
    }
    return Rendered("campaigns/import.html", values)


async def _import(view: PageRequest, file: ImportFile) -> AsyncIterator[LineResult | ApiError]:
    """The result of each line, in their order. An error in its place: no further line is tried."""
    for line in file.lines:
        try:
            await _admit(view)
            yield await _import_line(view, file, line)
        except ApiError as error:
            yield error
            return


async def _admit(view: PageRequest) -> None:
    """
    Counts a line as a call of the user, and waits where it comes too early. Raises `Refused` for a user who is no
    longer signed in.
    """
    control, account_id = view.control, view.caller.account_id
    rate, who, now_s = rate_of_caller(control), view.caller.identity, control.clock.monotonic_s
    while (wait_s := control.limiter.admit(who, rate, now_s())) > 0:  # noqa: ASYNC110 - no event marks the end
        await asyncio.sleep(wait_s)
    principal = await find_signed_in(control, view.request, is_use=False)
    if principal is None or principal.account_id != account_id:
        raise Refused(
            ErrorCode.INVALID_KEY, Message("You are signed out. Sign in to import the other lines.")
        )
    view.admission = replace(view.admission, principal=principal)


async def _import_line(view: PageRequest, file: ImportFile, line: FileLine) -> LineResult:
    """Raises `ApiError` where every later line would have the same error."""
    name = ""
    try:
        values = file.values_of(line)
        name = values.get("name", "")
        outcome, campaign_id = await _save(view, values)
    except ApiError as error:
        if error.code in _ENDING:
            raise
        if error.code is ErrorCode.ALREADY_EXISTS:
            return LineResult(line, name, Outcome.UNCHANGED)
        return LineResult(line, name, Outcome.REFUSED, reasons=_reasons_of(error))
    return LineResult(line, name, outcome, campaign_id)


async def _save(view: PageRequest, values: Mapping[str, str]) -> tuple[Outcome, str]:
    reference = values.get("external_ref")
    if reference is None:
        raise invalid(
            "external_ref",
            "required",
            Message("Give each line an id of your own, so that it is not created twice."),
        )
    if view.form_field("existing") == "update":
        query = {"external_ref": reference, "limit": 1}
        for found in (await view.call(operations.LIST, query=query))["data"]:
            body = _body_of(view, {name: [value] for name, value in values.items()})
            path, version = {"id": found["id"]}, found["version"]
            await view.call(operations.PATCH, path=path, body=body, version=version)
            return Outcome.UPDATED, found["id"]
    fields = {name: view.form[name] for name in _OF_ALL_LINES if view.form.get(name)}
    fields |= {name: [value] for name, value in values.items()}
    made = await view.call(operations.CREATE, body=_body_of(view, fields))
    return Outcome.CREATED, made["id"]


def _body_of(view: PageRequest, fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Times without an offset are of the line's time zone, else of the form's."""
    zone = fields.get("timezone") or view.form.get("timezone") or ("",)
    return body_of(fields, _READERS | instants_in(zone_named(read_timezone(zone) or "")))


def _reader_of(name: str) -> Reader:
    """Amounts are in cents, as in the API."""
    if name == "timezone":
        return read_timezone
    match field_schemas(CampaignCreate)[name].get("type"):
        case "integer":
            return whole
        case "array":
            return lines
        case _:
            return text


_READERS: dict[str, Reader] = {name: _reader_of(name) for name in COLUMNS}


def _reasons_of(error: ApiError) -> Sequence[tuple[str, Message]]:
    if not error.details:
        return [("", error.message)]
    return [(_column_of(one.param), one.message) for one in error.details]


def _column_of(param: str) -> str:
    """The column that holds *param*: ``property_ids`` for ``property_ids.0``."""
    return next((name for name in COLUMNS if f"{param}.".startswith(f"{name}.")), "")


def _line_of(**values: Any) -> bytes:
    return orjson.dumps(values) + b"\n"
