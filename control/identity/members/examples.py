"""Examples of an invited and an active member for the API description."""

from typing import Any

from control.foundation.openapi_examples import MADE_AT, USER_ID
from control.identity.accounts.examples import ACCOUNT

MEMBER_ID = "01940b3e-0000-7000-8000-0000000000a2"

MEMBER_BODY: dict[str, Any] = {"email": "bruno@acme.example", "role": "manager"}

INVITATION: dict[str, Any] = {
    "id": MEMBER_ID,
    "user_id": None,
    "email": "bruno@acme.example",
    "name": None,
    "role": "manager",
    "status": "invited",
    "invited_by": USER_ID,
    "expires_at": "2026-02-27T12:00:00.000Z",
    "last_active_at": None,
    "second_factor": False,
    "version": 1,
    "created_at": MADE_AT,
    "updated_at": MADE_AT,
}

MEMBER: dict[str, Any] = INVITATION | {
    "user_id": "01940b3e-0000-7000-8000-0000000000a3",
    "name": "Bruno",
    "status": "active",
    "expires_at": None,
    "last_active_at": "2026-02-21T09:00:00.000Z",
    "second_factor": True,
}

ACCEPT_BODY: dict[str, Any] = {
    "token": "iv_this_is_an_example",
    "name": "Bruno",
    "password": "correct horse battery",
}

ACCEPTED: dict[str, Any] = {
    "account": ACCOUNT,
    "member": MEMBER | {"version": 2, "last_active_at": None, "second_factor": False},
}
