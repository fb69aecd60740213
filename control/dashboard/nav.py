"""The dashboard's navigation: screens by name, in groups. Those the user may not see are left out."""

from dataclasses import dataclass

from control.dashboard.page_request import PageRequest

_GROUPS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "",
        (
            ("overview", "Overview"),
            ("campaign_list", "Campaigns"),
            ("ad_list", "Ads"),
            ("review_queue", "Review"),
            ("asset_list", "Assets"),
            ("property_list", "Properties"),
            ("event_tail", "Events"),
            ("report", "Reports"),
        ),
    ),
    (
        "Settings",
        (
            ("key_list", "Keys"),
            ("member_list", "Members"),
            ("billing", "Billing"),
            ("wallet", "Wallet"),
            ("payouts", "Payouts"),
            ("audit_log", "Audit log"),
            ("account", "Account"),
            ("profile", "Profile"),
        ),
    ),
)
"""Screen and label, which is also in the catalogues."""


@dataclass(frozen=True, slots=True)
class NavLink:
    label: str
    url: str
    is_here: bool


def groups_of(view: PageRequest) -> list[tuple[str, list[NavLink]]]:
    if not view.is_signed_in or view.caller.must_enrol or view.frame.component is not None:
        return []
    groups = [
        (title, [_link_to(view, name, label) for name, label in entries if view.page_exists(name)])
        for title, entries in _GROUPS
    ]
    return [(title, entries) for title, entries in groups if entries]


def _link_to(view: PageRequest, name: str, label: str) -> NavLink:
    """A screen whose path begins with this one's counts as part of it."""
    path = view.surface.screens[name].path
    here = view.screen.path
    is_here = here == path or (path != "" and here.startswith(f"{path}/"))
    return NavLink(label, view.url(name), is_here)
