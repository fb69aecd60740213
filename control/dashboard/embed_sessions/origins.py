"""The one origin that may frame a window, exactly as browsers write it: it is compared byte for byte."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints

from common.contract.field_errors import field_error
from common.contract.hostnames import ascii_host
from common.values.messages import Message

LOCAL = "http://localhost"
_MAX_CHARS = 261
_SHAPE = re.compile(r"(https?)://([^\s/?#@:\\\[\]]+)(?::([0-9]{1,5}))?", re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_BYTE = r"(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_ADDRESS = re.compile(rf"{_BYTE}(\.{_BYTE}){{3}}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_MAX_HOST_CHARS = 253
_PORTS = range(1, 65_536)
_USUAL = {"https": 443, "http": 80}


def parse_origin(text: str) -> str:
    """Raises PydanticCustomError for anything that is not exactly an origin; the message states how to correct it."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise field_error(
            "origin_invalid",
            Message(
                "Must be an origin like https://host or https://host:port, without a path, a slash "
                "at the end, a user or a wildcard."
            ),
        )
    scheme, host, port = found[1].lower(), _parse_host(found[2].lower()), found[3]
    if scheme != "https" and host != "localhost":
        raise field_error(
            "origin_not_https",
            Message("Must be an https origin. Only http://localhost may use http."),
        )
    canonical = f"{scheme}://{host}{_port(scheme, port)}"
    if canonical != text:
        raise field_error(
            "origin_not_canonical",
            Message(
                "Browsers write this origin as {canonical}. Send exactly that.", canonical=canonical
            ),
        )
    return canonical


def is_local(origin: str) -> bool:
    """An origin of a developer's own machine, without https."""
    return origin == LOCAL or origin.startswith(f"{LOCAL}:")


def _parse_host(lower: str) -> str:
    host = ascii_host(lower)
    labels = host.split(".")
    is_name = len(host) <= _MAX_HOST_CHARS and all(_LABEL.fullmatch(label) for label in labels)
    is_number = _NUMBER.fullmatch(labels[-1]) is not None
    if not is_name or (is_number and not _ADDRESS.fullmatch(host)):
        raise field_error(
            "host_invalid", Message("This is not a host name. Use one like app.example.com.")
        )
    return host


def _port(scheme: str, port: str | None) -> str:
    if port is None:
        return ""
    if int(port) not in _PORTS:
        raise field_error("port_invalid", Message("The port must be a number from 1 to 65535."))
    return "" if int(port) == _USUAL[scheme] else f":{int(port)}"


Origin = Annotated[
    str,
    StringConstraints(min_length=1, max_length=_MAX_CHARS),
    AfterValidator(parse_origin),
    Field(
        description=(
            "The only origin that may frame the window: `https://host` or `https://host:port`, in lower case and "
            "punycode, without the default port. Test keys may also use `http://localhost` and "
            "`http://localhost:port`."
        )
    ),
]
