"""The operations of exports, as the public description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import PROPERTY_ID, a_page
from control.reporting.exports.schemas import ExportCreate, ExportList, ExportPublic, ExportsQuery

EXPORT_ID = "01940b3e-0000-7000-8000-0000000000f1"
_CALLERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_NEEDS = dict.fromkeys(_CALLERS, Permission.REPORTS_READ)
_ID = {"id": "Id of the export."}
_BODY = {
    "format": "parquet",
    "from": "2026-02-01",
    "to": "2026-02-08",
    "tz": "America/Sao_Paulo",
    "granularity": "day",
    "group_by": ["campaign", "country"],
    "metrics": ["impressions", "clicks", "ctr", "spend_cents"],
    "property_id": [PROPERTY_ID],
}
_QUEUED = {
    "id": EXPORT_ID,
    "kind": "report",
    "format": "parquet",
    "status": "queued",
    "is_test": False,
    "progress_percent": 0,
    "question": {name: value for name, value in _BODY.items() if name != "format"}
    | {"from": "2026-02-01T03:00:00.000Z", "to": "2026-02-08T03:00:00.000Z"},
    "rows": None,
    "bytes": None,
    "sha256": None,
    "url": None,
    "url_expires_at": None,
    "error": None,
    "created_at": "2026-02-20T12:00:00.000Z",
    "started_at": None,
    "finished_at": None,
    "expires_at": None,
}
_READY = _QUEUED | {
    "status": "ready",
    "progress_percent": 100,
    "rows": 48210,
    "bytes": 1903211,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "started_at": "2026-02-20T12:00:00.410Z",
    "finished_at": "2026-02-20T12:00:03.872Z",
    "expires_at": "2026-02-27T12:00:03.872Z",
}
_LINKED = _READY | {
    "url": (
        f"https://control.placard.example/v1/exports/{EXPORT_ID}/placard-report-2026-02-01-2026-02-08-0000000000f1"
        ".parquet?expires=1771589700&signature=Wb0x2lq9Jp3VgTt5mZ1sKc8dRf4uYh6nEa7oXi0vBqM"
    ),
    "url_expires_at": "2026-02-20T12:15:00.000Z",
}

CREATE = Operation(
    id="createExport",
    method="POST",
    path="/v1/reports/exports",
    tag="Reports",
    summary="Create an export",
    description=(
        "Starts an export and returns at once. Read the export until it is `ready`, then download the file from its "
        "`url`. All rows reflect one point in time. Formats: CSV (RFC 4180, UTF-8, with a header row), NDJSON, "
        "Parquet with typed columns. In CSV, text that a spreadsheet would execute as a formula is prefixed with an "
        "apostrophe.\n"
        "\n"
        "`report` contains the rows that `getDeliveryReport` returns, at most 200,000. `events` contains the events "
        "of the feed in its order, over at most 92 days; the last row's id is a cursor for the feed. Each row adds "
        "the country, the device, the price and the charge in micros (10,000 micros are 1 cent), and the account's "
        "currency. Signed-in users also need `event:read`. Parquet files store the currency, the range and the time "
        "zone in their schema metadata.\n"
        "\n"
        "An account can have at most 10 unfinished exports; more return 429. Files are deleted after 7 days."
    ),
    needs=_NEEDS,
    query=ExportsQuery,
    body=ExportCreate,
    body_example=_BODY,
    answers=(
        Answer(
            202,
            "The new export, queued.",
            ExportPublic,
            headers={"Location": "Path of the new object."},
            example=_QUEUED,
        ),
    ),
    errors=(ErrorCode.NOT_FOUND,),
    creates=True,
    about="export",
)

LIST = Operation(
    id="listExports",
    method="GET",
    path="/v1/reports/exports",
    tag="Reports",
    summary="List exports",
    description=(
        "Exports of one environment, newest first, without download links. An integration key sees the exports "
        "created by keys of its property."
    ),
    needs=_NEEDS,
    query=ExportList,
    answers=(Answer(200, "One page of results.", Page[ExportPublic], example=a_page(_READY)),),
)

GET = Operation(
    id="getExport",
    method="GET",
    path="/v1/reports/exports/{id}",
    tag="Reports",
    summary="Read an export",
    description=(
        "The status and progress; once the export is `ready`, also a link to its file. Each request returns a new "
        "link, which anyone can use for 15 minutes."
    ),
    needs=_NEEDS,
    path_params=_ID,
    answers=(Answer(200, "The export.", ExportPublic, example=_LINKED),),
)

DELETE = Operation(
    id="deleteExport",
    method="DELETE",
    path="/v1/reports/exports/{id}",
    tag="Reports",
    summary="Delete an export",
    description=(
        "An unfinished export is cancelled. Its links stop working at once; links to a storage bucket work until they "
        "expire."
    ),
    needs=_NEEDS,
    path_params=_ID,
    answers=(Answer(204, "Deleted."),),
    about="export",
)
