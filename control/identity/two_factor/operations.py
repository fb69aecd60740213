"""The operations of the second factor, as the API description shows them."""

from common.contract.operation import Answer, Auth, Operation
from common.values.errors import ErrorCode
from control.identity.two_factor.schemas import (
    RecoveryCodes,
    SecondFactorConfirm,
    SecondFactorCreate,
    SecondFactorCreated,
    SecondFactorDisable,
)

_CALLERS = (Auth.ACCESS_TOKEN,)
_SECRET = "EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAM"
_RECOVERY_CODES = [f"exam-ple{number}-exam-plea" for number in range(2, 8)] + [
    f"code-exa{number}-code-exam" for number in range(2, 6)
]

CREATE = Operation(
    id="createSecondFactor",
    method="POST",
    path="/v1/auth/totp",
    tag="Second factor",
    summary="Set up a second factor",
    description=(
        "Needs your password, and returns a secret for an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 s). "
        "The second factor is off until you confirm it with a code; calling this again before that returns another "
        "secret."
    ),
    auth=_CALLERS,
    body=SecondFactorCreate,
    body_example={"password": "correct horse battery"},
    answers=(
        Answer(
            201,
            "The secret.",
            SecondFactorCreated,
            example={
                "secret": _SECRET,
                "otpauth_url": f"otpauth://totp/Placard:ana%40acme.example?secret={_SECRET}&issuer=Placard",
            },
        ),
    ),
    errors=(ErrorCode.INVALID_STATE, ErrorCode.INVALID_GRANT),
    creates=True,
)

CONFIRM = Operation(
    id="confirmSecondFactor",
    method="POST",
    path="/v1/auth/totp/confirm",
    tag="Second factor",
    summary="Turn the second factor on",
    description=(
        "Needs a code from the authenticator app. From now on signing in needs a code too. Keep the recovery codes "
        "somewhere other than the app's device: they are the only way in without it."
    ),
    auth=_CALLERS,
    body=SecondFactorConfirm,
    body_example={"code": "492039"},
    answers=(
        Answer(
            200, "The recovery codes.", RecoveryCodes, example={"recovery_codes": _RECOVERY_CODES}
        ),
    ),
    errors=(ErrorCode.INVALID_GRANT, ErrorCode.INVALID_STATE),
    creates=True,
)

DISABLE = Operation(
    id="disableSecondFactor",
    method="POST",
    path="/v1/auth/totp/disable",
    tag="Second factor",
    summary="Turn the second factor off",
    description="Needs the password and a code, or a recovery code. The recovery codes are deleted as well.",
    auth=_CALLERS,
    body=SecondFactorDisable,
    body_example={"password": "correct horse battery", "code": "492039"},
    answers=(Answer(204, "The second factor is off."),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_GRANT, ErrorCode.INVALID_STATE),
)
