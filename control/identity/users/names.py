"""Names of users and accounts, chosen by users. Mails repeat them to anybody, so links are not allowed."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, Field

from common.contract.field_errors import field_error
from common.values.messages import Message

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LINK = re.compile(
    r"://|\bwww\.|\bmailto:"
    r"|[^\s.]\.[^\W\d_][^\s./?#:'’\"&,()]+\.?[/?#:]"
    r"|\d\.\d{1,3}\.\d{1,3}\.\d{1,3}[/?#:]",
    re.IGNORECASE,
)
"""
In a normal form: a scheme, or a host of any script or IPv4 address with something after it. A bare host (`Booking.com`)
is the name of many companies.
"""
_LIKE_DOTS_AND_SLASHES = str.maketrans({"\u3002": ".", "\u2044": "/", "\u2215": "/", "\u29f8": "/"})
"""Characters that browsers take, or people read, as a dot or slash and that NFKC keeps."""
_MAX_QUOTED_CHARS = 60
_ONE_DOT_LEADER = "\u2024"
_DOT_IN_WORD = re.compile(r"\.(?=\w)")


def _check_name(given: str) -> str:
    normal = _normal(given)
    if not normal.strip() or _UNPRINTABLE.search(given):
        raise field_error(
            "format", Message("Must be a name on one line, with at least one visible character.")
        )
    if _LINK.search(normal):
        raise field_error("link", Message("A name must not contain a link. Remove the address."))
    return given.strip()


def _normal(name: str) -> str:
    """*name*, of bounded length, in NFKC without format characters, with one kind of dot and slash."""
    composed = unicodedata.normalize("NFKC", name).translate(_LIKE_DOTS_AND_SLASHES)
    return "".join(one for one in composed if unicodedata.category(one) != "Cf")


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_check_name)]


def quoted(name: str) -> str:
    """
    *name* for a mail: quoted, at most 60 characters, in its normal form,
    with dots replaced so that no mail program turns it into a link.
    """
    line = " ".join(_normal(name).replace('"', "'").split())
    if len(line) > _MAX_QUOTED_CHARS:
        line = f"{line[: _MAX_QUOTED_CHARS - 1].rstrip()}…"
    inert = _DOT_IN_WORD.sub(_ONE_DOT_LEADER, line).replace("://", " ")
    return f'"{inert}"'
