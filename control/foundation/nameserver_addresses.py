"""Name server addresses in settings: ``1.1.1.1``, ``127.0.0.1:5353``, ``[2620:fe::fe]:53``."""

import ipaddress
from dataclasses import dataclass

_DNS_PORT = 53
_LAST_PORT = 65_535
_MIN_SERVERS = 2


@dataclass(frozen=True, slots=True)
class Nameserver:
    address: str
    port: int = _DNS_PORT

    def __str__(self) -> str:
        if self.port == _DNS_PORT:
            return self.address
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{host}:{self.port}"


def parse_nameservers(text: str) -> tuple[Nameserver, ...]:
    """Parses a comma-separated list of at least two different servers. Raises ValueError with the reason."""
    servers = tuple(_parse(part.strip()) for part in text.split(","))
    if len(set(servers)) < max(_MIN_SERVERS, len(servers)):
        raise ValueError("name at least two different servers, each once: they must agree")
    return servers


def _parse(text: str) -> Nameserver:
    host, port = text, ""
    if text.startswith("["):
        host, _, port = text[1:].partition("]")
        port = port.removeprefix(":")
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    if port and not (port.isdecimal() and 0 < int(port) <= _LAST_PORT):
        raise ValueError(f"{text!r} has no port between 1 and {_LAST_PORT}")
    return Nameserver(str(ipaddress.ip_address(host)), int(port) if port else _DNS_PORT)
