"""The operations that change and reset a password, as the API description shows them."""

from common.contract.operation import Answer, Auth, Operation
from common.values.errors import ErrorCode
from control.identity.passwords.schemas import PasswordChange, PasswordReset, PasswordResetConfirm

_TOKEN = "pr_5tZk0000000000000000000000000000000000000000"

CHANGE = Operation(
    id="changePassword",
    method="POST",
    path="/v1/auth/password",
    tag="Sign-in",
    summary="Change your password",
    description=(
        "Ends all your other sessions, in all accounts, and notifies you by email. A password has 12 to 256 "
        "characters of any kind. Very common passwords, and your own name or address, are refused."
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
    tag="Sign-in",
    summary="Request a password reset",
    description=(
        "Always returns 202, so that it does not reveal whether the address has an account. If it has, an email with "
        "a link arrives within seconds. The link works for one hour, or until a newer one is sent."
    ),
    body=PasswordReset,
    body_example={"email": "ana@acme.example"},
    answers=(Answer(202, "If the address has an account, an email is on its way."),),
)

CONFIRM_RESET = Operation(
    id="confirmPasswordReset",
    method="POST",
    path="/v1/auth/password-reset/confirm",
    tag="Sign-in",
    summary="Set a new password",
    description=(
        "Redeems the token from the email, once. Ends all sessions of the person and marks the address as verified, "
        "because the token proves access to its mailbox. A second factor stays in place."
    ),
    body=PasswordResetConfirm,
    body_example={"token": _TOKEN, "new_password": "seven quiet otters dream"},
    answers=(Answer(204, "Changed. Sign in with the new password."),),
    errors=(ErrorCode.TOKEN_INVALID, ErrorCode.TOKEN_EXPIRED),
)
