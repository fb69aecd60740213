"""The operations of verification, as the API description shows them."""

from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.inventory.domain_verification.examples import RESULT, START_BODY, STARTED
from control.inventory.domain_verification.schemas import (
    VerificationResult,
    VerificationStart,
    VerificationStarted,
)

_WRITES = {Auth.ACCESS_TOKEN: Permission.PROPERTY_WRITE}
_ID = {"id": "Id of the property."}

START = Operation(
    id="startVerification",
    method="POST",
    path="/v1/properties/{id}/verification",
    tag="Properties",
    summary="Start domain verification",
    description=(
        "Returns what to publish to prove that the domain is yours: a TXT record, or a tag in the head of its front "
        "page. The token belongs to this property and domain and stays the same until you request another method or "
        "domain. A verified property stays verified by its old proof until the new one is found. A property without a "
        "domain returns 409 `invalid_state`: give it one, or ask the operator to verify it."
    ),
    needs=_WRITES,
    body=VerificationStart,
    body_example=START_BODY,
    path_params=_ID,
    answers=(Answer(200, "What to publish, and where.", VerificationStarted, example=STARTED),),
    errors=(ErrorCode.INVALID_STATE,),
    accepts_version=True,
)

VERIFY = Operation(
    id="verifyProperty",
    method="POST",
    path="/v1/properties/{id}/verify",
    tag="Properties",
    summary="Check domain verification",
    description=(
        "Queries independent DNS resolvers, which must agree, or fetches the front page (https first, then http; at "
        "most three redirects, within the registered domain), and returns what was seen and what to do next. A "
        "missing proof is not an error: the response is 200 with `verified: false`, and a verified property keeps its "
        "status for now. A domain verified by another account can be claimed only when that account's proof is no "
        "longer published. The proof is checked again every 30 days; if it is gone, the owners get an email, and "
        "after seven days the property becomes `unverified`. Limited to a few requests a minute per property; a check "
        "can take 20 seconds."
    ),
    needs=_WRITES,
    path_params=_ID,
    answers=(Answer(200, "The result of the check.", VerificationResult, example=RESULT),),
    errors=(ErrorCode.INVALID_STATE,),
    accepts_version=True,
)
