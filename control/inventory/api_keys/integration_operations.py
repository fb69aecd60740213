"""The operations on integration keys, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Operation
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import a_page
from control.inventory.api_keys.examples import (
    INTEGRATION_KEY,
    INTEGRATION_KEY_BODY,
    KEY_PATCH,
    NEW_INTEGRATION_KEY,
    ROTATED_INTEGRATION_KEY,
    patched,
    revoked,
)
from control.inventory.api_keys.operations import CHANGES, ETAG, ID, MADE, READS, WRITES
from control.inventory.api_keys.schemas import (
    IntegrationKeyCreate,
    IntegrationKeyCreated,
    IntegrationKeyPublic,
    KeyList,
    KeyPatch,
)

CREATE_INTEGRATION = Operation(
    id="createIntegrationKey",
    method="POST",
    path="/v1/integration-keys",
    tag="Keys",
    summary="Create an integration key",
    description=(
        "For a customer's own system. The key can do what both its scopes and its creator's permissions allow, on its "
        "property and in its environment. The key's text is returned here and never again. You cannot grant a scope "
        "that you do not have yourself."
    ),
    needs=WRITES,
    body=IntegrationKeyCreate,
    body_example=INTEGRATION_KEY_BODY,
    answers=(
        Answer(
            201,
            "The new key with its text.",
            IntegrationKeyCreated,
            headers=MADE,
            example=NEW_INTEGRATION_KEY,
        ),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.LIMIT_REACHED),
    creates=True,
)

LIST_INTEGRATION = Operation(
    id="listIntegrationKeys",
    method="GET",
    path="/v1/integration-keys",
    tag="Keys",
    summary="List integration keys",
    description="Newest first, including revoked keys.",
    needs=READS,
    query=KeyList,
    answers=(
        Answer(
            200, "One page of results.", Page[IntegrationKeyPublic], example=a_page(INTEGRATION_KEY)
        ),
    ),
)

GET_INTEGRATION = Operation(
    id="getIntegrationKey",
    method="GET",
    path="/v1/integration-keys/{id}",
    tag="Keys",
    summary="Read an integration key",
    needs=READS,
    path_params=ID,
    answers=(Answer(200, "The key.", IntegrationKeyPublic, headers=ETAG, example=INTEGRATION_KEY),),
)

PATCH_INTEGRATION = Operation(
    id="updateIntegrationKey",
    method="PATCH",
    path="/v1/integration-keys/{id}",
    tag="Keys",
    summary="Change an integration key",
    description=CHANGES,
    needs=WRITES,
    path_params=ID,
    body=KeyPatch,
    body_example=KEY_PATCH,
    answers=(
        Answer(
            200,
            "The updated key.",
            IntegrationKeyPublic,
            headers=ETAG,
            example=patched(INTEGRATION_KEY),
        ),
    ),
    errors=(ErrorCode.INVALID_STATE,),
    needs_version=True,
)

REVOKE_INTEGRATION = Operation(
    id="revokeIntegrationKey",
    method="POST",
    path="/v1/integration-keys/{id}/revoke",
    tag="Keys",
    summary="Revoke an integration key",
    description="Immediate and permanent: requests with the key return `key_revoked`.",
    needs=WRITES,
    path_params=ID,
    answers=(
        Answer(
            200,
            "The revoked key.",
            IntegrationKeyPublic,
            headers=ETAG,
            example=revoked(INTEGRATION_KEY),
        ),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)

ROTATE_INTEGRATION = Operation(
    id="rotateIntegrationKey",
    method="POST",
    path="/v1/integration-keys/{id}/rotate",
    tag="Keys",
    summary="Rotate an integration key",
    description=(
        "Revokes the key at once and returns its replacement, with its text and with the same scopes, name, property, "
        "environment and expiry. The new key acts for the user who rotates it, who must hold all its scopes."
    ),
    needs=WRITES,
    path_params=ID,
    answers=(
        Answer(
            200,
            "The replacement key with its text.",
            IntegrationKeyCreated,
            headers=ETAG,
            example=ROTATED_INTEGRATION_KEY,
        ),
    ),
    errors=(ErrorCode.INVALID_STATE,),
    creates=True,
)
