"""Stores addresses and keys, once the service accepted them."""

from collections.abc import Callable
from contextlib import suppress

from placard.command_line.profiles import Profile, ProfileError
from placard.errors import NotFoundError
from placard.synchronous.edge import EdgeClient
from placard.synchronous.management import ManagementClient

Ask = Callable[[str], str]


_ADDRESSES = {"base_url": "Address of the management API", "edge_url": "Address of the edge"}
_KEYS = {
    "management_key": "Integration key (ak_…)",
    "edge_key": "Secret or publishable key",
}
_ORDER = ("base_url", "management_key", "edge_url", "edge_key")
_SHOWN_START, _SHOWN_END = len("ak_test_"), 4


def complete(stored: Profile, given: Profile, *, ask: Ask, ask_secret: Ask) -> Profile:
    """
    What flags and variables gave (*given*), else what is *stored*, else what a person answers.

    If nothing was given, a person is asked for every field, and an empty answer keeps what is stored.
    """
    is_bare = given == Profile()
    found = dict[str, str]()
    for name in _ORDER:
        old = str(getattr(stored, name))
        known = "" if is_bare else str(getattr(given, name)) or old
        found[name] = known or (ask_secret if name in _KEYS else ask)(_question(name, old)) or old
    return Profile(**found)


def _question(name: str, stored: str) -> str:
    if name in _ADDRESSES:
        return f"{_ADDRESSES[name]}{stored and f' [{stored}]'}: "
    if not stored:
        return f"{_KEYS[name]}, empty for none: "
    return f"{_KEYS[name]} [{stored[:_SHOWN_START]}…{stored[-_SHOWN_END:]}]: "


def check(profile: Profile) -> dict[str, object]:
    """What the service says of the keys. Raises `PlacardError` if it refuses one."""
    if not profile.management_key and not profile.edge_key:
        raise ProfileError(
            "There is no key to store. Give an integration key, a key of the edge, or both."
        )
    found: dict[str, object] = {}
    if profile.management_key:
        with ManagementClient(profile.management_key, base_url=profile.base_url) as placard:
            caller = placard.caller.get()
        found["management_key"] = caller["credential"]
    if profile.edge_key:
        # A live property has no such slot: 404 comes after the key was accepted.
        with (
            EdgeClient(profile.edge_key, edge_url=profile.edge_url) as edge,
            suppress(NotFoundError),
        ):
            edge.serve("demo-never-fill")
        found["edge_key"] = "accepted"
    return found
