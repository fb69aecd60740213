"""The objects of the demo account."""

from collections.abc import Iterator

import pytest

from deploy.standalone import demo_ads

_NAMES = {**{name: name for name in demo_ads.SLOTS}, **demo_ads.MORE_CAMPAIGNS}
"""The slot of each campaign."""


def _names_of(campaign: str, slot: str) -> Iterator[str]:
    yield demo_ads.SLOT_NAMES[slot]
    yield str(demo_ads.campaign(campaign, "property")["name"])
    yield str(demo_ads.ad(campaign, "campaign", "slot", "https://control.example", {})["name"])


@pytest.mark.parametrize("campaign", _NAMES)
def test_a_campaign_its_ad_and_its_slot_have_names_of_their_own(campaign: str) -> None:
    """In the list of events, these names stand side by side."""
    names = list(_names_of(campaign, _NAMES[campaign]))

    assert len(set(names)) == len(names)
