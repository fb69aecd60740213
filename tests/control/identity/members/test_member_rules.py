"""Which member may change which other, exhaustively."""

from itertools import product

import pytest

from common.contract.permissions import ROLE_PERMISSIONS, Permission, Role
from common.values.errors import ErrorCode, Refused
from control.identity.members.rules import (
    MembershipContext,
    check_removal,
    check_role_change,
    may_still_invite,
)

_BILLERS = [role for role in Role if Permission.BILLING_WRITE in ROLE_PERMISSIONS[role]]
_EVERY = list(product(Role, Role, Role, (True, False), (0, 1)))


def _refusal(
    actor: Role, before: Role, after: Role, membership: MembershipContext
) -> ErrorCode | None:
    try:
        check_role_change(actor, before, after, membership)
    except Refused as refusal:
        return refusal.code
    return None


def test_only_owners_make_or_unmake_owners() -> None:
    for actor, before, after, is_self, others in _EVERY:
        if actor is not Role.OWNER and before is not after and Role.OWNER in {before, after}:
            found = _refusal(actor, before, after, MembershipContext(is_self, others))
            assert found is ErrorCode.PERMISSION_DENIED


def test_a_member_without_billing_grants_no_role_with_billing() -> None:
    for before in Role:
        for after in _BILLERS:
            if before is not after:
                found = _refusal(
                    Role.ADMIN, before, after, MembershipContext(is_self=False, other_owners=1)
                )
                assert found is ErrorCode.PERMISSION_DENIED
    assert (
        _refusal(
            Role.ADMIN, Role.FINANCE, Role.ANALYST, MembershipContext(is_self=False, other_owners=1)
        )
        is None
    )


def test_nobody_raises_their_own_role() -> None:
    for before, after in product(Role, Role):
        if ROLE_PERMISSIONS[after] - ROLE_PERMISSIONS[before]:
            found = _refusal(before, before, after, MembershipContext(is_self=True, other_owners=5))
            assert found is ErrorCode.PERMISSION_DENIED


def test_the_last_owner_is_never_demoted() -> None:
    for after in set(Role) - {Role.OWNER}:
        found = _refusal(
            Role.OWNER, Role.OWNER, after, MembershipContext(is_self=True, other_owners=0)
        )
        assert found is ErrorCode.INVALID_STATE


@pytest.mark.parametrize("actor", [Role.MANAGER, Role.ANALYST, Role.FINANCE])
def test_a_member_without_members_write_changes_nobody(actor: Role) -> None:
    for before, after in product(Role, Role):
        if before is not after:
            found = _refusal(actor, before, after, MembershipContext(is_self=False, other_owners=1))
            assert found is ErrorCode.PERMISSION_DENIED


@pytest.mark.parametrize("role", Role)
def test_everybody_may_leave_unless_last_owner(role: Role) -> None:
    check_removal(role, role, MembershipContext(is_self=True, other_owners=1))
    if role is Role.OWNER:
        with pytest.raises(Refused, match="last one"):
            check_removal(role, role, MembershipContext(is_self=True, other_owners=0))


def test_an_invitation_stands_while_its_maker_could_make_it() -> None:
    state = {
        (inviter, role) for inviter, role in product(Role, Role) if may_still_invite(inviter, role)
    }

    by_admin = {(Role.ADMIN, role) for role in Role if role not in _BILLERS}
    assert state == {(Role.OWNER, role) for role in Role} | by_admin
    assert not any(may_still_invite(None, role) for role in Role)
