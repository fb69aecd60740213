"""The operations on privacy requests, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import a_page
from control.identity.privacy_requests.examples import (
    ANSWERED,
    PRIVACY_REQUEST,
    PRIVACY_REQUEST_BODY,
)
from control.identity.privacy_requests.schemas import (
    PrivacyRequestCreate,
    PrivacyRequestList,
    PrivacyRequestPublic,
)

_CALLERS = (Auth.ACCESS_TOKEN,)
_NEEDS = {Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE}
_ABOUT = "privacy_request"

CREATE = Operation(
    id="createPrivacyRequest",
    method="POST",
    path="/v1/privacy/requests",
    plane=Plane.CONTROL,
    tag="Privacy",
    summary="Answer a person's request about their data",
    description=(
        "Looks for everything that is kept under a `uid` of yours, and erases or exports it. The answer says place by "
        "place what was searched and what was found. The `uid` itself is kept only until then."
    ),
    auth=_CALLERS,
    needs=_NEEDS,
    body=PrivacyRequestCreate,
    body_example=PRIVACY_REQUEST_BODY,
    answers=(
        Answer(
            202,
            "Taken; read it again for what was found.",
            PrivacyRequestPublic,
            headers={"Location": "Its path."},
            example=PRIVACY_REQUEST,
        ),
    ),
    creates=True,
    about=_ABOUT,
)

LIST = Operation(
    id="listPrivacyRequests",
    method="GET",
    path="/v1/privacy/requests",
    plane=Plane.CONTROL,
    tag="Privacy",
    summary="List privacy requests",
    description="Newest first.",
    auth=_CALLERS,
    needs=_NEEDS,
    query=PrivacyRequestList,
    answers=(Answer(200, "A page.", Page[PrivacyRequestPublic], example=a_page(ANSWERED)),),
    errors=(ErrorCode.CURSOR_INVALID,),
    about=_ABOUT,
)

GET = Operation(
    id="getPrivacyRequest",
    method="GET",
    path="/v1/privacy/requests/{id}",
    plane=Plane.CONTROL,
    tag="Privacy",
    summary="Read a privacy request",
    auth=_CALLERS,
    needs=_NEEDS,
    path_params={"id": "The request's id."},
    answers=(
        Answer(200, "The request, and what was found.", PrivacyRequestPublic, example=ANSWERED),
    ),
    about=_ABOUT,
)
