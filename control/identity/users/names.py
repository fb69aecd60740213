"""Names of users and accounts, chosen by users. Mails repeat them to anybody, so links are not allowed."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from common.contract.field_errors import field_error
from common.values.messages import Message

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LINK = re.compile(r"://|\bwww\.|\bmailto:|[a-z0-9]\.[a-z]{2,}[/?#:]", re.IGNORECASE)
"""A scheme, or a host with something after it. A bare host (`Booking.com`) is the name of many companies."""
_MAX_QUOTED_CHARS = 60
_ONE_DOT_LEADER = "\u2024"
_DOT_IN_WORD = re.compile(r"\.(?=\w)")


def _check_name(given: str) -> str:
    if not given.strip() or _UNPRINTABLE.search(given):
        raise field_error(
            "format", Message("Must be a name on one line, with at least one visible character.")
        )
    if _LINK.search(given):
        raise field_error("link", Message("A name must not contain a link. Remove the address."))
    return given.strip()


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_name)]


def quoted(name: str) -> str:
    """
    *name* for a mail: quoted, at most 60 characters,
    with dots replaced so that no mail program turns it into a link.
    """
    line = " ".join(name.replace('"', "'").split())
    if len(line) > _MAX_QUOTED_CHARS:
        line = f"{line[: _MAX_QUOTED_CHARS - 1].rstrip()}…"
    inert = _DOT_IN_WORD.sub(_ONE_DOT_LEADER, line).replace("://", " ")
    return f'"{inert}"'
