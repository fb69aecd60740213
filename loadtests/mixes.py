"""Mixes of users, each as one kind of customer causes it; ``LOAD_MIX`` chooses one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


class NoUsers(SystemExit):  # so that locust prints the message alone
    """``LOAD_MIX`` or ``LOAD_ONLY`` has a name that does not exist, or nothing is left; the message lists the names."""


@dataclass(frozen=True, slots=True)
class Mix:
    """*weights*: shares of the users, by class; a class that is missing has none."""

    sentence: str
    weights: Mapping[str, int]


EVERYONE: Final = "everyone"
MIXES: Final[Mapping[str, Mix]] = {
    EVERYONE: Mix(
        "Every class of user, mostly readers of a site.",
        {
            "Reader": 9,
            "AppReader": 3,
            "CappedReader": 3,
            "MailServer": 1,
            "Listener": 1,
            "Integrator": 1,
            "Advertiser": 1,
            "Attacker": 1,
        },
    ),
    "publisher": Mix(
        "A news site: readers of pages, some with frequency caps, its own app, and attackers.",
        {"Reader": 14, "CappedReader": 3, "AppReader": 2, "Advertiser": 1, "Attacker": 1},
    ),
    "retailer": Mix(
        "A shop that sells its own placements: its servers change campaigns while shoppers with caps see ads.",
        {"Reader": 6, "CappedReader": 5, "Integrator": 3, "Advertiser": 2},
    ),
    "newsletter": Mix(
        "A newsletter: mail servers prepare mailings, and some readers visit the site.",
        {"MailServer": 8, "Reader": 2, "Advertiser": 1},
    ),
    "podcast": Mix(
        "A podcast: servers request ads for listening sessions, and the app shows banners.",
        {"Listener": 8, "AppReader": 2, "Integrator": 1},
    ),
    "app": Mix(
        "A mobile app: screens with three slots each, users with frequency caps, and attackers.",
        {"AppReader": 10, "CappedReader": 3, "Attacker": 1},
    ),
    "agency": Mix(
        "An agency: people in the dashboard and programs that create campaigns, and few readers.",
        {"Advertiser": 4, "Integrator": 4, "Reader": 2},
    ),
}


def choose_weights(mix: str, only: str) -> Mapping[str, int]:
    """
    Returns the weight of each class of *mix*, of those alone that *only* names, separated by commas; empty: of all.

    Raises `NoUsers`.
    """
    if mix not in MIXES:
        names = "\n".join(f"  {name}: {one.sentence}" for name, one in MIXES.items())
        raise NoUsers(f"LOAD_MIX={mix} is no mix. Choose one of these:\n{names}")
    chosen = set(only.split(",")) if only else set(MIXES[EVERYONE].weights)
    unknown = chosen - MIXES[EVERYONE].weights.keys()
    if unknown:
        classes = ", ".join(MIXES[EVERYONE].weights)
        raise NoUsers(f"LOAD_ONLY: no class {', '.join(sorted(unknown))}. Choose of {classes}.")
    weights = {name: weight for name, weight in MIXES[mix].weights.items() if name in chosen}
    if not weights:
        raise NoUsers(f"LOAD_ONLY={only}: the mix {mix} has no such users.")
    return weights
