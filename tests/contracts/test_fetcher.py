"""What every fetcher promises: nothing but the public internet is connected to, and it never takes long or much."""

import errno
import gzip
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from common.fetching.guarded_fetcher import FetchBudget, GuardedFetcher
from common.fetching.web import Fetcher, FetchRefusal, NotFetched, Page
from control.adapters.dns_resolver import DnsResolver
from tests.support.name_server import NameServer, running_name_server
from tests.support.web_site import WebSite, make_authority, running_site

FRONT = "127.0.0.2"
"""The one address that the test lets through; a trap listens on 127.0.0.1, at the same port."""
SHOP = "shop.example.org"


@dataclass(slots=True)
class Net:
    fetcher: Fetcher
    names: NameServer
    front: WebSite
    trap: WebSite
    secure: WebSite
    resolver: DnsResolver
    allowance: FetchBudget

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.front.port}{path}"

    def secure_url(self, host: str = SHOP, path: str = "/") -> str:
        return f"https://{host}:{self.secure.port}{path}"

    async def get(self, url: str) -> Page | NotFetched:
        return await self.fetcher.fetch(url, plain_http=True)

    async def reason(self, url: str) -> FetchRefusal | None:
        found = await self.get(url)
        return found.reason if isinstance(found, NotFetched) else None


@pytest_asyncio.fixture(loop_scope="session")
async def net(tmp_path: Path) -> AsyncIterator[Net]:
    authority = make_authority(tmp_path, SHOP)
    async with AsyncExitStack() as stack:
        names = await stack.enter_async_context(running_name_server())
        front, trap = await _front_and_trap(stack)
        secure = await stack.enter_async_context(running_site(authority.server, address=FRONT))
        resolver = DnsResolver((names.server, names.server), timeout_s=0.3)
        allowance = FetchBudget(frozenset({FRONT}), frozenset({front.port, secure.port, 1}))
        fetcher = GuardedFetcher(
            resolver, user_agent="Tests/1", allowance=allowance, tls=authority.client
        )
        names.address(SHOP, FRONT)
        front.page(f"{SHOP}/", "hello")
        secure.page(f"{SHOP}/", "hello, safely")
        yield Net(fetcher, names, front, trap, secure, resolver, allowance)


async def _front_and_trap(stack: AsyncExitStack) -> tuple[WebSite, WebSite]:
    """Two sites at one port; another port where somebody has the second already."""
    while True:
        front = await stack.enter_async_context(running_site(address=FRONT))
        try:
            return front, await stack.enter_async_context(running_site(port=front.port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise


SPELLINGS = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "00000177.0.0.1",
    "127.000.000.001",
    "%31%32%37.0.0.1",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "0",
    "0.0.0.0",  # noqa: S104 - an address to refuse
    "10.0.0.1",
    "169.254.169.254",
    "2852039166",
    "100.100.100.200",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fe80::1%25lo]",
    "[fec0::1]",
    "[fd00:ec2::254]",
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "metadata.google.internal",
    "printer.local",
    "intranet",
]


@pytest.mark.parametrize("host", SPELLINGS)
async def test_a_private_address_in_any_spelling_is_refused(net: Net, host: str) -> None:
    assert await net.reason(net.url(host)) is not None
    assert await net.reason(f"http://{host}/") is not None
    assert await net.reason(f"https://{host}/") is not None

    assert net.trap.connections == net.front.connections == 0
    assert net.names.asked == []


# fmt: off
NOT_PUBLIC = [
    "0.0.0.0",  # noqa: S104 - an address to refuse
    "127.0.0.1", "10.1.2.3", "100.64.0.1", "168.63.129.16", "169.254.169.254", "172.16.0.1",
    "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "224.0.0.1",
    "240.0.0.1", "255.255.255.255", "::1", "::", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
    "::7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "100::1", "2001::1", "2001:db8::1",
    "2002:7f00:1::1", "3fff::1", "5f00::1", "fc00::1", "fe80::1", "fec0::1", "ff02::1",
]
# fmt: on


@pytest.mark.parametrize("address", NOT_PUBLIC)
async def test_a_name_of_a_private_address_is_refused(net: Net, address: str) -> None:
    net.names.address("evil.example.org", address)

    assert await net.reason(net.url("evil.example.org")) is FetchRefusal.ADDRESS_NOT_PUBLIC
    assert net.trap.connections == 0


@pytest.mark.parametrize("address", NOT_PUBLIC)
async def test_one_private_address_among_public_ones_refuses_all(net: Net, address: str) -> None:
    net.names.address("mixed.example.org", FRONT, address)

    assert await net.reason(net.url("mixed.example.org")) is FetchRefusal.ADDRESS_NOT_PUBLIC
    assert net.trap.connections == net.front.connections == 0


