"""Shared by both grants: the refusal, and the checks of the account that tokens are for."""

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.authentication import check_account
from control.storage.tables.accounts import AccountRow


def refused(message: Message, *, param: str | None = None) -> Refused:
    """400 ``invalid_grant``, never cached."""
    return Refused(
        ErrorCode.INVALID_GRANT, message, param=param, headers={"Cache-Control": "no-store"}
    )


def check_usable(account: AccountRow | None) -> AccountRow:
    """Raises `Refused` if the user has no membership (any more), or the account is suspended."""
    found = check_found(account)
    check_account(found.state)
    return found


def check_found(account: AccountRow | None) -> AccountRow:
    """Raises `Refused` if the user has no membership (any more)."""
    if account is None:
        raise refused(Message("You are not a member of any account. Ask an owner to invite you."))
    return account
