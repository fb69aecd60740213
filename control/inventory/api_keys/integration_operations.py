"""The operations on integration keys, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Operation
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import a_page
from control.inventory.api_keys.examples import (
    INTEGRATION_KEY,
    INTEGRATION_KEY_BODY,
    NEW_INTEGRATION_KEY,
    ROTATED_INTEGRATION_KEY,
)
from control.inventory.api_keys.operations import MADE, READS, WRITES, KeyOperations
from control.inventory.api_keys.schemas import (
    IntegrationKeyCreate,
    IntegrationKeyCreated,
    IntegrationKeyPublic,
    KeyList,
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

_INTEGRATION = KeyOperations(
    "IntegrationKey",
    "an integration key",
    "/v1/integration-keys",
    IntegrationKeyPublic,
    INTEGRATION_KEY,
)

GET_INTEGRATION = _INTEGRATION.get()
PATCH_INTEGRATION = _INTEGRATION.patch()
REVOKE_INTEGRATION = _INTEGRATION.revoke(
    "Immediate and permanent: requests with the key return `key_revoked`."
)
ROTATE_INTEGRATION = _INTEGRATION.rotate(
    "Revokes the key at once and returns its replacement, with its text and with the same scopes, name, property, "
    "environment and expiry. The new key acts for the user who rotates it, who must hold all its scopes.",
    IntegrationKeyCreated,
    ROTATED_INTEGRATION_KEY,
)
