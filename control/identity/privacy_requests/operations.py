"""The operations on privacy requests, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
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

_NEEDS = {Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE}
_ABOUT = "privacy_request"

CREATE = Operation(
    id="createPrivacyRequest",
    method="POST",
    path="/v1/privacy/requests",
    tag="Privacy",
    summary="Create a privacy request",
    description=(
        "Finds everything stored under one of your `uid` values, and erases or exports it. The result lists, place by "
        "place, what was searched and what was found. The `uid` itself is stored only until the request is done."
    ),
    needs=_NEEDS,
    body=PrivacyRequestCreate,
    body_example=PRIVACY_REQUEST_BODY,
    answers=(
        Answer(
            202,
            "Accepted. Read it again for the result.",
            PrivacyRequestPublic,
            headers={"Location": "Path of the new object."},
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
    tag="Privacy",
    summary="List privacy requests",
    description="Newest first.",
    needs=_NEEDS,
    query=PrivacyRequestList,
    answers=(
        Answer(200, "One page of results.", Page[PrivacyRequestPublic], example=a_page(ANSWERED)),
    ),
    about=_ABOUT,
)

GET = Operation(
    id="getPrivacyRequest",
    method="GET",
    path="/v1/privacy/requests/{id}",
    tag="Privacy",
    summary="Read a privacy request",
    needs=_NEEDS,
    path_params={"id": "Id of the request."},
    answers=(Answer(200, "The request and its results.", PrivacyRequestPublic, example=ANSWERED),),
    about=_ABOUT,
)
