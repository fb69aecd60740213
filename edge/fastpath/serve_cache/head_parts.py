"""
Splits a head of ``GET /v1/serve?`` into its repeating parts and its per-request parts, without parsing them.

The repeating parts (page, consent and client) are cache keys: one that was parsed once is not parsed again.
"""

from typing import Final

from common.decision.rules.kinds import PARAMETERS
from common.http.fast_head import PER_REQUEST_HEADERS
from edge.request.query import KEY_VALUE, OF_THE_READER, READ
from edge.serving.consent import NAMES

HeadParts = tuple[bytes, bytes, bytes, bytes, bytes | None]
"""
The query parameters that the edge reads, as they came, without those of consent; the query parameters of consent, as
they came; the header lines that are not `PER_REQUEST_HEADERS`; ``X-Forwarded-For``, empty where there is none;
``X-Request-Id``.
"""

START: Final = b"GET /v1/serve?"
_END: Final = b" HTTP/1.1"
_PREFIX: Final = KEY_VALUE.encode()
ASIDE: Final = frozenset(
    name.encode()
    for name in (OF_THE_READER - {one.name for one in PARAMETERS if not one.believed_only})
    | {"debug", "preview_ad", "key", "test_scenario", "test_now"}
)
"""Requests with one of these parameters always take the slow path."""
_READ: Final = frozenset(name.encode() for name in READ)
_CONSENT: Final = frozenset(name.encode() for name in NAMES)
"""They are a part of their own: consent strings are nearly unique, but their effects are few."""
_OFTEN_NEW: Final = frozenset(name.encode() for name in PER_REQUEST_HEADERS)


def split_head(data: bytes, start: int, end: int) -> HeadParts | None:
    """
    *start*: where `START` begins. *end*: the end of the head, without its empty line. Returns None where the request
    must be parsed in full.

    The rest of the head, which is in none of the parts, is plain text, and none of its header names occurs twice.
    """
    lines = data[start:end].split(b"\r\n")
    query = _split_query(lines[0])
    if query is None:
        return None
    new: dict[bytes, bytes] = {}
    stable: list[bytes] = []
    for line in lines[1:]:
        at = line.find(b":")
        name = line[:at].lower() if at > 0 else b""
        if name not in _OFTEN_NEW:
            stable.append(line)
            continue
        value = line[at + 1 :]
        if name in new or not (value.isascii() and value.decode("ascii").isprintable()):
            return None
        new[name] = value.lstrip(b" ")
    return (
        *query,
        b"\r\n".join(stable),
        new.get(b"x-forwarded-for", b""),
        new.get(b"x-request-id"),
    )


def _split_query(line: bytes) -> tuple[bytes, bytes] | None:
    """Returns the parameters of the page and those of consent."""
    if not line.endswith(_END):
        return None
    query = line[len(START) : -len(_END)]
    if b"#" in query or b" " in query:
        return None
    if not (query.isascii() and query.decode("ascii").isprintable()):
        return None
    page: list[bytes] = []
    consent: list[bytes] = []
    for part in query.split(b"&"):
        name, _, value = part.partition(b"=")
        if not value:
            continue
        if name in ASIDE or b"%" in name or b"+" in name:
            return None
        if name in _CONSENT:
            consent.append(part)
        elif name in _READ or name.startswith(_PREFIX):
            page.append(part)
    return b"&".join(page), b"&".join(consent)
