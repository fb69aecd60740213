"""What keys offer: the operations, as the public description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.errors import ErrorCode
from control.examples import a_page
from control.keys.examples import (
    INTEGRATION_KEY,
    INTEGRATION_KEY_BODY,
    NEW_INTEGRATION_KEY,
    ROTATED_KEY,
    SDK_KEY,
    SDK_KEY_BODY,
    revoked,
)
from control.keys.schemas import (
    IntegrationKeyCreate,
    IntegrationKeyCreated,
    IntegrationKeyPublic,
    KeyList,
    SdkKeyCreate,
    SdkKeyCreated,
    SdkKeyPublic,
)

_CALLERS = (Auth.ACCESS_TOKEN,)
_READS = {Auth.ACCESS_TOKEN: Permission.KEY_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.KEY_WRITE}
_ID = {"id": "The key's id."}

CREATE_SDK = Operation(
    id="createSdkKey",
    method="POST",
    path="/v1/sdk-keys",
    plane=Plane.CONTROL,
    tag="Keys",
    summary="Create an SDK key",
    description=(
        "A publishable key for browsers and apps, or a secret key for servers. A secret key's text is shown in this "
        "answer and never again. Several active keys are allowed: create, deploy, then revoke the old one."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body=SdkKeyCreate,
    body_example=SDK_KEY_BODY,
    answers=(Answer(201, "The key and its text.", SdkKeyCreated, example=SDK_KEY),),
    errors=(ErrorCode.NOT_FOUND,),
    creates=True,
)

LIST_SDK = Operation(
    id="listSdkKeys",
    method="GET",
    path="/v1/sdk-keys",
    plane=Plane.CONTROL,
    tag="Keys",
    summary="List SDK keys",
    description="Newest first, revoked ones too. Publishable keys come with their text.",
    auth=_CALLERS,
    needs=_READS,
    query=KeyList,
    answers=(Answer(200, "A page.", Page[SdkKeyPublic], example=a_page(SDK_KEY)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

REVOKE_SDK = Operation(
    id="revokeSdkKey",
    method="POST",
    path="/v1/sdk-keys/{id}/revoke",
    plane=Plane.CONTROL,
    tag="Keys",
    summary="Revoke an SDK key",
    description="At once and for good: calls with it answer `key_revoked`, on every edge within seconds.",
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    answers=(Answer(200, "The key, revoked.", SdkKeyPublic, example=revoked(SDK_KEY)),),
    errors=(ErrorCode.INVALID_STATE,),
)

ROTATE_SDK = Operation(
    id="rotateSdkKey",
    method="POST",
    path="/v1/sdk-keys/{id}/rotate",
    plane=Plane.CONTROL,
    tag="Keys",
    summary="Replace an SDK key",
    description=(
        "Revokes the key at once and gives its replacement, with its text. Whatever still uses the old key fails with "
        "`key_revoked`; to replace one without a gap, create a second key, deploy it, then revoke the first."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    answers=(Answer(200, "The replacement and its text.", SdkKeyCreated, example=ROTATED_KEY),),
    errors=(ErrorCode.INVALID_STATE,),
    creates=True,
)

CREATE_INTEGRATION = Operation(
    id="createIntegrationKey",
    method="POST",
    path="/v1/integration-keys",
    plane=Plane.CONTROL,
    tag="Keys",
    summary="Create an integration key",
    description=(
        "For a customer's own system. It may do what its scopes and its creator's permissions both allow, on its "
        "property and in its environment. Its text is shown in this answer and never again."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body=IntegrationKeyCreate,
    body_example=INTEGRATION_KEY_BODY,
    answers=(
        Answer(201, "The key and its text.", IntegrationKeyCreated, example=NEW_INTEGRATION_KEY),
    ),
    errors=(ErrorCode.NOT_FOUND,),
    creates=True,
)

LIST_INTEGRATION = Operation(
    id="listIntegrationKeys",
    method="GET",
    path="/v1/integration-keys",
    plane=Plane.CONTROL,
    tag="Keys",
    summary="List integration keys",
    description="Newest first, revoked ones too.",
    auth=_CALLERS,
    needs=_READS,
    query=KeyList,
    answers=(Answer(200, "A page.", Page[IntegrationKeyPublic], example=a_page(INTEGRATION_KEY)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

REVOKE_INTEGRATION = Operation(
    id="revokeIntegrationKey",
    method="POST",
    path="/v1/integration-keys/{id}/revoke",
    plane=Plane.CONTROL,
    tag="Keys",
    summary="Revoke an integration key",
    description="At once and for good: calls with it answer `key_revoked`.",
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    answers=(
        Answer(200, "The key, revoked.", IntegrationKeyPublic, example=revoked(INTEGRATION_KEY)),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)
