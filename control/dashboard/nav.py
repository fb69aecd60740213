"""The dashboard's navigation: screens by name, in groups. Those the user may not see are left out."""

from dataclasses import dataclass

from control.dashboard.page_request import PageRequest

GROUPS: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    (
        "",
        (
            ("overview", "Overview", "gauge"),
            ("campaign_list", "Campaigns", "megaphone"),
            ("ad_list", "Ads", "image"),
            ("review_queue", "Review", "clipboard-check"),
            ("asset_list", "Assets", "files"),
            ("property_list", "Properties", "globe"),
            ("event_tail", "Events", "activity"),
            ("report", "Reports", "chart-column"),
        ),
    ),
    (
        "Settings",
        (
            ("key_list", "Keys", "key"),
            ("member_list", "Members", "users"),
            ("billing", "Billing", "receipt"),
            ("wallet", "Wallet", "wallet"),
            ("payouts", "Payouts", "banknote"),
            ("audit_log", "Audit log", "scroll-text"),
            ("privacy_requests", "Privacy requests", "shield"),
            ("account", "Account", "building-2"),
            ("profile", "Profile", "user"),
        ),
    ),
)
"""Screen, label, which is also in the catalogues, and icon."""


@dataclass(frozen=True, slots=True)
class NavLink:
    """``count``: what waits there; None where nothing does."""

    label: str
    url: str
    is_here: bool
    icon: str
    count: int | None = None


def groups_of(view: PageRequest) -> list[tuple[str, list[NavLink]]]:
    if not view.is_signed_in or view.caller.must_enrol or view.frame.component is not None:
        return []
    groups = [
        (title, [_link_to(view, *entry) for entry in entries if view.page_exists(entry[0])])
        for title, entries in GROUPS
    ]
    return [(title, entries) for title, entries in groups if entries]


def parent_of(view: PageRequest) -> NavLink | None:
    """The entry of the navigation that the page is a part of; None for the pages of the entries themselves."""
    found = [link for _, links in groups_of(view) for link in links if link.is_here]
    path = view.screen.path
    own = {view.surface.screens[name].path for _, entries in GROUPS for name, _, _ in entries}
    return found[0] if found and path not in own else None


def _link_to(view: PageRequest, name: str, label: str, icon: str) -> NavLink:
    """A screen whose path begins with this one's counts as part of it."""
    path = view.surface.screens[name].path
    here = view.screen.path
    is_here = here == path or (path != "" and here.startswith(f"{path}/"))
    count = view.counts.get(name) or None
    return NavLink(label, view.url(name), is_here, icon, count)
