"""Examples of an account and its owner for the API description."""

from typing import Any

from common.values.enums import AccountState
from control.foundation.openapi_examples import MADE_AT, USER_ID
from control.foundation.resource_models import created_example
from control.identity.accounts.schemas import AccountCreate, AccountPublic

ACCOUNT_ID = "01940b3e-0000-7000-8000-0000000000a0"

ACCOUNT_BODY: dict[str, Any] = {
    "name": "Acme Media",
    "owner_name": "Ana Souza",
    "email": "ana@acme.example",
    "password": "correct horse battery",
    "currency": "EUR",
}

ACCOUNT = created_example(
    AccountPublic,
    AccountCreate,
    ACCOUNT_BODY,
    id=ACCOUNT_ID,
    state=AccountState.ACTIVE,
    state_reason=None,
    stopped=False,
    billing_mode="invoiced",
    address_verified=True,
    review_required=False,
    require_second_factor=False,
    version=1,
    created_at=MADE_AT,
    updated_at=MADE_AT,
)

NEW_ACCOUNT: dict[str, Any] = {
    "account": ACCOUNT,
    "user": {
        "id": USER_ID,
        "email": "ana@acme.example",
        "name": "Ana Souza",
        "email_verified": False,
        "role": "owner",
    },
}
