"""Registrable domains by the Public Suffix List, against what `tldextract` 5.4 made of the same list."""

import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.contract.hostnames import parse_named_host, parse_public_host
from common.fetching.web import Page
from control.foundation.public_suffixes import (
    SuffixListInvalid,
    registrable_domain,
    use_suffix_list,
)
from control.inventory.domain_verification.check import check_page
from control.inventory.domain_verification.check_result import Problem

_EXPECTED = Path(__file__).parent / "registrable_domains.tsv.xz"
"""Of the list of 2026-10-22, its private section included: a host and its registrable domain a line."""


@pytest.fixture
def own_list(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "suffixes.dat"
    yield file
    use_suffix_list(None)


def test_the_domains_of_five_thousand_hosts_agree_with_tldextract() -> None:
    lines = lzma.decompress(_EXPECTED.read_bytes()).decode().splitlines()
    expected = dict(line.split("\t") for line in lines)
    assert len(expected) == 5_000
    found = {host: registrable_domain(host) for host in expected}
    assert {host: it for host, it in found.items() if it != expected[host]} == {}


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("shop.name.me.uk", "name.me.uk"),
        ("www.casa.adv.br", "casa.adv.br"),
        ("me.github.io", "me.github.io"),
        ("github.io", "github.io"),
        ("www.shop.myshopify.com", "shop.myshopify.com"),
        ("a.b.c.ck", "b.c.ck"),
        ("www.ck", "www.ck"),
        ("a.city.kobe.jp", "city.kobe.jp"),
        ("食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"),
    ],
)
def test_private_wildcard_and_exception_rules_hold(host: str, domain: str) -> None:
    assert registrable_domain(parse_public_host(host)) == domain


@pytest.mark.parametrize(
    ("domain", "page", "problem"),
    [
        ("one.github.io", "https://two.github.io/", Problem.PAGE_ELSEWHERE),
        ("one.me.uk", "https://other.me.uk/", Problem.PAGE_ELSEWHERE),
        ("shop.one.me.uk", "https://www.one.me.uk/", None),
    ],
)
def test_a_neighbour_under_a_public_suffix_proves_no_domain(
    domain: str, page: str, problem: Problem | None
) -> None:
    tag = b'<html><head><meta name="service-ad-verification" content="token"></head></html>'
    finding = check_page(Page(url=page, status=200, body=tag, redirects=()), domain, "token")
    assert finding.problem is problem


def test_an_operators_file_replaces_the_list(own_list: Path) -> None:
    own_list.write_text("com\nshops.example.com\n")
    use_suffix_list(own_list)
    assert registrable_domain("one.shops.example.com") == "one.shops.example.com"
    assert registrable_domain("me.github.io") == "github.io"


def test_an_invalid_list_file_is_refused(own_list: Path) -> None:
    own_list.write_text("<html>Not found</html>\n")
    with pytest.raises(SuffixListInvalid, match="no rule for com"):
        use_suffix_list(own_list)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "https://Example.com/x",
            "example.com/x?y=z",
            "EXAMPLE.com.",
            "http://u:p@example.com:8443",
        ),
        *("//example.com", "example.com"),
    ],
)
def test_the_host_of_a_url_is_used(text: str) -> None:
    assert parse_named_host(text) == "example.com"
