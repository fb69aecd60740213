"""The operations on SDK keys, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import a_page
from control.inventory.api_keys.examples import (
    KEY_PATCH,
    ROTATED_KEY,
    SDK_KEY,
    SDK_KEY_BODY,
    patched,
    revoked,
)
from control.inventory.api_keys.schemas import (
    KeyPatch,
    SdkKeyCreate,
    SdkKeyCreated,
    SdkKeyList,
    SdkKeyPublic,
)

CALLERS = (Auth.ACCESS_TOKEN,)
READS = {Auth.ACCESS_TOKEN: Permission.KEY_READ}
WRITES = {Auth.ACCESS_TOKEN: Permission.KEY_WRITE}
ID = {"id": "Id of the key."}
ETAG = {"ETag": "Version of the object, for `If-Match`."}
MADE = {**ETAG, "Location": "Path of the new key."}
CHANGES = (
    "Changes the name and the expiry; a key's kind, property, environment and scopes never change. Omitted fields "
    "keep their value; null removes `expires_at`. Only active keys can be changed."
)

CREATE_SDK = Operation(
    id="createSdkKey",
    method="POST",
    path="/v1/sdk-keys",
    tag="Keys",
    summary="Create an SDK key",
    description=(
        "Creates a publishable key for browsers and apps, or a secret key for servers. The text of a secret key is "
        "returned here and never again. A property can have 50 active keys of each kind; to replace one, create a new "
        "key, deploy it, then revoke the old key. A live key serves nothing until its property is verified; "
        "`blocked_by` says so."
    ),
    needs=WRITES,
    body=SdkKeyCreate,
    body_example=SDK_KEY_BODY,
    answers=(
        Answer(201, "The new key with its text.", SdkKeyCreated, headers=MADE, example=SDK_KEY),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.LIMIT_REACHED),
    creates=True,
)

LIST_SDK = Operation(
    id="listSdkKeys",
    method="GET",
    path="/v1/sdk-keys",
    tag="Keys",
    summary="List SDK keys",
    description="Newest first, including revoked keys. Publishable keys include their text.",
    needs=READS,
    query=SdkKeyList,
    answers=(Answer(200, "One page of results.", Page[SdkKeyPublic], example=a_page(SDK_KEY)),),
)

GET_SDK = Operation(
    id="getSdkKey",
    method="GET",
    path="/v1/sdk-keys/{id}",
    tag="Keys",
    summary="Read an SDK key",
    needs=READS,
    path_params=ID,
    answers=(Answer(200, "The key.", SdkKeyPublic, headers=ETAG, example=SDK_KEY),),
)

PATCH_SDK = Operation(
    id="updateSdkKey",
    method="PATCH",
    path="/v1/sdk-keys/{id}",
    tag="Keys",
    summary="Change an SDK key",
    description=CHANGES,
    needs=WRITES,
    path_params=ID,
    body=KeyPatch,
    body_example=KEY_PATCH,
    answers=(
        Answer(200, "The updated key.", SdkKeyPublic, headers=ETAG, example=patched(SDK_KEY)),
    ),
    errors=(ErrorCode.INVALID_STATE,),
    needs_version=True,
)

REVOKE_SDK = Operation(
    id="revokeSdkKey",
    method="POST",
    path="/v1/sdk-keys/{id}/revoke",
    tag="Keys",
    summary="Revoke an SDK key",
    description="Immediate and permanent: requests with the key return `key_revoked`, on every edge within seconds.",
    needs=WRITES,
    path_params=ID,
    answers=(
        Answer(200, "The revoked key.", SdkKeyPublic, headers=ETAG, example=revoked(SDK_KEY)),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)

ROTATE_SDK = Operation(
    id="rotateSdkKey",
    method="POST",
    path="/v1/sdk-keys/{id}/rotate",
    tag="Keys",
    summary="Rotate an SDK key",
    description=(
        "Revokes the key at once and returns its replacement, with its text and with the same name, property, "
        "environment and expiry. Anything still using the old key fails with `key_revoked`; to replace a key without "
        "downtime, create a second key, deploy it, then revoke the first."
    ),
    needs=WRITES,
    path_params=ID,
    answers=(
        Answer(
            200,
            "The replacement key with its text.",
            SdkKeyCreated,
            headers=ETAG,
            example=ROTATED_KEY,
        ),
    ),
    errors=(ErrorCode.INVALID_STATE,),
    creates=True,
)
