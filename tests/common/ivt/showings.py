"""What the traffic filter receives of a person's showing of an ad."""

from dataclasses import replace
from ipaddress import ip_address
from typing import Any

from common.ivt.judge import IvtInput
from common.values.enums import Surface
from tests.support.builders import NOW_MS, a_property

CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/131.0.0.0 Safari/537.36"
)
PROPERTY = a_property(domain="shop.example", excluded_ip_ranges=("198.51.100.0/24",))


def a_showing(*, agent: str | None = CHROME, ip: str = "203.0.113.9", **changes: Any) -> IvtInput:
    """A person's browser on the property's own page."""
    default = IvtInput(
        address=ip_address(ip),
        user_agent=agent,
        origin="https://shop.example",
        prefetch=False,
        server_caller=False,
        is_test=False,
        consent_limited=False,
        surface=Surface.WEB,
        issued_ms=NOW_MS,
        at_ms=NOW_MS + 1_000,
    )
    return replace(default, **changes)
