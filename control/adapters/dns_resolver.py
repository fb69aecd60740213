"""A resolver on dnspython: queries each configured server by UDP, and by TCP where the response was truncated."""

import asyncio
from collections.abc import Sequence

import dns.asyncquery
import dns.exception
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rdtypes.txtbase

from common.fetching.web import LookUp, LookUpOutcome, RecordKind
from control.foundation.nameserver_addresses import Nameserver

_PAYLOAD_BYTES = 1232
"""A size that passes every network without fragmentation (DNS flag day 2020)."""
_MAX_VALUES = 100
_ADDRESSES = (RecordKind.IPV4, RecordKind.IPV6)


class DnsResolver:
    """Ignores responses that do not match the query, so that one forged packet does not end it."""

    def __init__(self, servers: Sequence[Nameserver], *, timeout_s: float) -> None:
        self._servers = tuple(servers)
        self._timeout_s = timeout_s

    async def resolve_all(self, name: str, kind: RecordKind) -> tuple[LookUp, ...]:
        return tuple(await asyncio.gather(*(self._query(s, name, kind) for s in self._servers)))

    async def find_addresses(self, host: str) -> LookUp:
        found: LookUp | None = None
        for server in self._servers:
            found = _joined(
                await asyncio.gather(*(self._query(server, host, kind) for kind in _ADDRESSES))
            )
            if found.outcome.is_definite:
                break
        if found is None:
            raise RuntimeError("a resolver without servers")
        return found

    async def _query(self, server: Nameserver, name: str, kind: RecordKind) -> LookUp:
        try:
            question = dns.message.make_query(
                dns.name.from_text(name), kind.value, use_edns=True, payload=_PAYLOAD_BYTES
            )
        except dns.exception.DNSException:  # a label or the whole name is too long
            return LookUp(str(server), LookUpOutcome.NO_SUCH_NAME)
        try:
            async with asyncio.timeout(self._timeout_s):
                answer, _ = await dns.asyncquery.udp_with_fallback(
                    question,
                    server.address,
                    port=server.port,
                    ignore_unexpected=True,
                    ignore_errors=True,
                )
        except (TimeoutError, dns.exception.Timeout):
            return LookUp(str(server), LookUpOutcome.TIMED_OUT)
        except (OSError, EOFError, dns.exception.DNSException):
            return LookUp(str(server), LookUpOutcome.FAILED)
        return _read(str(server), answer)


def _read(server: str, answer: dns.message.Message) -> LookUp:
    if answer.rcode() == dns.rcode.NXDOMAIN:
        return LookUp(server, LookUpOutcome.NO_SUCH_NAME)
    if answer.rcode() != dns.rcode.NOERROR or not isinstance(answer, dns.message.QueryMessage):
        return LookUp(server, LookUpOutcome.FAILED)
    try:
        records = answer.resolve_chaining().answer
    except dns.exception.DNSException:
        return LookUp(server, LookUpOutcome.FAILED)
    values = tuple(_text(record) for record in list(records or ())[:_MAX_VALUES])
    if not values:
        return LookUp(server, LookUpOutcome.NO_RECORD)
    return LookUp(server, LookUpOutcome.FOUND, values)


def _text(record: object) -> str:
    """Returns a TXT record's strings joined, as RFC 7208 does; an address as text."""
    if isinstance(record, dns.rdtypes.txtbase.TXTBase):
        return b"".join(record.strings).decode("utf-8", "replace")
    return str(record)


def _joined(parts: Sequence[LookUp]) -> LookUp:
    """Joins both kinds: indefinite if one is indefinite, because an unseen address might be a private one."""
    unsure = [part for part in parts if not part.outcome.is_definite]
    if unsure:
        return unsure[0]
    values = tuple(value for part in parts for value in part.values)
    return LookUp(parts[0].server, LookUpOutcome.FOUND, values) if values else parts[0]
