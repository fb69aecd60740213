"""Permissions, the roles that carry them, and the eight scopes an integration key may hold."""

from enum import StrEnum


class Permission(StrEnum):
    """Permission of a caller. The first eight are also the scopes of integration keys."""

    CAMPAIGN_READ = "campaign:read"
    CAMPAIGN_WRITE = "campaign:write"
    AD_READ = "ad:read"
    AD_WRITE = "ad:write"
    ASSET_READ = "asset:read"
    ASSET_WRITE = "asset:write"
    PROPERTY_READ = "property:read"
    REPORTS_READ = "reports:read"
    PROPERTY_WRITE = "property:write"
    KEY_READ = "key:read"
    KEY_WRITE = "key:write"
    MEMBER_READ = "member:read"
    MEMBER_WRITE = "member:write"
    BILLING_READ = "billing:read"
    BILLING_WRITE = "billing:write"
    EVENT_READ = "event:read"
    ACCOUNT_WRITE = "account:write"
    AUDIT_READ = "audit:read"
    PLATFORM_READ = "platform:read"
    PLATFORM_WRITE = "platform:write"


SCOPES: tuple[Permission, ...] = (
    Permission.CAMPAIGN_READ,
    Permission.CAMPAIGN_WRITE,
    Permission.AD_READ,
    Permission.AD_WRITE,
    Permission.ASSET_READ,
    Permission.ASSET_WRITE,
    Permission.PROPERTY_READ,
    Permission.REPORTS_READ,
)


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    MANAGER = "manager"
    ANALYST = "analyst"
    FINANCE = "finance"


PLATFORM = frozenset({Permission.PLATFORM_READ, Permission.PLATFORM_WRITE})
"""For the operator only; no role has them."""
_BILLING = frozenset({Permission.BILLING_READ, Permission.BILLING_WRITE})
_AUDIT = frozenset({Permission.AUDIT_READ})
_ALL = frozenset(Permission) - PLATFORM

ROLE_PERMISSIONS: dict[Role, frozenset[Permission]] = {
    Role.OWNER: _ALL,
    Role.ADMIN: _ALL - _BILLING,
    Role.MANAGER: frozenset(
        {*SCOPES, Permission.PROPERTY_WRITE, Permission.EVENT_READ},
    ),
    Role.ANALYST: frozenset(p for p in _ALL if p.endswith(":read")) - _AUDIT,
    Role.FINANCE: _BILLING | {Permission.REPORTS_READ},
}


def permissions_of(role: Role, *, operator: bool) -> frozenset[Permission]:
    """Returns a member's permissions; an operator's account adds the platform ones to any role."""
    return ROLE_PERMISSIONS[role] | (PLATFORM if operator else frozenset())
