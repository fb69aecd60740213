"""Stores addresses and keys, once the service accepted them."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from placard.command_line.profiles import Profile, ProfileError
from placard.errors import NotFoundError
from placard.synchronous.edge import EdgeClient
from placard.synchronous.management import ManagementClient

Ask = Callable[[str], str]


def complete(
    profile: Profile, given: Mapping[str, str | None], *, ask: Ask, ask_secret: Ask
) -> Profile:
    """*profile* with what was *given*, and what a person answers for the rest."""
    found = replace(profile, **{name: value for name, value in given.items() if value})
    if not found.base_url:
        found = replace(found, base_url=ask("Address of the management API: "))
    if not found.management_key:
        found = replace(
            found, management_key=ask_secret("Integration key (ak_…), empty for none: ")
        )
    if not found.edge_url:
        found = replace(found, edge_url=ask("Address of the edge: "))
    if not found.edge_key:
        found = replace(found, edge_key=ask_secret("Secret or publishable key, empty for none: "))
    return found


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
