"""URLs of private networks that an operator has allowed."""

from ipaddress import ip_network

import pytest

from common.fetching.parsed_url import ParsedUrl, parse_url
from common.fetching.public_addresses import listed_addresses
from common.fetching.web import FetchRefusal

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
OTHER = (ip_network("10.0.0.0/8"),)


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("http://localhost:81", "http://localhost:81/"),
        ("http://LOCALHOST/a", "http://localhost/a"),
        ("http://127.0.0.1:81/a", "http://127.0.0.1:81/a"),
        ("http://[::1]:81/a", "http://[::1]:81/a"),
        ("https://[::1]/a", "https://[::1]/a"),
    ],
)
def test_loopback_may_be_named_where_it_is_allowed(url: str, normal: str) -> None:
    found = parse_url(url, LOOPBACK)

    assert isinstance(found, ParsedUrl)
    assert found.text == normal
    for networks in ((), OTHER):
        assert parse_url(url, networks) is FetchRefusal.HOST_NOT_ALLOWED


@pytest.mark.parametrize("host", ["localhost.", "a.localhost", "localhost.localdomain", "127.1"])
def test_names_like_that_of_loopback_are_no_addresses(host: str) -> None:
    assert listed_addresses(host, LOOPBACK) == ()


def test_localhost_has_the_addresses_that_are_allowed() -> None:
    assert listed_addresses("localhost", LOOPBACK) == ("127.0.0.1", "::1")
    assert listed_addresses("localhost", LOOPBACK[1:]) == ("::1",)
    assert listed_addresses("localhost", OTHER) == ()
