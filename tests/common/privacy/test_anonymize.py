"""What is stored of a person's data does not identify the person."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.privacy.anonymize import cut_address, find_address, find_origin, hash_client

addresses = st.ip_addresses()


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2ff:3:4:5:6", "2001:db8:1:200::/56"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("fe80::1%eth0", "fe80::/56"),
    ],
)
def test_addresses_are_cut(address: str, kept: str) -> None:
    found = find_address(address)
    assert found is not None
    assert cut_address(found) == kept


@given(addresses)
def test_a_cut_address_is_a_network_that_holds_it(address: IPv4Address | IPv6Address) -> None:
    network = ip_network(cut_address(address))
    assert address in network
    assert network.prefixlen == (24 if address.version == 4 else 56)


@pytest.mark.parametrize("text", ["", "unknown", "203.0.113", "unix:", "203.0.113.7, 10.0.0.1"])
def test_an_invalid_address_is_none(text: str) -> None:
    assert find_address(text) is None


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Shop.Example/basket?user=7#top", "https://shop.example"),
        ("http://shop.example:8080/x", "http://shop.example:8080"),
        ("https://anna:secret@shop.example/", "https://shop.example"),
        ("https://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443"),
    ],
)
def test_a_referrer_is_kept_as_its_origin(url: str, origin: str) -> None:
    assert find_origin(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        *(None, "", "null", "about:blank", "android-app://x"),
        *("https://", "https://a:b:c", "http://[1", "https://" + "a" * 9_000),
    ],
)
def test_a_referrer_without_a_web_origin_is_none(url: str | None) -> None:
    assert find_origin(url) is None


def test_a_client_is_identified_by_property_address_and_agent() -> None:
    base = ("property", "203.0.113.7", "agent")
    others = [("x", *base[1:]), ("property", "x", "agent"), (*base[:2], "x")]
    hashes = {hash_client(b"salt", *parts) for parts in (base, *others)}
    assert len(hashes) == 4


def test_hashes_of_different_days_never_match() -> None:
    client = ("property", str(ip_address("203.0.113.7")), "agent")
    assert hash_client(b"one", *client) != hash_client(b"two", *client)


def test_a_client_hash_is_sixteen_hex_digits() -> None:
    assert len(bytes.fromhex(hash_client(b"salt", "property", "ip", "agent \ud800"))) == 8
