"""The operations on the caller's own account, as the API description shows them. For signed-in users only."""

from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import after
from control.identity.account_settings.schemas import AccountClose, AccountPatch
from control.identity.accounts.examples import ACCOUNT
from control.identity.accounts.schemas import AccountPublic

_WRITES = {Auth.ACCESS_TOKEN: Permission.ACCOUNT_WRITE}
_ETAG = {"ETag": "Version of the account, for `If-Match`."}

GET = Operation(
    id="getAccount",
    method="GET",
    path="/v1/account",
    tag="Accounts",
    summary="Read your account",
    description="The account you are signed in to. Every member can read it.",
    auth=(Auth.ACCESS_TOKEN,),
    answers=(Answer(200, "The account.", AccountPublic, headers=_ETAG, example=ACCOUNT),),
    errors=(ErrorCode.PERMISSION_DENIED,),
)

PATCH = Operation(
    id="updateAccount",
    method="PATCH",
    path="/v1/account",
    tag="Accounts",
    summary="Change your account",
    description=(
        "Omitted fields keep their value. With `require_second_factor`, owners, admins and finance members without a "
        "second factor can only set one up: set up your own before you turn this on."
    ),
    needs=_WRITES,
    body=AccountPatch,
    body_example={"review_required": True},
    answers=(
        Answer(
            200,
            "The updated account.",
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
    tag="Accounts",
    summary="Stop all live serving",
    description=(
        "Emergency switch: within seconds no edge serves a live ad of the account. Needs only `campaign:write`; "
        "resuming needs `account:write`. Has no effect if serving is already stopped."
    ),
    needs={Auth.ACCESS_TOKEN: Permission.CAMPAIGN_WRITE},
    answers=(
        Answer(
            200,
            "The account, with live serving stopped.",
            AccountPublic,
            headers=_ETAG,
            example=after(ACCOUNT, stopped=True),
        ),
    ),
    accepts_version=True,
)

RESUME = Operation(
    id="resumeAccount",
    method="POST",
    path="/v1/account/resume",
    tag="Accounts",
    summary="Resume live serving",
    description="Ends the pause set by `POST /v1/account/stop`. Has no effect if serving is not paused.",
    needs=_WRITES,
    answers=(
        Answer(
            200,
            "The account, with live serving resumed.",
            AccountPublic,
            headers=_ETAG,
            example=after(ACCOUNT),
        ),
    ),
    accepts_version=True,
)

CLOSE = Operation(
    id="closeAccount",
    method="POST",
    path="/v1/account/close",
    tag="Accounts",
    summary="Close your account permanently",
    description=(
        "Owners only, with their password. Ad serving stops, every key is revoked, every member is signed out, and "
        "the account cannot be reopened. Records that the law requires (invoices, ledger, audit log) are kept."
    ),
    needs=_WRITES,
    body=AccountClose,
    body_example={"password": "correct horse battery"},
    answers=(
        Answer(
            200,
            "The closed account.",
            AccountPublic,
            example=after(ACCOUNT, state="suspended", state_reason="closed"),
        ),
    ),
    errors=(ErrorCode.INVALID_GRANT,),
    accepts_version=True,
)
