"""The operation on shared secrets, as the API description shows it."""

from typing import Any

from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import MADE_AT, PROPERTY_ID
from control.inventory.signing_secrets.schemas import SecretRotation

ROTATION: dict[str, Any] = {
    "property_id": PROPERTY_ID,
    "kid": 2,
    "state": "verify",
    "signs_at": "2026-02-21T13:00:00.000Z",
    "replaces_kid": 1,
    "created_at": MADE_AT,
}

ROTATE = Operation(
    id="rotateSharedSecret",
    method="POST",
    path="/v1/properties/{id}/secret/rotate",
    tag="Properties",
    summary="Rotate the shared secret",
    description=(
        "Creates a new secret for the property's track tokens; it is never shown. Edges first accept it, then sign "
        "with it as soon as every worker that reported in the last minute has acknowledged it, at `signs_at` at the "
        "latest. Tokens signed with the old secret count until they expire, and their clicks redirect for 400 days. "
        "You deploy nothing, and no event is lost. Only one rotation runs at a time: another one returns 409 "
        "`invalid_state` until the new secret signs."
    ),
    needs={Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE},
    path_params={"id": "Id of the property."},
    answers=(Answer(202, "The rotation that was started.", SecretRotation, example=ROTATION),),
    errors=(ErrorCode.INVALID_STATE,),
    creates=True,
)
