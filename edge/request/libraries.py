"""The client libraries and the surface that each of them shows ads on."""

from typing import Final

from common.values.enums import Surface

LIBRARIES: Final = {
    "web": Surface.WEB,
    "android": Surface.ANDROID,
    "ios": Surface.IOS,
    "flutter": Surface.FLUTTER,
}
"""Client libraries, by the NAME of their ``NAME/VERSION``."""

_SURFACES: Final = {**LIBRARIES, "amp": Surface.AMP}
"""``amp``: templates of AMP pages, which have no library."""


def library_surface(text: str | None) -> Surface | None:
    """The surface of a client library's ``NAME/VERSION``; None for unknown names."""
    return None if text is None else _SURFACES.get(text.partition("/")[0].strip().lower())
