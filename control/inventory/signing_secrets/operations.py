"""The operation on shared secrets, as the API description shows it."""

from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.inventory.signing_secrets.examples import ROTATION
from control.inventory.signing_secrets.schemas import SecretRotation

ROTATE = Operation(
    id="rotateSharedSecret",
    method="POST",
    path="/v1/properties/{id}/secret/rotate",
    plane=Plane.CONTROL,
    tag="Properties",
    summary="Replace the shared secret",
    description=(
        "Makes a new secret for the property's tracking tokens, which is never shown. Edges first learn to accept it, "
        "and sign with it as soon as every worker heard in the last minute has acknowledged it, at `signs_at` at the "
        "latest; tokens signed with the old one keep counting for their life, clicks keep "
        "redirecting for 400 days. Nothing has to be deployed, and no event is lost. One rotation at a time: a second "
        "one is 409 `invalid_state` until the first signs."
    ),
    auth=(Auth.ACCESS_TOKEN,),
    needs={Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE},
    path_params={"id": "The property's id."},
    answers=(Answer(202, "The rotation, begun.", SecretRotation, example=ROTATION),),
    errors=(ErrorCode.INVALID_STATE,),
    creates=True,
)
