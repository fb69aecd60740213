"""The operations that change and reset a password, as the API description shows them."""

from common.contract.operation import Answer, Auth, Operation, Plane
from common.values.errors import ErrorCode
from control.identity.passwords.schemas import PasswordChange, PasswordReset, PasswordResetConfirm

_TOKEN = "pr_5tZk0000000000000000000000000000000000000000"

CHANGE = Operation(
    id="changePassword",
    method="POST",
    path="/v1/auth/password",
    plane=Plane.CONTROL,
    tag="Sign-in",
    summary="Change your password",
    description=(
        "Ends every other session of yours, in all accounts, and tells you by mail. A password has 12 to 256 "
        "characters of any kind; the most common ones, and your own name or address, are refused."
    ),
    auth=(Auth.ACCESS_TOKEN,),
    body=PasswordChange,
    body_example={
        "current_password": "correct horse battery",
        "new_password": "seven quiet otters dream",
    },
    answers=(Answer(204, "Changed."),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_GRANT),
)

RESET = Operation(
    id="requestPasswordReset",
    method="POST",
    path="/v1/auth/password-reset",
    plane=Plane.CONTROL,
    tag="Sign-in",
    summary="Ask for a new password by mail",
    description=(
        "Always 202: nothing says whether the address has an account. If it has, a mail with a link comes within "
        "seconds; the link is good for one hour, and void once a newer one is sent."
    ),
    body=PasswordReset,
    body_example={"email": "ana@acme.example"},
    answers=(Answer(202, "If the address has an account, a mail is on its way."),),
)

CONFIRM_RESET = Operation(
    id="confirmPasswordReset",
    method="POST",
    path="/v1/auth/password-reset/confirm",
    plane=Plane.CONTROL,
    tag="Sign-in",
    summary="Choose the new password",
    description=(
        "Takes the token of the mail, once. Ends every session of the person, and verifies the address: whoever has "
        "the token read its mailbox. A second factor stays as it is."
    ),
    body=PasswordResetConfirm,
    body_example={"token": _TOKEN, "new_password": "seven quiet otters dream"},
    answers=(Answer(204, "Changed. Sign in with it."),),
    errors=(ErrorCode.TOKEN_INVALID, ErrorCode.TOKEN_EXPIRED),
)
