"""
Who may do what to whom in an account, pure.

============================= ============ ==================== =====================================
act                           owner        admin                everybody else
============================= ============ ==================== =====================================
invite, or send an            any role     neither owner nor    –
invitation again                           finance
change a member's or an       any          neither of owner,    –
invitation's role                          nor to owner or
                                           finance
change their own role         any other    one that may do      –
                                           nothing new
remove a member, take an      any          any but an owner     –
invitation back
leave                         yes          yes                  yes
============================= ============ ==================== =====================================

Who lacks `billing:write` never gives it to somebody, themselves at another address included.
Above all of it: an account keeps an owner, so the last one is neither demoted nor removed, and does not leave.
"""

from dataclasses import dataclass

from common.contract.permissions import ROLE_PERMISSIONS, Permission, Role
from common.values.errors import ErrorCode, Refused


@dataclass(frozen=True, slots=True)
class MembershipContext:
    """A member as others stand to them: whether it is the caller, and how many owners there are beside them."""

    is_self: bool
    other_owners: int


def check_grants(actor: Role, role: Role) -> None:
    """Raises 403 where *actor* may not give *role* to somebody."""
    check_touches(actor, role)
    if _gives_more_billing(actor, role):
        raise _denied(
            f"`{role}` handles money, which your role `{actor}` does not. Ask an owner to give it."
        )


def grantable(actor: Role) -> list[Role]:
    """The roles that *actor* may give, if they may invite at all."""
    return [role for role in Role if may_still_invite(actor, role)]


def check_touches(actor: Role, role: Role) -> None:
    """Raises 403 where *actor* may not change or remove somebody whose role is *role*."""
    if Permission.MEMBER_WRITE not in ROLE_PERMISSIONS[actor]:
        raise _denied(f"Your role `{actor}` lacks the permission `member:write`.")
    if role is Role.OWNER and actor is not Role.OWNER:
        raise _denied("Only an owner makes or unmakes an owner. Ask one.")


def check_role_change(actor: Role, before: Role, after: Role, around: MembershipContext) -> None:
    """Raises 403, or 409 for the last owner."""
    if before is after:
        return
    check_touches(actor, before)
    check_grants(actor, after)
    if around.is_self and not ROLE_PERMISSIONS[after] < ROLE_PERMISSIONS[before]:
        raise _denied(
            f"Nobody gives themselves more: `{after}` may do what `{before}` may not. Ask another."
        )
    _keep_an_owner(before, around)


def check_removal(actor: Role, role: Role, around: MembershipContext) -> None:
    """As `check_role_change`; everybody may remove themselves."""
    if not around.is_self:
        check_touches(actor, role)
    _keep_an_owner(role, around)


def may_still_invite(inviter: Role | None, role: Role) -> bool:
    """Whether an open invitation to *role* stands when its maker's role has become *inviter*, None: no member."""
    if inviter is None or Permission.MEMBER_WRITE not in ROLE_PERMISSIONS[inviter]:
        return False
    if _gives_more_billing(inviter, role):
        return False
    return inviter is Role.OWNER or role is not Role.OWNER


def _gives_more_billing(giver: Role, role: Role) -> bool:
    billing = Permission.BILLING_WRITE
    return billing in ROLE_PERMISSIONS[role] and billing not in ROLE_PERMISSIONS[giver]


def _keep_an_owner(role: Role, around: MembershipContext) -> None:
    if role is Role.OWNER and around.other_owners == 0:
        raise Refused(
            ErrorCode.INVALID_STATE,
            "An account keeps an owner, and this is the last one. Make somebody else an owner first.",
            param="role",
        )


def _denied(message: str) -> Refused:
    return Refused(ErrorCode.PERMISSION_DENIED, message)
