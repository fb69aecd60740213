"""The operations of signing in and out, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
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
_ID = {"id": "The session's id."}

GET_TOKEN = Operation(
    id="getToken",
    method="POST",
    path="/v1/auth/token",
    plane=Plane.CONTROL,
    tag="Sign-in",
    summary="Get or renew an access token",
    description=(
        "`grant_type=password` signs in; `grant_type=refresh_token` renews. A refresh token is good for one use: "
        "using it again ends the session and every token of it. Whoever set a second factor sends `otp` too; without "
        "it the refusal names `otp` with the detail `otp_required`. The form body of OAuth 2.0 is taken too; a refusal "
        "is `invalid_grant` in our envelope."
    ),
    body=TokenRequest,
    body_example=PASSWORD_GRANT,
    body_media_types=(JSON, FORM),
    answers=(
        Answer(
            200,
            "The tokens. They are shown once.",
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
    plane=Plane.CONTROL,
    tag="Sign-in",
    summary="Sign out",
    description="Ends the session of this access token: it, and its refresh token, open nothing any more.",
    auth=_CALLERS,
    answers=(Answer(204, "Signed out."),),
)

LIST = Operation(
    id="listSessions",
    method="GET",
    path="/v1/sessions",
    plane=Plane.CONTROL,
    tag="Sessions",
    summary="List your sessions",
    description="Where you are signed in, newest first, in all of your accounts. Ended ones are left out.",
    auth=_CALLERS,
    query=SessionList,
    answers=(Answer(200, "A page.", Page[SessionPublic], example=a_page(SESSION)),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.CURSOR_INVALID),
)

REVOKE = Operation(
    id="revokeSession",
    method="POST",
    path="/v1/sessions/{id}/revoke",
    plane=Plane.CONTROL,
    tag="Sessions",
    summary="End one of your sessions",
    description="At once: its tokens open nothing any more.",
    auth=_CALLERS,
    path_params=_ID,
    answers=(Answer(200, "The session, ended.", SessionPublic, example=REVOKED_SESSION),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_STATE),
)

REVOKE_OTHERS = Operation(
    id="revokeOtherSessions",
    method="POST",
    path="/v1/sessions/revoke-others",
    plane=Plane.CONTROL,
    tag="Sessions",
    summary="End all of your other sessions",
    description="All but the session of this call, in all of your accounts.",
    auth=_CALLERS,
    answers=(Answer(200, "How many ended.", Revoked, example={"revoked": 2}),),
    errors=(ErrorCode.PERMISSION_DENIED,),
)
