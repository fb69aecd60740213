"""The surface of a request that names none."""

import pytest

from common.values.enums import Surface
from common.values.keys import KeyKind
from edge.serving.opportunity import surface_of


@pytest.mark.parametrize(
    ("kind", "property_kind", "agent", "surface"),
    [
        (KeyKind.SECRET, "web", None, Surface.SERVER),
        (KeyKind.PUBLISHABLE, "web", None, Surface.WEB),
        (KeyKind.PUBLISHABLE, "email", None, Surface.EMAIL),
        (KeyKind.PUBLISHABLE, "ctv", "Android", Surface.CTV),
        (KeyKind.PUBLISHABLE, "app", "Dart/3.5 (dart:io)", Surface.FLUTTER),
        (KeyKind.PUBLISHABLE, "app", "okhttp/4.12.0", Surface.ANDROID),
        (KeyKind.PUBLISHABLE, "app", "Shop/1 CFNetwork/1490 Darwin/23", Surface.IOS),
        (KeyKind.PUBLISHABLE, "app", None, Surface.WEB),
    ],
)
def test_the_surface_follows_from_key_property_and_agent(
    kind: KeyKind, property_kind: str, agent: str | None, surface: Surface
) -> None:
    assert surface_of(kind, property_kind, agent) is surface
