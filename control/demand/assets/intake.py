"""
Work of a new asset before its transaction: receives, inspects and stores a form's file, or makes the upload link of an
announced one.

An interruption leaves no reference to the file: its local copy is unnamed, and names in the store are recorded first.
"""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import orjson
from pydantic import ValidationError

from common.contract.validation_errors import refusal_of
from common.values.enums import AssetKind, AssetStatus
from common.values.errors import ErrorCode, Refused, invalid
from common.values.ids import new_id
from common.values.messages import Message
from control.api.admission import receive_body
from control.api.authorization import environment_of
from control.api.call import PreparedInput, PreTransactionCall
from control.demand.assets import queries, rules, store_asset
from control.demand.assets.inspection import Rejected
from control.demand.assets.schemas import AssetCreate, AssetForm, UploadPublic
from control.demand.assets.sniff import Sniffed, sniff
from control.foundation.http import uploads
from control.foundation.http.inputs import JSON, parse_body
from control.foundation.http.uploads import Form, Pace, nameless_file
from control.foundation.settings import ControlSettings
from control.storage.tables.assets import AssetRow


@dataclass(slots=True)
class Arrival:
    """A prepared asset: ``row`` without its property, and the ``property_id`` from the request."""

    row: AssetRow
    property_id: str | None
    link: UploadPublic | None = None
    written: bool = False
    """Set by the handler; a replayed answer writes nothing."""


