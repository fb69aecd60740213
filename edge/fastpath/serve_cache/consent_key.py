"""
The consent signals of a query apart from the rest of it. A reader's consent string is like no other's, but what it
comes to is one of few; so the page is remembered with that, and the string with nothing but what it came to.
"""

from typing import Final

from edge.serving.consent import NAMES

_SIGNS: Final = (b"gdpr_consent=", b"gpp=")
"""Of queries that are worth it: the other signals are alike for many."""
_NAMES: Final = frozenset([name.encode("ascii") for name in NAMES])

ConsentKey = tuple[bytes, bytes]
"""What consent says, and the rest."""


def split_consent(text: bytes) -> ConsentKey | None:
    """
    *text*: a query, as it came. None where it holds no string of one reader, or writes a name so that it must be
    decoded: it may then be a signal's.
    """
    if _SIGNS[0] not in text and _SIGNS[1] not in text:
        return None
    said: list[bytes] = []
    rest: list[bytes] = []
    for part in text.split(b"&"):
        name = part.partition(b"=")[0]
        if b"%" in name or b"+" in name:
            return None
        if name in _NAMES:
            said.append(part)
        else:
            rest.append(part)
    return b"&".join(said), b"&".join(rest)
