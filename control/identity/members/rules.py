"""
The rules about members of an account: who may change whom. Pure.

============================= ============ ==================== =====================================
action                        owner        admin                everybody else
============================= ============ ==================== =====================================
invite, or send an            any role     neither owner nor    –
invitation again                           finance
change a member's or an       any          neither of owner,    –
invitation's role                          nor to owner or
                                           finance
change their own role         any other    one that may do      –
                                           nothing new
remove a member, withdraw     any          any but an owner     –
an invitation
leave                         yes          yes                  yes
============================= ============ ==================== =====================================

A member without `billing:write` cannot give it to anybody, not even to themselves at another address. Reading is not
held back: an analyst reads everything, billing too, and an admin may invite one (`docs/threat-model.md`).
Above all, an account keeps an owner: the last one can neither be demoted nor removed, and cannot leave.
"""

from dataclasses import dataclass

from common.contract.permissions import ROLE_PERMISSIONS, Permission, Role
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message


@dataclass(frozen=True, slots=True)
class MembershipContext:
    """A member in relation to others: whether it is the caller, and how many other owners the account has."""

    is_self: bool
    other_owners: int


def check_grants(actor: Role, role: Role) -> None:
    """Raises 403 if *actor* may not give *role* to another person."""
    check_touches(actor, role)
    if _gives_more_billing(actor, role):
        raise _denied(
            Message(
                "The role `{role}` may manage billing, which your role `{own_role}` may not. Ask an "
                "owner to give that role.",
                role=role,
                own_role=actor,
            )
        )


def grantable(actor: Role) -> list[Role]:
    """The roles that *actor* may give; empty if they may not invite."""
    return [role for role in Role if may_still_invite(actor, role)]


def check_touches(actor: Role, role: Role) -> None:
    """Raises 403 if *actor* may not change or remove a member whose role is *role*."""
    if Permission.MEMBER_WRITE not in ROLE_PERMISSIONS[actor]:
        raise _denied(
            Message(
                "Your role `{role}` lacks the permission `member:write`. Ask an owner of the account.",
                role=actor,
            )
        )
    if role is Role.OWNER and actor is not Role.OWNER:
        raise _denied(Message("Only an owner can add or remove an owner. Ask one of them."))


def check_role_change(
    actor: Role, before: Role, after: Role, membership: MembershipContext
) -> None:
    """Raises 403 if *actor* may not change the role, 409 for the last owner."""
    if before is after:
        return
    check_touches(actor, before)
    check_grants(actor, after)
    if membership.is_self and not ROLE_PERMISSIONS[after] < ROLE_PERMISSIONS[before]:
        raise _denied(
            Message(
                "You cannot give yourself a role with more permissions: `{after}` has some that "
                "`{before}` lacks. Ask another member.",
                after=after,
                before=before,
            )
        )
    _keep_an_owner(before, membership)


def check_removal(actor: Role, role: Role, membership: MembershipContext) -> None:
    """Raises like `check_role_change`; every member may remove themselves."""
    if not membership.is_self:
        check_touches(actor, role)
    _keep_an_owner(role, membership)


def may_still_invite(inviter: Role | None, role: Role) -> bool:
    """Whether an open invitation to *role* remains valid if its sender's role is now *inviter*; None: no member."""
    if inviter is None or Permission.MEMBER_WRITE not in ROLE_PERMISSIONS[inviter]:
        return False
    if _gives_more_billing(inviter, role):
        return False
    return inviter is Role.OWNER or role is not Role.OWNER


def _gives_more_billing(giver: Role, role: Role) -> bool:
    billing = Permission.BILLING_WRITE
    return billing in ROLE_PERMISSIONS[role] and billing not in ROLE_PERMISSIONS[giver]


def _keep_an_owner(role: Role, membership: MembershipContext) -> None:
    if role is Role.OWNER and membership.other_owners == 0:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "An account needs an owner, and this is the last one. Make another member an owner "
                "first."
            ),
            param="role",
        )


def _denied(message: Message) -> Refused:
    return Refused(ErrorCode.PERMISSION_DENIED, message)
