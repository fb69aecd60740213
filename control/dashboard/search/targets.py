"""Pages and actions that the search offers, as far as the user may use them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from common.values.environment import Environment
from control.dashboard.nav import GROUPS
from control.dashboard.page_request import PageRequest

Translate = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Target:
    """``label`` is also in the catalogues."""

    label: str
    icon: str
    url: str


_CREATING: tuple[tuple[str, str, str], ...] = (
    ("campaign_create", "New campaign", "plus"),
    ("campaign_import", "Import campaigns", "upload"),
    ("ad_create", "New ad", "plus"),
    ("asset_upload", "Upload a file", "upload"),
    ("property_create", "New property", "plus"),
    ("key_create", "New key", "plus"),
)
"""Screen, label and icon."""

_FURTHER_PAGES: tuple[tuple[str, str, str], ...] = (
    ("first_steps", "First steps", "arrow-right"),
    ("export_list", "Exports", "files"),
    ("accounts", "All your accounts", "building-2"),
    ("second_factor", "Second factor", "shield"),
    ("my_data", "Your data", "user"),
    ("privacy_requests", "Privacy requests", "shield"),
)
"""Those without an entry in the navigation."""


def pages_of(view: PageRequest) -> Iterator[Target]:
    entries = [entry for _, group in GROUPS for entry in group]
    for name, label, icon in (*entries, *_FURTHER_PAGES):
        if view.page_exists(name):
            yield Target(label, icon, view.url(name))
    yield Target("API documentation", "book-open", "/docs")


def actions_of(view: PageRequest) -> Iterator[Target]:
    """Each leads to the page with the form of the action, or with its confirmation."""
    for name, label, icon in _CREATING:
        if view.page_exists(name):
            yield Target(label, icon, view.url(name))
    if view.can("inviteMember"):
        yield Target("Invite a member", "plus", f"{view.url('member_list')}#invite")
    is_stopped = bool(view.me and view.me["account"]["stopped"])
    if is_stopped and view.can("resumeAccount"):
        yield Target("Resume live serving", "octagon-pause", f"{view.url('account')}#switch")
    if not is_stopped and view.can("stopAccount"):
        yield Target("Stop all live serving", "octagon-pause", f"{view.url('account')}#switch")
    yield Target("Change password", "key", f"{view.url('profile')}#password")
    other = Environment.LIVE if view.links_to is Environment.TEST else Environment.TEST
    label = "Switch to live" if other is Environment.LIVE else "Switch to TEST"
    yield Target(label, "arrow-right", view.url("overview", environment=other))


def matching(targets: Iterator[Target], sought: str, translate: Translate) -> list[Target]:
    """Those whose label in the user's language has each word of *sought*; all where nothing is sought."""
    words = sought.casefold().split()
    return [
        one for one in targets if all(word in translate(one.label).casefold() for word in words)
    ]
