"""Normalises e-mail addresses, so that a user is found however they type their address."""

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from common.contract.field_errors import field_error
from common.contract.hostnames import ascii_host
from common.values.messages import Message

_MAX_CHARS = 254
_LOCAL = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"(?:{_LABEL}\.)+{_LABEL}")


def parse_email(given: str) -> str:
    """
    The address as it is stored and compared: trimmed, lower case, the domain in its ``xn--`` form.

    Raises PydanticCustomError. Mailbox names with non-ASCII letters (RFC 6531) are refused, because too many mail
    servers would refuse the mail.
    """
    local, at, domain = given.strip().lower().rpartition("@")
    if at and not local.isascii():
        raise field_error(
            "format",
            Message(
                "The part before the @ may contain only ASCII letters, digits and signs. Use another "
                "address."
            ),
        )
    address = f"{local}@{_domain(domain)}"
    if len(address) > _MAX_CHARS or not _LOCAL.fullmatch(local):
        raise _no_address()
    return address


def find_email(given: str) -> str | None:
    """Like `parse_email`; None if *given* is no valid address."""
    try:
        return parse_email(given)
    except PydanticCustomError:
        return None


Email = Annotated[str, AfterValidator(parse_email)]


def _domain(given: str) -> str:
    try:
        domain = ascii_host(given)
    except PydanticCustomError:
        raise _no_address() from None
    if not _DOMAIN.fullmatch(domain):
        raise _no_address()
    return domain


def _no_address() -> PydanticCustomError:
    return field_error("format", Message("Must be an email address like name@example.com."))
