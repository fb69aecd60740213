"""What every resolver promises, on real name servers."""

from collections.abc import AsyncIterator

import dns.message
import dns.rcode
import pytest
import pytest_asyncio

from common.fetching.web import LookUpOutcome, RecordKind, Resolver
from control.adapters.dns_resolver import DnsResolver
from control.foundation.nameserver_addresses import Nameserver, parse_nameservers
from tests.support.name_server import NameServer, running_name_server

NAME = "_service-ad.shop.example"
TEXT = RecordKind.TEXT


@pytest_asyncio.fixture(loop_scope="session")
async def one() -> AsyncIterator[NameServer]:
    async with running_name_server() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def other() -> AsyncIterator[NameServer]:
    async with running_name_server() as server:
        yield server


@pytest.fixture(params=["sockets"])
def resolver(one: NameServer, other: NameServer) -> Resolver:
    return DnsResolver((one.server, other.server), timeout_s=0.4)


async def test_every_server_returns_its_records(
    resolver: Resolver, one: NameServer, other: NameServer
) -> None:
    one.text(NAME, "a", "b")
    other.zone[(NAME, "A")] = ["192.0.2.1"]

    first, second = await resolver.resolve_all(NAME, TEXT)

    assert (first.server, first.outcome) == (str(one.server), LookUpOutcome.FOUND)
    assert set(first.values) == {"a", "b"}
    assert (second.outcome, second.values) == (LookUpOutcome.NO_RECORD, ())


async def test_a_txt_record_in_pieces_is_one_value(resolver: Resolver, one: NameServer) -> None:
    one.zone[(NAME, "TXT")] = ['"half " "and half"']

    assert (await resolver.resolve_all(NAME, TEXT))[0].values == ("half and half",)


async def test_an_absent_name_is_distinguished_from_a_failure(
    resolver: Resolver, one: NameServer, other: NameServer
) -> None:
    other.rcode = dns.rcode.SERVFAIL

    outcomes = [answer.outcome for answer in await resolver.resolve_all(NAME, TEXT)]

    assert outcomes == [LookUpOutcome.NO_SUCH_NAME, LookUpOutcome.FAILED]
    assert one.asked == [(NAME, "TXT")]


async def test_a_silent_server_is_reported_and_delays_no_other(
    resolver: Resolver, one: NameServer, other: NameServer
) -> None:
    one.silent = True
    other.text(NAME, "a")

    first, second = await resolver.resolve_all(NAME, TEXT)

    assert (first.outcome, second.outcome) == (LookUpOutcome.TIMED_OUT, LookUpOutcome.FOUND)


@pytest.mark.parametrize(
    "forged",
    [
        b"\0",
        bytes(512),
        dns.message.make_response(dns.message.make_query(NAME, "A", id=7)).to_wire(),
    ],
    ids=["too short", "zeros", "other question"],
)
async def test_a_datagram_that_does_not_answer_the_query_is_ignored(
    resolver: Resolver, one: NameServer, forged: bytes
) -> None:
    one.text(NAME, "a")
    one.forged = forged

    assert (await resolver.resolve_all(NAME, TEXT))[0].values == ("a",)


async def test_an_answer_that_was_cut_is_fetched_whole(resolver: Resolver, one: NameServer) -> None:
    one.text(NAME, *(f"value {number} {'x' * 100}" for number in range(30)))
    one.cut = True

    answer = (await resolver.resolve_all(NAME, TEXT))[0]

    assert len(answer.values) == 30
    assert one.asked == [(NAME, "TXT")] * 2


async def test_an_alias_is_followed_within_the_answer(resolver: Resolver, one: NameServer) -> None:
    one.zone[(NAME, "CNAME")] = ["proof.example."]
    one.text("proof.example", "a")

    assert (await resolver.resolve_all(NAME, TEXT))[0].values == ("a",)


async def test_an_impossible_name_is_absent(resolver: Resolver) -> None:
    answers = await resolver.resolve_all("x" * 64 + ".example", TEXT)

    assert {answer.outcome for answer in answers} == {LookUpOutcome.NO_SUCH_NAME}


async def test_addresses_of_both_kinds_come_together(resolver: Resolver, one: NameServer) -> None:
    one.address("shop.example", "192.0.2.1", "192.0.2.2", "2001:db8::1")

    found = await resolver.find_addresses("shop.example")

    assert set(found.values) == {"192.0.2.1", "192.0.2.2", "2001:db8::1"}


async def test_addresses_come_from_the_next_server_if_one_fails(
    resolver: Resolver, one: NameServer, other: NameServer
) -> None:
    one.rcode = dns.rcode.REFUSED
    other.address("shop.example", "192.0.2.9")

    assert (await resolver.find_addresses("shop.example")).values == ("192.0.2.9",)


async def test_addresses_are_requested_once(
    resolver: Resolver, one: NameServer, other: NameServer
) -> None:
    one.address("shop.example", "192.0.2.1")

    await resolver.find_addresses("shop.example")

    assert sorted(kind for _, kind in one.asked) == ["A", "AAAA"]
    assert other.asked == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.1.1.1,9.9.9.9", [Nameserver("1.1.1.1"), Nameserver("9.9.9.9")]),
        ("127.0.0.1:5353, ::1", [Nameserver("127.0.0.1", 5353), Nameserver("::1")]),
        ("[2620:fe::fe]:5, 1.1.1.1", [Nameserver("2620:fe::fe", 5), Nameserver("1.1.1.1")]),
    ],
)
def test_name_servers_are_read_as_they_are_written(text: str, expected: list[Nameserver]) -> None:
    assert list(parse_nameservers(text)) == expected
    assert list(parse_nameservers(",".join(map(str, expected)))) == expected


@pytest.mark.parametrize(
    "text",
    ["", "1.1.1.1", "1.1.1.1,1.1.1.1", "a.example,1.1.1.1", "1.1.1.1:0,9.9.9.9", "1.1.1.1:x,::1"],
)
def test_invalid_name_servers_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"server|port|address"):
        parse_nameservers(text)
