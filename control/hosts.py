"""Host names from callers: one spelling (lower case, punycode), and only those that a stranger can reach."""

import re

import idna
from pydantic_core import PydanticCustomError

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_MOST_CHARS = 253
_PRIVATE = ("localhost", "local", "internal", "intranet", "lan", "home.arpa", "onion")

_SECOND_LEVEL = frozenset(
    {"ac", "co", "com", "edu", "gob", "gov", "ltd", "mil", "ne", "net", "or", "org"}
)
_COUNTRY_CHARS = 2


def parse_public_host(text: str) -> str:
    """
    The host in lower case and punycode. Raises PydanticCustomError for addresses, single labels and private names.

    A name whose last label is a number is an address to every browser (``2130706433``, ``127.1``).
    """
    host = ascii_host(text.lower().removesuffix("."))
    labels = host.split(".")
    if len(host) > _MOST_CHARS or not all(_LABEL.fullmatch(label) for label in labels):
        raise PydanticCustomError(
            "host_invalid", "This is no host name. Write one like www.example.com."
        )
    if _NUMBER.fullmatch(labels[-1]):
        raise PydanticCustomError(
            "host_is_address", "Name a host by its domain, not by an address."
        )
    if len(labels) == 1 or any(host == name or host.endswith(f".{name}") for name in _PRIVATE):
        raise PydanticCustomError(
            "host_private", "Name a host that is reachable from the public internet."
        )
    return host


def ascii_host(host: str) -> str:
    """
    *host*, in lower case, in punycode: IDNA 2008 with the mapping of UTS 46, as browsers do it (``straße.de`` is not
    ``strasse.de``). Raises PydanticCustomError.
    """
    if host.isascii() and "xn--" not in host:
        return host
    try:
        return idna.encode(host, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise PydanticCustomError(
            "host_invalid", "This host name cannot be written in IDNA."
        ) from None


def registrable_domain(host: str) -> str:
    """
    The domain somebody registered: the last two labels, or three where the last two are a country's second level
    (``co.uk``, ``com.br``).

    An approximation of the Public Suffix List, which changes weekly and would have to be shipped and kept fresh; it
    errs towards joining neighbours of rare suffixes into one advertiser, never towards splitting one in two.
    """
    labels = host.split(".")
    country = len(labels[-1]) == _COUNTRY_CHARS
    wide = country and len(labels) > _COUNTRY_CHARS and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3:] if wide else labels[-2:])
