"""The scope that each embedded window needs, and the permissions to which it is limited."""

from enum import StrEnum

from common.contract.permissions import Permission


class Component(StrEnum):
    """Page that an embedded window can show (``POST /v1/embed/sessions``)."""

    CAMPAIGN_CREATE = "campaign_create"
    CAMPAIGN_EDIT = "campaign_edit"
    CAMPAIGN_LIST = "campaign_list"
    AD_CREATE = "ad_create"
    REPORT_OVERVIEW = "report_overview"


NEEDED: dict[Component, Permission] = {
    Component.CAMPAIGN_CREATE: Permission.CAMPAIGN_WRITE,
    Component.CAMPAIGN_EDIT: Permission.CAMPAIGN_WRITE,
    Component.CAMPAIGN_LIST: Permission.CAMPAIGN_READ,
    Component.AD_CREATE: Permission.AD_WRITE,
    Component.REPORT_OVERVIEW: Permission.REPORTS_READ,
}
"""The scope without which a window is not opened."""

_EDITING = frozenset(
    {Permission.CAMPAIGN_READ, Permission.CAMPAIGN_WRITE, Permission.PROPERTY_READ}
)
_LOOKING = frozenset(
    {
        Permission.CAMPAIGN_READ,
        Permission.AD_READ,
        Permission.PROPERTY_READ,
        Permission.REPORTS_READ,
    }
)

ALLOWED: dict[Component, frozenset[Permission]] = {
    Component.CAMPAIGN_CREATE: _EDITING,
    Component.CAMPAIGN_EDIT: _EDITING | _LOOKING,
    Component.CAMPAIGN_LIST: _LOOKING,
    Component.AD_CREATE: frozenset(
        {
            Permission.AD_READ,
            Permission.AD_WRITE,
            Permission.ASSET_READ,
            Permission.ASSET_WRITE,
            Permission.CAMPAIGN_READ,
            Permission.PROPERTY_READ,
        }
    ),
    Component.REPORT_OVERVIEW: frozenset(
        {Permission.REPORTS_READ, Permission.CAMPAIGN_READ, Permission.PROPERTY_READ}
    ),
}
"""A window carries those of the key's scopes that are listed here, and no others."""

TAKES_CAMPAIGN = frozenset({Component.CAMPAIGN_EDIT, Component.AD_CREATE})
"""Components whose context may name a campaign, to which the window is then limited."""
