"""The operations on the caller's own account, as the API description shows them. For signed-in users only."""

from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import after
from control.identity.account_settings.schemas import AccountClose, AccountPatch
from control.identity.accounts.examples import ACCOUNT
from control.identity.accounts.schemas import AccountPublic

_CALLERS = (Auth.ACCESS_TOKEN,)
_WRITES = {Auth.ACCESS_TOKEN: Permission.ACCOUNT_WRITE}
_ETAG = {"ETag": "The account's version, for `If-Match`."}

GET = Operation(
    id="getAccount",
    method="GET",
    path="/v1/account",
    plane=Plane.CONTROL,
    tag="Accounts",
    summary="Read your account",
    description="The account you are signed in to. Every member may.",
    auth=_CALLERS,
    answers=(Answer(200, "The account.", AccountPublic, headers=_ETAG, example=ACCOUNT),),
)

PATCH = Operation(
    id="updateAccount",
    method="PATCH",
    path="/v1/account",
    plane=Plane.CONTROL,
    tag="Accounts",
    summary="Change your account",
    description=(
        "An absent field stays as it is. With `require_second_factor`, owners, admins and finance members who have "
        "none can do nothing but set one up: set up your own first."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body=AccountPatch,
    body_example={"review_required": True},
    answers=(
        Answer(
            200,
            "The account as it is now.",
            AccountPublic,
            headers=_ETAG,
            example=after(ACCOUNT, review_required=True),
        ),
    ),
    needs_version=True,
)

STOP = Operation(
    id="stopAccount",
    method="POST",
    path="/v1/account/stop",
    plane=Plane.CONTROL,
    tag="Accounts",
    summary="Stop all live serving",
    description=(
        "The emergency switch: within seconds no edge serves a live ad of the account. Whoever may pause a campaign "
        "may throw it; lifting it needs `account:write`. Stopping what is stopped changes nothing."
    ),
    auth=_CALLERS,
    needs={Auth.ACCESS_TOKEN: Permission.CAMPAIGN_WRITE},
    answers=(
        Answer(
            200,
            "The account, stopped.",
            AccountPublic,
            headers=_ETAG,
            example=after(ACCOUNT, stopped=True),
        ),
    ),
)

RESUME = Operation(
    id="resumeAccount",
    method="POST",
    path="/v1/account/resume",
    plane=Plane.CONTROL,
    tag="Accounts",
    summary="Serve live ads again",
    description="Takes a stop back. Resuming what is not stopped changes nothing.",
    auth=_CALLERS,
    needs=_WRITES,
    answers=(
        Answer(200, "The account, serving.", AccountPublic, headers=_ETAG, example=after(ACCOUNT)),
    ),
)

CLOSE = Operation(
    id="closeAccount",
    method="POST",
    path="/v1/account/close",
    plane=Plane.CONTROL,
    tag="Accounts",
    summary="Close your account for good",
    description=(
        "For owners, who prove themselves by their password once more. Serving ends, every key is revoked, everybody "
        "is signed out, and nothing opens the account again. What the law asks to keep (invoices, the ledger, the "
        "audit log) is kept."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body=AccountClose,
    body_example={"password": "correct horse battery"},
    answers=(
        Answer(
            200,
            "The account, closed.",
            AccountPublic,
            example=after(ACCOUNT, state="suspended", state_reason="closed"),
        ),
    ),
    errors=(ErrorCode.INVALID_GRANT,),
)
