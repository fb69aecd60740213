"""Examples of privacy requests for the API description."""

from typing import Any

from control.foundation.openapi_examples import MADE_AT, USER_ID

PRIVACY_REQUEST_BODY: dict[str, Any] = {"uid": "reader-4711", "kind": "erase"}

PRIVACY_REQUEST: dict[str, Any] = {
    "id": "01940b3e-0000-7000-8000-0000000000e1",
    "kind": "erase",
    "status": "pending",
    "uid_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "requested_by": USER_ID,
    "found": [],
    "created_at": MADE_AT,
    "due_at": "2026-03-22T12:00:00.000Z",
    "done_at": None,
}

ANSWERED: dict[str, Any] = PRIVACY_REQUEST | {
    "status": "done",
    "found": [
        {
            "place": "database",
            "searched": "every table with a uid: no table has a column for it",
            "found": 0,
            "erased": 0,
            "data": [],
        }
    ],
    "done_at": "2026-02-20T12:00:30.000Z",
}
