"""Responses of name servers, read as dnspython reads them, and refused where they do not answer the query."""

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.fetching.web import RecordKind
from control.adapters.dns_answer import DnsAnswer, parse_answer

NAME, ALIAS = "shop.example.", "Proof.shop.example."
_TEXTS = st.lists(st.text("ab 9", max_size=5), min_size=1, max_size=3)
_VALUES = {
    RecordKind.TEXT: _TEXTS.map(lambda parts: " ".join(f'"{part}"' for part in parts)),
    RecordKind.IPV4: st.ip_addresses(v=4).map(str),
    RecordKind.IPV6: st.ip_addresses(v=6).map(str),
}


def a_query(kind: RecordKind) -> dns.message.QueryMessage:
    return dns.message.make_query(NAME, kind.value, use_edns=True)


def a_response(query: dns.message.Message, *rrsets: dns.rrset.RRset) -> dns.message.Message:
    response = dns.message.make_response(query)
    response.answer.extend(rrsets)
    return response


def read(response: dns.message.Message, query: dns.message.Message) -> DnsAnswer | None:
    kind = RecordKind(dns.rdatatype.to_text(query.question[0].rdtype))
    return parse_answer(response.to_wire(max_size=65_535), query.to_wire(), kind)


def records(kind: RecordKind | str, *values: str, name: str = NAME) -> dns.rrset.RRset:
    return dns.rrset.from_text_list(name, 60, "IN", str(kind), list(values))


@given(st.data(), st.sampled_from(RecordKind), st.booleans())
def test_records_are_read_as_dnspython_reads_them(
    data: st.DataObject,
    kind: RecordKind,
    is_alias: bool,  # noqa: FBT001 - drawn
) -> None:
    values = data.draw(st.lists(_VALUES[kind], max_size=20))
    owner = ALIAS if is_alias else NAME
    query = a_query(kind)
    rrsets = [records("CNAME", ALIAS)] if is_alias else []
    if values:
        rrsets.append(records(kind, *values, name=owner))
    response = a_response(query, *rrsets)

    found = read(response, query)

    chained = dns.message.from_wire(response.to_wire()).resolve_chaining().answer  # type: ignore[attr-defined]  # a query's
    expected = {
        b"".join(one.strings).decode() if kind is RecordKind.TEXT else str(one)
        for one in chained or ()
    }
    assert found is not None
    assert (found.rcode, found.is_cut, set(found.values)) == (0, False, expected)


def test_records_of_other_kinds_are_skipped() -> None:
    query = a_query(RecordKind.IPV4)
    response = a_response(query, records("TXT", '"a"'), records("A", "192.0.2.1"))

    assert read(response, query) == DnsAnswer(0, is_cut=False, values=("192.0.2.1",))


def test_at_most_a_hundred_values_are_kept() -> None:
    query = a_query(RecordKind.TEXT)
    response = a_response(query, records("TXT", *(f'"{number}"' for number in range(101))))

    found = read(response, query)

    assert found is not None
    assert len(found.values) == 100


def test_a_cut_response_and_a_refusal_without_a_question_are_answers() -> None:
    query = a_query(RecordKind.TEXT)
    cut, refusal = a_response(query), a_response(query)
    cut.flags |= dns.flags.TC
    refusal.set_rcode(dns.rcode.REFUSED)
    refusal.question.clear()

    assert read(cut, query) == DnsAnswer(0, is_cut=True)
    assert read(refusal, query) == DnsAnswer(dns.rcode.REFUSED, is_cut=False)


@pytest.mark.parametrize("forged", ["id", "query", "opcode", "name", "kind", "no question"])
def test_what_does_not_answer_the_query_is_none(forged: str) -> None:
    query = a_query(RecordKind.TEXT)
    response = a_response(query, records("TXT", '"a"'))
    if forged == "id":
        response.id ^= 1
    elif forged == "query":
        response.flags ^= dns.flags.QR
    elif forged == "opcode":
        response.flags |= 0x1000
    elif forged == "no question":
        response.question.clear()
    else:
        other = ("other.example.", "TXT") if forged == "name" else (NAME, "A")
        response.question = dns.message.make_query(*other).question

    assert read(response, query) is None


@given(st.integers(0, 200), st.integers(0, 255), st.binary(max_size=20))
def test_a_damaged_response_raises_nothing_but_value_error(at: int, byte: int, tail: bytes) -> None:
    query = a_query(RecordKind.TEXT)
    wire = bytearray(a_response(query, records("TXT", '"some" "text"', '"b"')).to_wire())
    damaged = bytes(wire[:at]) + bytes([byte]) + bytes(wire[at + 1 :]) + tail

    for raw in (damaged, damaged[:at]):
        try:
            found = parse_answer(raw, query.to_wire(), RecordKind.TEXT)
        except ValueError:
            continue
        assert found is None or isinstance(found, DnsAnswer)


@pytest.mark.parametrize("cut", [1, 5, 11])
def test_a_response_that_ends_too_early_is_malformed(cut: int) -> None:
    query = a_query(RecordKind.IPV4)
    wire = a_response(query, records("A", "192.0.2.1")).to_wire()
    without_edns = wire[: wire.rindex(bytes([192, 0, 2, 1])) + 4]

    with pytest.raises(ValueError, match=r"early|longer|length"):
        parse_answer(without_edns[:-cut], query.to_wire(), RecordKind.IPV4)
