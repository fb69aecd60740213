"""Names of users and accounts, chosen by users. Mails repeat them to strangers, so links are not allowed."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LINK = re.compile(r"://|\bwww\.|\bmailto:|[a-z0-9]\.[a-z]{2,}[/?#:]", re.IGNORECASE)
"""A scheme, or a host with something after it. A bare host (`Booking.com`) is the name of many companies."""
_MAX_QUOTED_CHARS = 60
_ONE_DOT_LEADER = "\u2024"
_DOT_IN_WORD = re.compile(r"\.(?=\w)")


def _check_name(given: str) -> str:
    if not given.strip() or _UNPRINTABLE.search(given):
        raise PydanticCustomError(
            "format", "Must be a name on one line, with something to read in it."
        )
    if _LINK.search(given):
        raise PydanticCustomError("link", "Must be a name without a link. Take the address out.")
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
