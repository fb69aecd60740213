"""A resolver that queries each configured server by UDP, and by TCP where the response was truncated."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import dns.exception
import dns.message
import dns.name
import dns.rcode

from common.fetching.web import LookUp, LookUpOutcome, RecordKind
from control.adapters.dns_answer import DnsAnswer, parse_answer
from control.foundation.nameserver_addresses import Nameserver

_PAYLOAD_BYTES = 1232
"""A size that passes every network without fragmentation (DNS flag day 2020)."""
_ADDRESSES = (RecordKind.IPV4, RecordKind.IPV6)


class DnsResolver:
    """
    Ignores responses that do not match the query, so that one forged packet does not end it. dnspython writes the
    queries only.
    """

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
        query = _Query(question.to_wire(), kind)
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await _by_udp(server, query)
                if answer.is_cut:
                    answer = await _by_tcp(server, query)
        except TimeoutError:
            return LookUp(str(server), LookUpOutcome.TIMED_OUT)
        except (OSError, EOFError, ValueError):
            return LookUp(str(server), LookUpOutcome.FAILED)
        return _read(str(server), answer)


@dataclass(frozen=True, slots=True)
class _Query:
    wire: bytes
    kind: RecordKind

    def parse(self, wire: bytes) -> DnsAnswer | None:
        return parse_answer(wire, self.wire, self.kind)


class _Datagrams(asyncio.DatagramProtocol):
    """
    Sends the query once connected. Datagrams that do not answer it are ignored, and so is an ICMP error: anybody may
    send one, and the deadline ends the wait.
    """

    def __init__(self, query: _Query) -> None:
        self._query = query
        self.answer: asyncio.Future[DnsAnswer] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        transport.sendto(self._query.wire)

    def datagram_received(self, data: bytes, addr: Any) -> None:  # noqa: ARG002 - the kernel compared it
        if self.answer.done():
            return
        with suppress(ValueError):
            found = self._query.parse(data)
            if found is not None:
                self.answer.set_result(found)


async def _by_udp(server: Nameserver, query: _Query) -> DnsAnswer:
    transport, datagrams = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Datagrams(query), remote_addr=(server.address, server.port)
    )
    try:
        return await datagrams.answer
    finally:
        transport.close()


async def _by_tcp(server: Nameserver, query: _Query) -> DnsAnswer:
    reader, writer = await asyncio.open_connection(server.address, server.port)
    try:
        writer.write(len(query.wire).to_bytes(2, "big") + query.wire)
        size = int.from_bytes(await reader.readexactly(2), "big")
        answer = query.parse(await reader.readexactly(size))
    finally:
        writer.close()
    if answer is None or answer.is_cut:
        raise ValueError("The response by TCP does not answer the query.")
    return answer


def _read(server: str, answer: DnsAnswer) -> LookUp:
    if answer.rcode == dns.rcode.NXDOMAIN:
        return LookUp(server, LookUpOutcome.NO_SUCH_NAME)
    if answer.rcode != dns.rcode.NOERROR:
        return LookUp(server, LookUpOutcome.FAILED)
    if not answer.values:
        return LookUp(server, LookUpOutcome.NO_RECORD)
    return LookUp(server, LookUpOutcome.FOUND, answer.values)


def _joined(parts: Sequence[LookUp]) -> LookUp:
    """Joins both kinds: indefinite if one is indefinite, because an unseen address might be a private one."""
    unsure = [part for part in parts if not part.outcome.is_definite]
    if unsure:
        return unsure[0]
    values = tuple(value for part in parts for value in part.values)
    return LookUp(parts[0].server, LookUpOutcome.FOUND, values) if values else parts[0]
