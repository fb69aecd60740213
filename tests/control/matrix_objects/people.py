"""What people do about themselves, in the matrix."""

from tests.control.matrix_registry import Room

ROOM = Room(
    public=frozenset({"requestPasswordReset", "confirmPasswordReset", "confirmEmailVerification"}),
    for_everyone=frozenset(
        {
            "listAccounts",
            "changePassword",
            "sendEmailVerification",
            "createSecondFactor",
            "confirmSecondFactor",
            "disableSecondFactor",
        }
    ),
    unshown=frozenset({"requestPasswordReset", "sendEmailVerification"}),
)
