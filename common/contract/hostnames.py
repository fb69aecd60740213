"""Host names sent by clients: normalized (lower case, punycode) and restricted to publicly reachable names."""

import re
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

import idna

from common.contract.field_errors import field_error
from common.values.messages import Message

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_MAX_CHARS = 253
_MAX_AUTHORITY_CHARS = 512
"""Of a URL, where it is not ASCII: a host, a port, and what some URLs have before the host."""
_AUTHORITY_END = re.compile(r"[/?#]")
_DROPPED = dict.fromkeys(map(ord, "\t\r\n"))
"""Characters that `urlsplit` removes."""
_PRIVATE = ("localhost", "local", "internal", "intranet", "lan", "home.arpa", "onion")


def parse_public_host(text: str) -> str:
    """
    Returns the host in lower case and punycode.

    Raises PydanticCustomError for addresses, single labels and private names.
    Browsers read a name whose last label is a number as an address (``2130706433``, ``127.1``).
    """
    host = ascii_host(text.lower().removesuffix("."))
    labels = host.split(".")
    if len(host) > _MAX_CHARS or not all(_LABEL.fullmatch(label) for label in labels):
        raise field_error(
            "host_invalid", Message("This is not a host name. Use one like www.example.com.")
        )
    if _NUMBER.fullmatch(labels[-1]):
        raise field_error("host_is_address", Message("Use a domain name instead of an IP address."))
    if len(labels) == 1 or any(host == name or host.endswith(f".{name}") for name in _PRIVATE):
        raise field_error(
            "host_private", Message("Use a host that is reachable from the public internet.")
        )
    return host


def parse_named_host(text: str) -> str:
    """
    As `parse_public_host`, but also accepts a URL, or a host with a port or a path: ``https://Example.com/x``. Spaces
    around it are removed.
    """
    return parse_public_host(named_host(text.strip()))


def split_url(text: str) -> SplitResult:
    """
    `urlsplit` of a URL from a client. Raises ValueError, also for an authority that is longer than any host name:
    `urlsplit` normalizes one that is not ASCII, in time quadratic in its combining marks.
    """
    if not text.isascii():
        authority = _AUTHORITY_END.split(text.translate(_DROPPED).partition("//")[2], maxsplit=1)[0]
        if len(authority) > _MAX_AUTHORITY_CHARS:
            raise ValueError("an authority that is longer than any host name")
    return urlsplit(text)


def named_host(text: str) -> str:
    """Returns the host of a URL, or of a host with a port or a path, in lower case; other text unchanged."""
    try:
        host = split_url(text if "//" in text else f"//{text}").hostname
    except ValueError:
        host = None
    return host or text


def ascii_host(host: str) -> str:
    """
    Returns *host*, given in lower case, in punycode. Raises PydanticCustomError.

    It uses IDNA 2008 with the mapping of UTS 46, as browsers do (``straße.de`` is not ``strasse.de``). The mapping
    takes time quadratic in combining marks, so a name that is too long even without punycode is refused before.
    """
    if host.isascii() and "xn--" not in host:
        return host
    if len(host) <= _MAX_CHARS:
        with suppress(idna.IDNAError, UnicodeError):
            return idna.encode(host, uts46=True).decode()
    raise field_error(
        "host_invalid", Message("This host name is not valid in IDNA. Check its characters.")
    )
