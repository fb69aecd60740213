"""The operations of signing in and out, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation
from common.values.errors import ErrorCode
from control.foundation.http.inputs import FORM, JSON
from control.foundation.openapi_examples import a_page
from control.identity.sessions.examples import PASSWORD_GRANT, REVOKED_SESSION, SESSION, TOKENS
from control.identity.sessions.schemas import (
    Revoked,
    SessionList,
    SessionPublic,
    TokenAnswer,
    TokenRequest,
)

_CALLERS = (Auth.ACCESS_TOKEN,)
_ID = {"id": "Id of the session."}

GET_TOKEN = Operation(
    id="getToken",
    method="POST",
    path="/v1/auth/token",
    tag="Sign-in",
    summary="Get or renew an access token",
    description=(
        "`grant_type=password` signs in; `grant_type=refresh_token` renews. A refresh token works once: using it "
        "again ends the session and all its tokens. With a second factor, send `otp` as well; without it the error "
        "names the field `otp` with the detail `otp_required`. The form body of OAuth 2.0 is also accepted; errors "
        "have the code `invalid_grant` in the usual envelope."
    ),
    body=TokenRequest,
    body_example=PASSWORD_GRANT,
    body_media_types=(JSON, FORM),
    answers=(
        Answer(
            200,
            "The tokens, shown only once.",
            TokenAnswer,
            headers={"Cache-Control": "Always `no-store`."},
            example=TOKENS,
        ),
    ),
    errors=(
        ErrorCode.INVALID_GRANT,
        ErrorCode.EMAIL_UNVERIFIED,
        ErrorCode.TENANT_SUSPENDED,
        ErrorCode.UNSUPPORTED_MEDIA_TYPE,
    ),
)

SIGN_OUT = Operation(
    id="signOut",
    method="POST",
    path="/v1/auth/sign-out",
    tag="Sign-in",
    summary="Sign out",
    description="Ends the session of this access token. The token and its refresh token stop working.",
    auth=_CALLERS,
    answers=(Answer(204, "Signed out."),),
)

LIST = Operation(
    id="listSessions",
    method="GET",
    path="/v1/sessions",
    tag="Sessions",
    summary="List your sessions",
    description="Your active sessions in all your accounts, newest first.",
    auth=_CALLERS,
    query=SessionList,
    answers=(Answer(200, "One page of results.", Page[SessionPublic], example=a_page(SESSION)),),
    errors=(ErrorCode.PERMISSION_DENIED,),
)

REVOKE = Operation(
    id="revokeSession",
    method="POST",
    path="/v1/sessions/{id}/revoke",
    tag="Sessions",
    summary="End a session",
    description="Ends one of your sessions at once: its tokens stop working.",
    auth=_CALLERS,
    path_params=_ID,
    answers=(Answer(200, "The ended session.", SessionPublic, example=REVOKED_SESSION),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_STATE),
)

REVOKE_OTHERS = Operation(
    id="revokeOtherSessions",
    method="POST",
    path="/v1/sessions/revoke-others",
    tag="Sessions",
    summary="End all your other sessions",
    description="Ends every session except that of this request, in all your accounts.",
    auth=_CALLERS,
    answers=(Answer(200, "The number of sessions ended.", Revoked, example={"revoked": 2}),),
    errors=(ErrorCode.PERMISSION_DENIED,),
)
