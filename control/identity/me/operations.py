"""The operations on the caller itself, as the API description shows them."""

from common.contract.operation import Answer, Auth, Operation
from common.values.errors import ErrorCode
from control.identity.me.examples import ME, RENAMED
from control.identity.me.schemas import MePatch, MePublic

GET = Operation(
    id="getMe",
    method="GET",
    path="/v1/me",
    tag="Identity",
    summary="Identify the caller",
    description=(
        "Accepts an access token, an integration key or a secret key. Call it first when something does not work: it "
        "returns your identity, your permissions, which scopes were lost and why, what is blocked, and your rate "
        "limit."
    ),
    auth=(Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY, Auth.SECRET_KEY),
    answers=(Answer(200, "The caller's identity and permissions.", MePublic, example=ME),),
)

PATCH = Operation(
    id="updateMe",
    method="PATCH",
    path="/v1/me",
    tag="Identity",
    summary="Change your name or language",
    description="Changes your own display name, or the language of the mails to you. Signed-in users only.",
    auth=(Auth.ACCESS_TOKEN,),
    body=MePatch,
    body_example={"name": "Ana", "language": "pt-BR"},
    answers=(Answer(200, "The caller, with the changes.", MePublic, example=RENAMED),),
    errors=(ErrorCode.PERMISSION_DENIED,),
)