@pytest.mark.parametrize("host", [*SPELLINGS, "evil.example.org"])
async def test_a_redirect_to_a_private_address_is_refused(net: Net, host: str) -> None:
    net.names.address("evil.example.org", "127.0.0.1")
    net.front.redirect(f"{SHOP}/", net.url(host))

    found = await net.get(net.url(SHOP))

    assert isinstance(found, NotFetched)
    assert (net.front.connections, net.trap.connections) == (1, 0)


async def test_a_name_that_changes_its_address_after_the_check_is_not_followed(net: Net) -> None:
    """Rebinding: the first answer is good, every later one names the trap."""
    net.names.address("moves.example.org", FRONT)
    net.front.page("moves.example.org/", "good")

    def move(_name: str, kind: str) -> None:
        if kind == "A":
            net.names.address("moves.example.org", "127.0.0.1")

    net.names.on_ask = move
    found = await net.get(net.url("moves.example.org"))

    assert isinstance(found, Page)
    assert found.body == b"good"
    assert [kind for _, kind in net.names.asked].count("A") == 1
    assert net.trap.connections == 0


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://shop.example.org/", FetchRefusal.SCHEME_NOT_ALLOWED),
        ("file:///etc/passwd", FetchRefusal.SCHEME_NOT_ALLOWED),
        ("gopher://shop.example.org:70/_x", FetchRefusal.SCHEME_NOT_ALLOWED),
        ("http://shop.example.org:22/", FetchRefusal.PORT_NOT_ALLOWED),
        ("http://shop.example.org:6379/", FetchRefusal.PORT_NOT_ALLOWED),
        ("http://shop.example.org:/", FetchRefusal.URL_INVALID),
        ("http://shop.example.org:99999/", FetchRefusal.URL_INVALID),
        ("http://a@shop.example.org/", FetchRefusal.URL_INVALID),
        ("http://shop.example.org\\@127.0.0.1/", FetchRefusal.URL_INVALID),
        ("http://shop.example.org\t.evil/", FetchRefusal.URL_INVALID),
        ("http://shop.example.org/\r\nX: y", FetchRefusal.URL_INVALID),
        ("http:///path", FetchRefusal.URL_INVALID),
        ("//shop.example.org/", FetchRefusal.SCHEME_NOT_ALLOWED),
        ("http://[::1/", FetchRefusal.URL_INVALID),
        ("http://" + "a" * 3000, FetchRefusal.URL_INVALID),
    ],
)
async def test_an_odd_url_is_refused_with_its_reason(
    net: Net, url: str, reason: FetchRefusal
) -> None:
    assert await net.reason(url) is reason
    assert net.front.connections == net.trap.connections == 0


async def test_a_page_is_fetched_without_cookies(net: Net) -> None:
    net.front.page(f"{SHOP}/", b"", "Location: /next", "Set-Cookie: a=b", status="302 Found")
    net.front.page(f"{SHOP}/next", "there")

    found = await net.get(net.url(SHOP))

    assert found == Page(net.url(SHOP, "/next"), 200, b"there", (net.url(SHOP),))
    assert all("cookie" not in head.lower() for head in net.front.requests)
    assert "User-Agent: Tests/1" in net.front.requests[0]
    assert f"Host: {SHOP}:{net.front.port}\r\n" in net.front.requests[0]


@pytest.mark.parametrize(
    "location",
    [
        "http://[",
        "//",
        "http://\xff/",
        "http://shop.example.org:b/",
        "http:",
        "javascript:1",
        "http://a b/",
    ],
)
async def test_a_redirect_that_cannot_be_read_is_refused(net: Net, location: str) -> None:
    net.front.pages[f"{SHOP}/"] = (
        f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode("latin-1")
    )

    assert await net.reason(net.url(SHOP)) is not None
    assert net.trap.connections == 0


async def test_the_final_address_is_in_one_spelling(net: Net) -> None:
    net.names.address("xn--strae-oqa.example.org", FRONT)
    net.front.page("xn--strae-oqa.example.org/a%20b", "there")
    url = f"http://Straße.Example.org:{net.front.port}/a%20b"

    found = await net.get(url)

    assert isinstance(found, Page)
    assert found.url == f"http://xn--strae-oqa.example.org:{net.front.port}/a%20b"


async def test_tls_verifies_the_name_not_the_address(net: Net) -> None:
    net.names.address("other.example.org", FRONT)

    good = await net.get(net.secure_url())
    bad = await net.get(net.secure_url("other.example.org"))

    assert isinstance(good, Page)
    assert good.body == b"hello, safely"
    assert isinstance(bad, NotFetched)
    assert bad.reason is FetchRefusal.TLS_FAILED
    assert len(net.secure.requests) == 1


