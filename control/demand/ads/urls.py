"""The URLs of an ad: https, a public host, no credentials, and only macros that the redirect supports."""

import re
from typing import Annotated
from urllib.parse import SplitResult, quote, urlsplit

from pydantic import AfterValidator, Field, StringConstraints

from common.contract.field_errors import field_error
from common.contract.hostnames import parse_public_host, split_url
from common.values.messages import Message
from control.foundation.public_suffixes import registrable_domain

MACROS = ("click_id", "campaign_id", "ad_id", "slot_id", "property_id", "timestamp")
_MACRO = re.compile(r"\{(" + "|".join(MACROS) + r")\}")
_BRACED = re.compile(r"\{[^{}]{0,64}\}")
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\\"<>^`|]")
_LOOPBACK = re.compile(r"(https?://localhost|http://127\.0\.0\.1|http://\[::1\])(:[0-9]{1,5})?/")
_MAX_CHARS = 2048
_ASCII = "".join(map(chr, range(0x21, 0x7F)))


def parse_url(text: str) -> str:
    """Host in lower case and punycode, other non-ASCII characters percent-encoded. No macros."""
    if "{" in text or "}" in text:
        raise field_error(
            "macro_not_allowed", Message("Macros are allowed in `click_url` only. Remove them.")
        )
    return _parse(text)


def parse_image_url(text: str) -> str:
    """Like `parse_url`; for trying out an ad, a file may also be on the local machine."""
    return _local_url(text) or parse_url(text)


def parse_click_url(text: str) -> str:
    """Like `parse_url`; it may contain `MACROS` after the host, and lead to the local machine as `parse_image_url`."""
    rest = _MACRO.sub("", text)
    known = ", ".join("{" + name + "}" for name in MACROS)
    unknown = _BRACED.search(rest)
    if unknown is not None:
        raise field_error(
            "macro_unknown",
            Message(
                "The macro {macro} does not exist. Use only {known}.", macro=unknown[0], known=known
            ),
        )
    if "{" in rest or "}" in rest:
        raise field_error(
            "macro_unbalanced",
            Message(
                "A brace is not closed or not opened. Braces are for the macros {known}; "
                "percent-encode all others.",
                known=known,
            ),
        )
    return _local_url(text) or _parse(text)


def _local_url(text: str) -> str | None:
    return _within_length(text) if _LOOPBACK.match(text) and not _UNSAFE.search(text) else None


def advertiser_domain_of(click_url: str | None) -> str | None:
    """The advertiser's domain: the registrable domain of a parsed click URL, or the local host."""
    if click_url is None:
        return None
    parts = urlsplit(click_url)
    host = parts.hostname or ""
    return host if _LOOPBACK.match(click_url) else registrable_domain(host)


def _parse(text: str) -> str:
    if _UNSAFE.search(text):
        raise field_error(
            "url_invalid", Message("Percent-encode spaces, quotes, brackets and backslashes.")
        )
    try:
        parts = split_url(text)
        port = parts.port
    except ValueError:
        raise field_error(
            "url_invalid", Message("This is not a URL. Use one like https://www.example.com/.")
        ) from None
    if parts.scheme != "https":
        raise field_error("url_not_https", Message("Use an https URL."))
    if "@" in parts.netloc:
        raise field_error(
            "url_credentials",
            Message("A URL must not contain a user name or password. Remove them."),
        )
    host = parse_public_host(parts.hostname or "")
    address = host if port is None else f"{host}:{port}"
    return _within_length(_rebuilt(parts, address))


def _rebuilt(parts: SplitResult, address: str) -> str:
    path = quote(parts.path or "/", safe=_ASCII)
    query = f"?{quote(parts.query, safe=_ASCII)}" if parts.query else ""
    fragment = f"#{quote(parts.fragment, safe=_ASCII)}" if parts.fragment else ""
    return f"https://{address}{path}{query}{fragment}"


def _within_length(url: str) -> str:
    if len(url) > _MAX_CHARS:
        raise field_error(
            "url_too_long",
            Message("The URL has more than 2048 characters once encoded. Use a shorter one."),
        )
    return url


_LENGTH = StringConstraints(min_length=1, max_length=_MAX_CHARS)
_URI = Field(json_schema_extra={"format": "uri"})

HttpsUrl = Annotated[str, _LENGTH, AfterValidator(parse_url), _URI]
ImageUrl = Annotated[str, _LENGTH, AfterValidator(parse_image_url), _URI]
MediaUrl = ImageUrl
ClickUrl = Annotated[str, _LENGTH, AfterValidator(parse_click_url)]
