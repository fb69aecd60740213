"""The operations of verification, as the API description shows them."""

from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.inventory.domain_verification.examples import RESULT, START_BODY, STARTED
from control.inventory.domain_verification.schemas import (
    VerificationResult,
    VerificationStart,
    VerificationStarted,
)

_WRITERS = (Auth.ACCESS_TOKEN,)
_WRITES = {Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE}
_ID = {"id": "The property's id."}

START = Operation(
    id="startVerification",
    method="POST",
    path="/v1/properties/{id}/verification",
    plane=Plane.CONTROL,
    tag="Properties",
    summary="Say what to publish",
    description=(
        "Answers what proves that the property's domain is yours: a TXT record, or a tag in the head of its front "
        "page. The token belongs to this property and domain and stays the same until another method or domain is "
        "asked for; a verified property stays verified by its old proof until the new one is found. A property "
        "without a domain is 409 `invalid_state`: give it one, or let the operator verify it."
    ),
    auth=_WRITERS,
    needs=_WRITES,
    body=VerificationStart,
    body_example=START_BODY,
    path_params=_ID,
    answers=(Answer(200, "What to publish, and where.", VerificationStarted, example=STARTED),),
    errors=(ErrorCode.INVALID_STATE,),
)

VERIFY = Operation(
    id="verifyProperty",
    method="POST",
    path="/v1/properties/{id}/verify",
    plane=Plane.CONTROL,
    tag="Properties",
    summary="Look for the proof",
    description=(
        "Asks independent resolvers for the record, which must agree, or fetches the front page (https, http where "
        "nobody answers there; at most three redirects, within the registered domain), and answers what was seen and "
        "what to do next. Not finding the proof is an answer too: 200 with `verified: false`, and it takes nothing "
        "from a verified property at once. A domain that another account has verified moves only when its proof is "
        "no longer published. The proof is looked for again every 30 days; where it is gone, the owners are told, "
        "and after seven days the property is `unverified`. A few times a minute for each property; it may take "
        "twenty seconds."
    ),
    auth=_WRITERS,
    needs=_WRITES,
    path_params=_ID,
    answers=(
        Answer(200, "What was seen, and what it led to.", VerificationResult, example=RESULT),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)
