"""The operations of e-mail verification, as the API description shows them."""

from pydantic import Field

from common.contract.models import WireIn
from common.contract.operation import Answer, Auth, Operation, Plane
from common.values.errors import ErrorCode
from control.identity.users.email_tokens import TOKEN_CHARS

_TOKEN = "ev_8hQm0000000000000000000000000000000000000000"


class EmailVerificationConfirm(WireIn):
    token: str = Field(max_length=TOKEN_CHARS, description="From the link in the mail.")


SEND = Operation(
    id="sendEmailVerification",
    method="POST",
    path="/v1/auth/email-verification",
    plane=Plane.CONTROL,
    tag="Sign-in",
    summary="Have the verification mail sent again",
    description=(
        "To your own address. The link in an older mail is void from then on. At most three mails a day go to an "
        "address, invitations counted, from whatever account; then 429. 409 where the address is verified already. "
        "Until the address of its owner is verified, an account can neither invite nor serve live."
    ),
    auth=(Auth.ACCESS_TOKEN,),
    answers=(Answer(202, "The mail is on its way."),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_STATE),
)

CONFIRM = Operation(
    id="confirmEmailVerification",
    method="POST",
    path="/v1/auth/email-verification/confirm",
    plane=Plane.CONTROL,
    tag="Sign-in",
    summary="Prove that an address is yours",
    description="Takes the token of the mail, once, within 7 days.",
    body=EmailVerificationConfirm,
    body_example={"token": _TOKEN},
    answers=(Answer(204, "Verified."),),
    errors=(ErrorCode.TOKEN_INVALID, ErrorCode.TOKEN_EXPIRED),
)
