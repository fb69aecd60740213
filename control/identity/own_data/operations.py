"""The operations on a user's own data, as the API description shows them. For signed-in users only."""

from common.contract.operation import Answer, Auth, Operation
from common.values.errors import ErrorCode
from control.identity.own_data.examples import EXPORT, MAIL_CHOICES
from control.identity.own_data.schemas import (
    MailChoicesPatch,
    MailChoicesPublic,
    OwnDataExport,
    PasswordProof,
    UserDeletion,
)

_CALLERS = (Auth.ACCESS_TOKEN,)
_PASSWORD = {"password": "correct horse battery"}
_ABOUT = "user"

EXPORT_OWN = Operation(
    id="exportMe",
    method="POST",
    path="/v1/me/export",
    tag="Identity",
    summary="Export your personal data",
    description=(
        "Returns everything stored about you as a person, in all your accounts. Needs your password, so that a stolen "
        "session cannot read it. Data of your accounts, such as campaigns, is not part of it. Whoever is a member "
        "of no account exports it in the dashboard after sign-in."
    ),
    auth=_CALLERS,
    body=PasswordProof,
    body_example=_PASSWORD,
    answers=(Answer(200, "Your data.", OwnDataExport, example=EXPORT),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_GRANT),
    about=_ABOUT,
)

DELETE_OWN = Operation(
    id="deleteMe",
    method="POST",
    path="/v1/me/delete",
    tag="Identity",
    summary="Delete your user",
    description=(
        "Needs your password. You leave all accounts, all your sessions end, and your name, email address, password, "
        "second factor and known networks are deleted. Audit lines keep your id. Integration keys that you created "
        "stop working. While you are the only owner of an open account, the answer is 409: make another member an "
        "owner, close the account, or send `close_accounts`. Whoever closed their only account, or is a member of "
        "suspended accounts alone or of no account, deletes their user in the dashboard after sign-in."
    ),
    auth=_CALLERS,
    body=UserDeletion,
    body_example=_PASSWORD,
    answers=(Answer(204, "Deleted."),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_GRANT, ErrorCode.INVALID_STATE),
    about=_ABOUT,
)

GET_MAILS = Operation(
    id="getMailChoices",
    method="GET",
    path="/v1/me/mails",
    tag="Identity",
    summary="Read which mails you receive",
    auth=_CALLERS,
    answers=(Answer(200, "Your choices.", MailChoicesPublic, example=MAIL_CHOICES),),
    errors=(ErrorCode.PERMISSION_DENIED,),
    about=_ABOUT,
)

SET_MAILS = Operation(
    id="updateMailChoices",
    method="PATCH",
    path="/v1/me/mails",
    tag="Identity",
    summary="Choose which mails you receive",
    description=(
        "Applies to all your accounts. Mails about your sign-in, payments and lost verifications cannot be refused, "
        "because an account is at risk or stops serving ads."
    ),
    auth=_CALLERS,
    body=MailChoicesPatch,
    body_example=MAIL_CHOICES,
    answers=(Answer(200, "Your choices.", MailChoicesPublic, example=MAIL_CHOICES),),
    errors=(ErrorCode.PERMISSION_DENIED,),
    about=_ABOUT,
)
