"""What each role may do, as the promises about roles say it."""

import pytest

from common.contract.permissions import PLATFORM, SCOPES, Permission, Role, permissions_of


def named(*names: str) -> frozenset[Permission]:
    return frozenset(map(Permission, names))


def test_an_owner_may_do_everything_of_the_account() -> None:
    assert permissions_of(Role.OWNER, operator=False) == frozenset(Permission) - PLATFORM


def test_an_admin_has_no_billing_permission() -> None:
    lacks = frozenset(Permission) - permissions_of(Role.ADMIN, operator=False)
    assert lacks == PLATFORM | named("billing:read", "billing:write")


def test_an_analyst_reads_all_but_the_audit_log_and_writes_nothing() -> None:
    found = permissions_of(Role.ANALYST, operator=False)
    everything = {one for one in Permission if one.endswith(":read")}
    assert found == everything - PLATFORM - named("audit:read")


def test_finance_has_billing_and_reports() -> None:
    found = permissions_of(Role.FINANCE, operator=False)
    assert found == named("billing:read", "billing:write", "reports:read")


def test_a_manager_has_every_scope_properties_and_events() -> None:
    found = permissions_of(Role.MANAGER, operator=False)
    assert found == {*SCOPES, *named("property:write", "event:read")}


@pytest.mark.parametrize("role", Role)
def test_the_operators_account_adds_the_platform_to_any_role(role: Role) -> None:
    added = permissions_of(role, operator=True) - permissions_of(role, operator=False)
    assert added == PLATFORM
