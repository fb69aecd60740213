"""
A head of ``GET /v1/serve?`` cut into what comes again and again and what is new with every call, without reading it.

Whoever met the same page and the same reader before knows what they say; where it was read once, it need not be again.
"""

from typing import Final

from common.http.fast_head import PER_REQUEST_HEADERS
from edge.request.query import KEY_VALUE, OF_THE_READER, READ

HeadParts = tuple[bytes, bytes, bytes, bytes | None]
"""
What the query says that is read, part by part as it came; the header lines that are not `PER_REQUEST_HEADERS`;
``X-Forwarded-For``, empty where there is none; ``X-Request-Id``.
"""

START: Final = b"GET /v1/serve?"
_END: Final = b" HTTP/1.1"
_PREFIX: Final = KEY_VALUE.encode()
_ASIDE: Final = frozenset(
    name.encode()
    for name in (OF_THE_READER - {"keywords"})
    | {"debug", "preview_ad", "key", "test_scenario", "test_now"}
)
"""Calls that say these are read whole, every time."""
_READ: Final = frozenset(name.encode() for name in READ)
_OFTEN_NEW: Final = frozenset(name.encode() for name in PER_REQUEST_HEADERS)


def split_head(data: bytes, start: int, end: int) -> HeadParts | None:
    """
    *start*: where `START` is. *end*: of the head, without its empty line. None where a call is to be read whole.

    Of what is not in the parts given it is certain that it is plain, and no header name among it comes twice.
    """
    lines = data[start:end].split(b"\r\n")
    page = _find_page(lines[0])
    if page is None:
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
        page,
        b"\r\n".join(stable),
        new.get(b"x-forwarded-for", b""),
        new.get(b"x-request-id"),
    )


def _find_page(line: bytes) -> bytes | None:
    if not line.endswith(_END):
        return None
    query = line[len(START) : -len(_END)]
    if b"#" in query or b" " in query:
        return None
    if not (query.isascii() and query.decode("ascii").isprintable()):
        return None
    kept: list[bytes] = []
    for part in query.split(b"&"):
        name, _, value = part.partition(b"=")
        if not value:
            continue
        if name in _ASIDE or b"%" in name or b"+" in name:
            return None
        if name in _READ or name.startswith(_PREFIX):
            kept.append(part)
    return b"&".join(kept)
