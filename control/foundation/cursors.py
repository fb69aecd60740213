"""Opaque, signed cursors of lists: a client can neither forge one nor use it for another list."""

import base64
import binascii
import hmac
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, TypeVar

import orjson

from common.contract.models import Page
from common.service.secrets import KeyRing, Purpose
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message

_TAG_BYTES = 16
_MAX_CHARS = 2048
"""More than a cursor needs that holds a name of 200 characters of four bytes each."""

Row = TypeVar("Row")
Public = TypeVar("Public")


def encode_cursor(keys: KeyRing, kind: str, values: list[Any]) -> str:
    """
    Returns a cursor of *values*, signed with the active key.

    *kind* names the list and its filters (``campaigns:live:status=active``). It is signed, but not part of the cursor.
    *values* are JSON values: the position at which the next page starts.
    """
    content = orjson.dumps(values)
    return base64.urlsafe_b64encode(_tag(keys, keys.active, kind, content) + content).decode()


def parse_cursor(keys: KeyRing, kind: str, text: str) -> list[Any]:
    """Returns the values given to `encode_cursor` with the same *kind*. Raises `Refused` (``cursor_invalid``)."""
    if len(text) > _MAX_CHARS:
        raise _invalid()
    try:
        raw = base64.b64decode(text, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _invalid() from None
    tag, content = raw[:_TAG_BYTES], raw[_TAG_BYTES:]
    if base64.urlsafe_b64encode(raw).decode() != text:  # one text a cursor, also of padding bits
        raise _invalid()
    if not any(hmac.compare_digest(tag, _tag(keys, name, kind, content)) for name in keys.keys):
        raise _invalid()
    values: list[Any] = orjson.loads(content)
    return values


def page(
    rows: Sequence[Row],
    limit: int,
    to_public: Callable[[Row], Public],
    cursor_of: Callable[[Row], str],
) -> Page[Public]:
    """*rows*: at most ``limit + 1``; the extra row only shows that there is another page."""
    shown = rows[:limit]
    has_more = len(rows) > limit
    return Page(
        data=[to_public(row) for row in shown],
        has_more=has_more,
        next_cursor=cursor_of(shown[-1]) if has_more else None,
    )


def _tag(keys: KeyRing, key_id: str, kind: str, content: bytes) -> bytes:
    message = b"%d:%s%s" % (len(kind.encode()), kind.encode(), content)
    return hmac.digest(keys.derive(Purpose.CURSOR, key_id), message, sha256)[:_TAG_BYTES]


def _invalid() -> Refused:
    return Refused(
        ErrorCode.CURSOR_INVALID,
        Message(
            "The cursor is invalid, or belongs to other filters. Start again without a cursor."
        ),
        param="cursor",
    )
