"""
Separates the consent signals of a query from the rest.

Consent strings are nearly unique, but their effects are few. So the cache maps each string to its effect, and the key
of a page contains the effect instead of the string.
"""

from typing import Final

from edge.serving.consent import NAMES

_SIGNS: Final = (b"gdpr_consent=", b"gpp=")
"""A query is split only if it contains one of these: the other signals have few different values."""
_NAMES: Final = frozenset([name.encode("ascii") for name in NAMES])

ConsentKey = tuple[bytes, bytes]
"""The consent parameters, and the rest of the query."""


def split_consent(text: bytes) -> ConsentKey | None:
    """
    *text*: a query as it came.

    Returns None where it has no consent string, or an encoded parameter name, which could be that of a signal.
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
