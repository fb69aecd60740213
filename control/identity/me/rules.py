"""Rules about the caller, pure: the scopes it lost and why, and what blocks it."""

from common.contract.operation import Auth
from common.contract.permissions import Permission
from common.values.enums import AccountState, PropertyStatus
from common.values.environment import Environment
from control.foundation.principal import Principal
from control.identity.me.schemas import Block, BlockCode, LostScope
from control.storage.tables.accounts import AccountRow
from control.storage.tables.properties import PropertyRow

_MESSAGES = {
    BlockCode.ADDRESS_UNVERIFIED: (
        "The account's e-mail address is not verified: it can neither invite nor serve live. Open the link in the "
        "mail to its owner; POST /v1/auth/email-verification sends it again."
    ),
    BlockCode.PROPERTY_UNVERIFIED: (
        "The property is not verified: edges serve nothing to its live keys. Verify it."
    ),
    BlockCode.PROPERTY_SUSPENDED: (
        "The property is suspended: edges serve nothing to its live keys. Ask support."
    ),
    BlockCode.ACCOUNT_STOPPED: "All live serving of the account is stopped. Resume it to serve again.",
    BlockCode.PAYMENT_OVERDUE: (
        "A payment is overdue. All goes on for now; settle it before the account is suspended."
    ),
}


def in_order(permissions: frozenset[Permission]) -> list[Permission]:
    return [permission for permission in Permission if permission in permissions]


def lost_scopes(caller: Principal) -> list[LostScope]:
    """Lost scopes of an integration key; other callers have no scopes."""
    if caller.auth is not Auth.INTEGRATION_KEY:
        return []
    if caller.role is None:
        reason = "The user who made the key has left the account. Rotate the key as a member."
    else:
        reason = (
            f"The user who made the key is `{caller.role}` now. Give the permission back, or rotate the key as "
            "somebody who has it."
        )
    return [LostScope(scope=scope, reason=reason) for scope in in_order(caller.lost)]


def blocks(caller: Principal, account: AccountRow, site: PropertyRow | None) -> list[Block]:
    """*site*: the key's property. A suspended account is not listed: its calls are refused before they get here."""
    found = []
    if account.state == AccountState.PAST_DUE:
        found.append(BlockCode.PAYMENT_OVERDUE)
    if caller.environment is not Environment.TEST:
        if account.address_verified_at is None:
            found.append(BlockCode.ADDRESS_UNVERIFIED)
        if account.stopped:
            found.append(BlockCode.ACCOUNT_STOPPED)
        if site is not None and site.status == PropertyStatus.UNVERIFIED:
            found.append(BlockCode.PROPERTY_UNVERIFIED)
        if site is not None and site.status == PropertyStatus.SUSPENDED:
            found.append(BlockCode.PROPERTY_SUSPENDED)
    return [Block(code=code, message=_MESSAGES[code]) for code in found]