@asynccontextmanager
async def prepare(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """Yields an `Arrival`. Raises `Refused` and `Unavailable`."""
    environment_of(call, call.query.environment)
    media_type, _, _ = call.request.headers.getone("content-type", "").partition(";")
    match media_type.strip().lower():
        case uploads.FORM:
            async with _received(call) as prepared:
                yield prepared
        case "application/json":
            max_bytes = call.operation.max_body_bytes
            await receive_body(call.control, call.request, call.client_ip, max_bytes=max_bytes)
            body = parse_body(call.operation, call.request)
            assert isinstance(body, AssetCreate)  # noqa: S101 - the operation's own model
            yield PreparedInput(await _announced(call, body), call.request.body)
        case _:
            raise Refused(
                ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                Message(
                    "Send the file as {form_type}, or announce it as {json_type}, and set `Content-Type` "
                    "accordingly.",
                    form_type=uploads.FORM,
                    json_type=JSON,
                ),
            )


def pace_of(settings: ControlSettings) -> Pace:
    return Pace(settings.upload_grace_s, settings.upload_min_bytes_per_s)


async def _announced(call: PreTransactionCall, body: AssetCreate) -> Arrival:
    control = call.control
    settings = control.settings
    most = rules.max_bytes(settings, body.kind)
    if body.bytes > most:
        raise invalid(
            "bytes",
            "range",
            Message(
                "A file of kind {kind} may have at most {max_bytes:,} bytes. Send a smaller file.",
                kind=body.kind,
                max_bytes=most,
            ),
        )
    row = _row(call, body, kind=body.kind.value, status=AssetStatus.UPLOADING.value)
    row.upload_name = store_asset.upload_name(row.id)
    expires_at = call.now + timedelta(seconds=settings.upload_link_s)
    await store_asset.claim(control, row.upload_name, call.now)
    link = await control.assets.upload_link(
        row.upload_name,
        media_type=body.mime,
        size_bytes=body.bytes,
        sha256=body.sha256,
        expires_at=expires_at,
    )
    shown = UploadPublic(method="PUT", url=link.url, headers=link.headers, expires_at=expires_at)
    return Arrival(row, body.property_id, shown)


@asynccontextmanager
async def _received(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    control = call.control
    settings = control.settings
    await _check_room(call)
    async with nameless_file(settings.state / "uploads") as file:
        form = await uploads.receive_form(
            call.request,
            file,
            cap_of=lambda head: _cap(settings, head),
            max_bytes=max(rules.max_bytes(settings, kind) for kind in AssetKind),
            pace=pace_of(settings),
        )
        fields = _parse_fields(form)
        sniffed, kind = _kind_of(settings, form, fields.kind)
        arrival = await _looked_at(call, form, fields, sniffed, kind)
        yield PreparedInput(arrival, _fingerprint(form, fields))
    if arrival.row.upload_name is not None and not arrival.written:
        await store_asset.delete_upload(control, arrival.row.id)


async def _check_room(call: PreTransactionCall) -> None:
    """Reject a full account before it uploads a hundred megabytes; the transaction checks again."""
    account_id = call.principal.account_id
    async with call.control.database.tenant(account_id) as session:
        stored = await queries.stored_bytes(session, account_id)
    rules.check_quota(call.control.settings, stored, 1)


async def _looked_at(
    call: PreTransactionCall, form: Form, fields: AssetForm, sniffed: Sniffed, kind: AssetKind
) -> Arrival:
    control, upload = call.control, form.upload
    mime = sniffed.media_type(kind)
    row = _row(
        call,
        fields,
        kind=kind.value,
        mime=mime,
        bytes=upload.size_bytes,
        sha256=upload.digest.hex(),
        status=AssetStatus.PROCESSING.value,
    )
    if kind in rules.AT_ONCE:
        finding = await store_asset.inspect_and_store(control, upload.file, sniffed, kind)
        if isinstance(finding, Rejected):
            raise invalid("file", "file_rejected", finding.reason)
        rules.settle(row, finding, call.now)
    else:
        row.upload_name = await store_asset.store_upload(
            control, row.id, upload.file, media_type=mime
        )
    return Arrival(row, fields.property_id)


def _row(call: PreTransactionCall, fields: AssetCreate | AssetForm, **columns: Any) -> AssetRow:
    """A new row with *columns*, and all other *fields* except the property, which is not checked yet."""
    own = {
        "id": new_id(),
        "account_id": call.principal.account_id,
        "environment": environment_of(call, call.query.environment).value,
        "created_at": call.now,
        "updated_at": call.now,
        **columns,
    }
    taken = type(fields).model_fields.keys() & AssetRow.model_fields.keys() - own.keys()
    sent = {name: getattr(fields, name) for name in taken - {"property_id"}}
    return AssetRow(**sent, **own)


def _cap(settings: ControlSettings, head: bytes) -> int:
    sniffed = sniff(head)
    if sniffed is None:
        raise rules.unknown_type()
    return max(rules.max_bytes(settings, kind) for kind in sniffed.kinds)


def _kind_of(
    settings: ControlSettings, form: Form, requested: AssetKind | None
) -> tuple[Sniffed, AssetKind]:
    """Raises 413 and 422. A container of two kinds has the cap of the kind that is used."""
    sniffed = sniff(form.upload.head)
    if sniffed is None:
        raise rules.unknown_type()
    kind = requested or sniffed.kind
    if kind not in sniffed.kinds:
        raise invalid("kind", "mismatch", rules.describe_mismatch(sniffed, kind))
    most = rules.max_bytes(settings, kind)
    if form.upload.size_bytes > most:
        raise uploads.too_large(most)
    return sniffed, kind


def _parse_fields(form: Form) -> AssetForm:
    """The form's fields. Folders that some clients put before the filename are removed."""
    fields = {"filename": _last_name(form.filename or "") or "unnamed", **form.fields, "file": ""}
    try:
        return AssetForm.model_validate(fields)
    except ValidationError as error:
        raise refusal_of(error, fields) from None


def _last_name(path: str) -> str:
    return PureWindowsPath(PurePosixPath(path).name).name[-255:].strip()


def _fingerprint(form: Form, fields: AssetForm) -> bytes:
    named = fields.model_dump_json(exclude={"file"}).encode()
    return hashlib.sha256(form.upload.digest + orjson.dumps(named.decode())).digest()
