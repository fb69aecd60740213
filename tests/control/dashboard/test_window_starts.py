"""Each component of an embedded window has a screen to start with."""

import pytest

from common.values.environment import Environment
from control.dashboard.embed.starts import FIRST, start_of
from control.dashboard.embed_sessions.components import ALLOWED, NEEDED, Component
from control.dashboard.page_registry import SCREENS

_BY_NAME = {screen.name: screen for screen in SCREENS}


@pytest.mark.parametrize("component", Component)
def test_a_window_may_show_its_first_page(component: Component) -> None:
    assert component in _BY_NAME[FIRST[component]].components
    assert NEEDED[component] in ALLOWED[component]


def test_the_context_is_in_the_url_of_the_first_screen() -> None:
    edited = start_of(_BY_NAME, Component.CAMPAIGN_EDIT, Environment.TEST, {"campaign_id": "an-id"})
    made = start_of(_BY_NAME, Component.CAMPAIGN_CREATE, Environment.LIVE, {"external_ref": "a b"})

    assert edited == "/embed/s/test/campaigns/an-id/edit"
    assert made == "/embed/s/live/campaigns/new?external_ref=a+b"
