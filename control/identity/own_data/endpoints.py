"""The endpoints of a user's own data. They act on the person in all accounts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.audit import record_person
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.identity.account_settings.closing import close_with_user
from control.identity.own_data import operations, queries
from control.identity.own_data.mail_topics import OptionalMail, WeeklyMail
from control.identity.own_data.schemas import (
    MailChoicesPatch,
    MailChoicesPublic,
    OwnDataExport,
    PasswordProof,
    UserDeletion,
)
from control.identity.passwords.change import check_own_password, get_user
from control.identity.users.current_user import current_user
from control.identity.users.memberships import account_ids_of
from control.storage.tables.accounts import UserRow


@asynccontextmanager
async def _check_password(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    body: PasswordProof = call.body
    await check_own_password(call, body.password, "password")
    yield PreparedInput(None)


async def export(call: Call) -> Reply:
    return await export_of(call, current_user(call.principal).user_id)


async def export_of(call: Call, user_id: str) -> Reply:
    found = await queries.read_own_data(call.session, user_id)
    (user,) = found.pop("user")
    factor = found.pop("second_factor")
    call.object_id = user_id
    return Reply(
        OwnDataExport.model_validate(
            {
                "exported_at": call.now,
                "user": user,
                "second_factor": factor[0] if factor else None,
                **found,
            }
        )
    )


async def delete(call: Call) -> Reply:
    body: UserDeletion = call.body
    user_id = current_user(call.principal).user_id
    return await delete_of(call, user_id, close_accounts=body.close_accounts)


async def delete_of(call: Call, user_id: str, *, close_accounts: bool = False) -> Reply:
    """Raises `Refused` (409) for the only owner of an open account that is not to be closed."""
    held = await queries.list_accounts_without_other_owner(call.session, user_id)
    if held and not close_accounts:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "You are the only owner of {accounts}. Make another member an owner, close the "
                "account, or send `close_accounts`.",
                accounts=", ".join(sorted(one.name for one in held)),
            ),
        )
    for one in held:
        await close_with_user(call, one.id, user_id)
    call.object_id = user_id
    for account_id in await account_ids_of(call.session, user_id):
        # Dispatch writes to the log of the caller's account.
        if call.caller is None or account_id != call.caller.account_id:
            record_person(
                call,
                user_id,
                account_id=account_id,
                action=operations.DELETE_OWN.id,
                object_type=operations.DELETE_OWN.object_type,
                object_id=user_id,
            )
    await queries.delete_user(call.session, user_id, call.control.keys, call.now)
    return Reply(status=204)


async def get_mails(call: Call) -> Reply:
    user = await get_user(call.session, current_user(call.principal).user_id)
    return Reply(_choices_of(user))


async def set_mails(call: Call) -> Reply:
    body: MailChoicesPatch = call.body
    user_id = current_user(call.principal).user_id
    monthly = [one.value for one in body.monthly] if "monthly" in body.model_fields_set else None
    user = await queries.set_mails(call.session, user_id, [one.value for one in body.off], monthly)
    call.object_id = user_id
    return Reply(_choices_of(user))


def _choices_of(user: UserRow) -> MailChoicesPublic:
    return MailChoicesPublic(
        off=[OptionalMail(one) for one in user.mails_off],
        monthly=[WeeklyMail(one) for one in user.mails_monthly],
    )


ENDPOINTS = (
    Endpoint(operations.EXPORT_OWN, export, prepare=_check_password, of_person=True),
    Endpoint(operations.DELETE_OWN, delete, prepare=_check_password, of_person=True),
    Endpoint(operations.GET_MAILS, get_mails, of_person=True),
    Endpoint(operations.SET_MAILS, set_mails, of_person=True),
)
