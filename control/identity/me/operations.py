"""The operations on the caller itself, as the API description shows them."""

from common.contract.operation import Answer, Auth, Operation, Plane
from control.identity.me.examples import ME, RENAMED
from control.identity.me.schemas import MePatch, MePublic

GET = Operation(
    id="getMe",
    method="GET",
    path="/v1/me",
    plane=Plane.CONTROL,
    tag="Identity",
    summary="Who is calling",
    description=(
        "Takes any bearer: an access token, an integration key or a secret key. The first call to make when something "
        "does not work: it says who you are to us, what you may do, what you lost and why, what is blocked, and how "
        "often you may call."
    ),
    auth=(Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY, Auth.SECRET_KEY),
    answers=(Answer(200, "The caller.", MePublic, example=ME),),
)

PATCH = Operation(
    id="updateMe",
    method="PATCH",
    path="/v1/me",
    plane=Plane.CONTROL,
    tag="Identity",
    summary="Change your name",
    description="For signed-in users, of themselves.",
    auth=(Auth.ACCESS_TOKEN,),
    body=MePatch,
    body_example={"name": "Ana"},
    answers=(Answer(200, "The caller, by the new name.", MePublic, example=RENAMED),),
)
