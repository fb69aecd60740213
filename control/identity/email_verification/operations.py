"""The operations of e-mail verification, as the API description shows them."""

from pydantic import Field

from common.contract.models import WireIn
from common.contract.operation import Answer, Auth, Operation
from common.values.errors import ErrorCode
from control.identity.users.email_tokens import TOKEN_CHARS

_TOKEN = "ev_8hQm0000000000000000000000000000000000000000"


class EmailVerificationConfirm(WireIn):
    token: str = Field(max_length=TOKEN_CHARS, description="The token from the link in the email.")


SEND = Operation(
    id="sendEmailVerification",
    method="POST",
    path="/v1/auth/email-verification",
    tag="Sign-in",
    summary="Resend the verification email",
    description=(
        "Sends a new link to your own address; the link in earlier emails stops working. An address receives at most "
        "three such emails a day, invitations included, from all accounts together; more return 429. Returns 409 if "
        "the address is already verified. Until an owner's address is verified, the account can neither invite "
        "members nor serve live ads."
    ),
    auth=(Auth.ACCESS_TOKEN,),
    answers=(Answer(202, "The email is on its way."),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_STATE),
)

CONFIRM = Operation(
    id="confirmEmailVerification",
    method="POST",
    path="/v1/auth/email-verification/confirm",
    tag="Sign-in",
    summary="Verify an email address",
    description="Redeems the token from the email: once, within 7 days.",
    body=EmailVerificationConfirm,
    body_example={"token": _TOKEN},
    answers=(Answer(204, "Verified."),),
    errors=(ErrorCode.TOKEN_INVALID, ErrorCode.TOKEN_EXPIRED),
)
