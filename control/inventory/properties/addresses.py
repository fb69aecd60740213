"""Normalises the origins and address ranges of a property."""

import ipaddress
from urllib.parse import urlsplit

from pydantic_core import PydanticCustomError

from common.contract.field_errors import field_error
from common.contract.hostnames import parse_public_host
from common.values.messages import Message

_LOOPBACK = ("localhost", "127.0.0.1")
_DEFAULT_PORT = {"https": 443, "http": 80}


def parse_origin(text: str) -> str:
    """``https://host[:port]`` as a browser sends it; ``http`` for localhost. Raises PydanticCustomError."""
    try:
        parts = urlsplit(text.lower())
        port = parts.port
    except ValueError:
        raise _origin_invalid() from None
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc or not parts.hostname:
        raise _origin_invalid()
    if parts.hostname in _LOOPBACK and parts.scheme in _DEFAULT_PORT:
        host = parts.hostname
    elif parts.scheme == "https":
        host = parse_public_host(parts.hostname)
    else:
        raise _origin_invalid()
    shown = "" if port is None or port == _DEFAULT_PORT[parts.scheme] else f":{port}"
    return f"{parts.scheme}://{host}{shown}"


def parse_ip_range(text: str) -> str:
    """A CIDR range, or one address. Raises PydanticCustomError, which names the range if host bits were set."""
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        raise _range_invalid(text) from None


def _origin_invalid() -> PydanticCustomError:
    return field_error(
        "origin_invalid",
        Message("Must be an origin like https://host or https://host:port, without a path."),
    )


def _range_invalid(text: str) -> PydanticCustomError:
    try:
        meant = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return field_error(
            "ip_range_invalid", Message("Must be a range like 192.0.2.0/24 or 2001:db8::/32.")
        )
    return field_error(
        "ip_range_host_bits",
        Message("The range has host bits set. Use {range}.", range=str(meant)),
    )