async def test_https_never_becomes_http(net: Net) -> None:
    net.secure.redirect(f"{SHOP}/", net.url(SHOP))

    assert await net.reason(net.secure_url()) is FetchRefusal.DOWNGRADED
    assert net.front.connections == 0


async def test_http_is_used_only_where_it_is_allowed(net: Net) -> None:
    found = await net.fetcher.fetch(net.url(SHOP))

    assert isinstance(found, NotFetched)
    assert found.reason is FetchRefusal.SCHEME_NOT_ALLOWED


async def test_three_redirects_are_enough(net: Net) -> None:
    for number in range(5):
        net.front.redirect(f"{SHOP}/{number}", f"/{number + 1}")
    net.front.page(f"{SHOP}/5", "end")

    near = await net.get(net.url(SHOP, "/2"))
    far = await net.get(net.url(SHOP, "/1"))

    assert isinstance(near, Page)
    assert isinstance(far, NotFetched)
    assert (far.reason, len(far.redirects)) == (FetchRefusal.TOO_MANY_REDIRECTS, 4)


async def test_a_large_page_is_cut(net: Net) -> None:
    net.front.page(f"{SHOP}/", b"x" * 3_000_000)

    found = await net.get(net.url(SHOP))

    assert isinstance(found, Page)
    assert len(found.body) == 524_288


async def test_a_compressed_page_is_refused_without_reading_it(net: Net) -> None:
    bomb = gzip.compress(bytes(10_000_000))
    net.front.page(f"{SHOP}/", bomb, "Content-Encoding: gzip")

    assert await net.reason(net.url(SHOP)) is FetchRefusal.ENCODED
    assert "Accept-Encoding: identity" in net.front.requests[0]


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-OpenSSH_9\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", b""],
)
async def test_a_server_that_does_not_speak_http_is_refused(net: Net, answer: bytes) -> None:
    net.front.pages[f"{SHOP}/"] = answer

    assert await net.reason(net.url(SHOP)) is FetchRefusal.NOT_HTTP


@pytest.mark.parametrize("secure", [False, True])
async def test_a_head_has_at_most_32_kib(net: Net, *, secure: bool) -> None:
    site, url = (net.secure, net.secure_url()) if secure else (net.front, net.url(SHOP))
    informational = b"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
    for size, fits in ((32_768, True), (32_769, False)):
        start = informational + b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nX: "
        head = start + b"x" * (size - len(start) - 4) + b"\r\n\r\n"
        site.pages[f"{SHOP}/"] = head + b"p" * 100_000

        found = await net.get(url)

        if fits:
            assert isinstance(found, Page)
            assert len(found.body) == 100_000
        else:
            assert isinstance(found, NotFetched)
            assert found.reason is FetchRefusal.NOT_HTTP


async def test_an_endless_head_is_refused(net: Net) -> None:
    net.front.pages[f"{SHOP}/"] = b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000

    assert await net.reason(net.url(SHOP)) is FetchRefusal.NOT_HTTP


async def test_a_page_that_never_comes_ends_at_the_deadline(net: Net) -> None:
    net.front.hangs = True
    hasty = GuardedFetcher(
        net.resolver, user_agent="Tests/1", allowance=net.allowance, deadline_s=0.2
    )

    found = await hasty.fetch(net.url(SHOP), plain_http=True)

    assert isinstance(found, NotFetched)
    assert found.reason is FetchRefusal.TIMED_OUT


async def test_a_refused_connection_and_an_unknown_name_are_distinguished(net: Net) -> None:
    net.names.address("closed.example.org", FRONT)
    closed = await net.reason("https://closed.example.org:1/")
    nameless = await net.reason(net.url("nowhere.example.org"))
    net.names.silent = True
    silent = await net.reason(net.url(SHOP))

    assert closed is FetchRefusal.NOT_CONNECTED
    assert nameless is FetchRefusal.NAME_NOT_FOUND
    assert silent is FetchRefusal.NAME_UNDECIDED


async def test_proxies_of_the_environment_are_not_used(
    net: Net, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{net.trap.port}")

    assert isinstance(await net.get(net.url(SHOP)), Page)
    assert net.trap.connections == 0


@pytest.mark.parametrize("addresses", [("127.0.0.3", FRONT), (FRONT, "127.0.0.3")])
async def test_any_address_that_answers_is_used(net: Net, addresses: tuple[str, str]) -> None:
    allowed = FetchBudget(frozenset({FRONT, "127.0.0.3"}), net.allowance.ports)
    fetcher = GuardedFetcher(net.resolver, user_agent="Tests/1", allowance=allowed)
    net.names.address(SHOP, *addresses)

    assert isinstance(await fetcher.fetch(net.url(SHOP), plain_http=True), Page)
    assert net.trap.connections == 0
