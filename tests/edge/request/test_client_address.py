"""The client's address is the peer's, unless proxies are trusted; what an untrusted client writes is ignored."""

import pytest

from common.http.client_address import network_of
from common.snapshot.model import RateLimits
from tests.support.builders import a_key, a_property, a_slot, a_snapshot
from tests.support.edge import running_edge


@pytest.mark.parametrize(
    ("ip", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unix", "unix"),
    ],
)
def test_rates_are_counted_by_network(ip: str, network: str) -> None:
    assert network_of(ip) == network


@pytest.mark.parametrize(
    ("proxies", "written", "limited"),
    [
        (0, "X-Forwarded-For: 9.9.9.{n}", True),
        (1, "X-Forwarded-For: 9.9.9.{n}", False),
        (1, "X-Forwarded-For: 9.9.9.{n}, 8.8.8.8", True),
        (2, "X-Forwarded-For: 9.9.9.{n}, 8.8.8.8", False),
        (1, "X-Forwarded-For: [2001:db8:{n}::1]:443", False),
        (1, "X-Forwarded-For: [2001:db8::{n}]:443", True),
        (1, "X-Forwarded-For: nonsense{n}", True),
        (2, "X-Forwarded-For: 9.9.9.{n}", True),
    ],
)
async def test_only_trusted_proxies_may_name_the_client_address(
    proxies: int, written: str, *, limited: bool
) -> None:
    """Told by the limit per address: who can write an address anew each time escapes it."""
    text, row = a_key()
    prop = a_property(rate_limits=RateLimits(1000, 1, 1000, 1))
    async with running_edge(a_snapshot(a_slot(), row, prop), proxies_count=proxies) as edge:
        statuses = [
            (await edge.serve("slot=top", text.text, written.format(n=n))).status
            for n in range(1, 6)
        ]
    assert (429 in statuses) is limited
