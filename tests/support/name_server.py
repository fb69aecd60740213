"""A name server on loopback that answers what a test says, and remembers what it was asked."""

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

from control.foundation.nameserver_addresses import Nameserver

Zone = dict[tuple[str, str], list[str]]
"""(name, kind) to record texts. A name without any kind does not exist."""


@dataclass(slots=True)
class NameServer:
    """``zone`` may be changed between calls."""

    port: int = 0
    zone: Zone = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    silent: bool = False
    rcode: dns.rcode.Rcode | None = None
    cut: bool = False
    """Answers by UDP are cut, so that the client comes back by TCP."""
    forged: bytes = b""
    """A datagram that comes before each answer by UDP."""
    on_ask: Callable[[str, str], None] | None = None
    """Called after an answer was made: what it changes shows in the next one."""

    @property
    def server(self) -> Nameserver:
        return Nameserver("127.0.0.1", self.port)

    def text(self, name: str, *values: str) -> None:
        self.zone[(name, "TXT")] = [f'"{value}"' for value in values]

    def address(self, name: str, *addresses: str) -> None:
        for kind, sign in (("A", "."), ("AAAA", ":")):
            self.zone[(name, kind)] = [
                one for one in addresses if sign in one and (kind == "A") == (":" not in one)
            ]

    def answer(self, raw: bytes, *, by_udp: bool) -> bytes | None:
        query = dns.message.from_wire(raw)
        question = query.question[0]
        name = question.name.to_text(omit_final_dot=True)
        kind = dns.rdatatype.to_text(question.rdtype)
        self.asked.append((name, kind))
        if self.silent:
            return None
        response = dns.message.make_response(query)
        self._fill(response, name, kind)
        if self.cut and by_udp:
            response.answer.clear()
            response.flags |= dns.flags.TC
        if self.on_ask is not None:
            self.on_ask(name, kind)
        return response.to_wire(max_size=65_535)

    def _fill(self, response: dns.message.Message, name: str, kind: str) -> None:
        if self.rcode is not None:
            response.set_rcode(self.rcode)
        elif not any(known == name for known, _ in self.zone):
            response.set_rcode(dns.rcode.NXDOMAIN)
        else:
            for wanted in (kind, "CNAME"):
                texts = self.zone.get((name, wanted), [])
                if texts:
                    response.answer.append(
                        dns.rrset.from_text_list(f"{name}.", 60, "IN", wanted, texts)
                    )
                    if wanted == "CNAME":
                        self._fill(response, texts[0].rstrip("."), kind)
                    return


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        if self._server.forged:
            self._transport.sendto(self._server.forged, addr)
        answer = self._server.answer(data, by_udp=True)
        if answer is not None:
            self._transport.sendto(answer, addr)


@asynccontextmanager
async def running_name_server() -> AsyncIterator[NameServer]:
    """UDP and TCP on one port."""
    made = NameServer()

    async def stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError):
            size = int.from_bytes(await reader.readexactly(2), "big")
            answer = made.answer(await reader.readexactly(size), by_udp=False)
            if answer is not None:
                writer.write(len(answer).to_bytes(2, "big") + answer)
                await writer.drain()
        writer.close()

    transport, listener = await _open(made, stream)
    try:
        yield made
    finally:
        transport.close()
        listener.close()
        await listener.wait_closed()


async def _open(
    made: NameServer,
    stream: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> tuple[asyncio.BaseTransport, asyncio.Server]:
    """Another port where somebody has the one for TCP already."""
    loop = asyncio.get_running_loop()
    while True:
        transport, _ = await loop.create_datagram_endpoint(
            lambda: _Datagrams(made), local_addr=("127.0.0.1", 0)
        )
        made.port = transport.get_extra_info("sockname")[1]
        try:
            return transport, await asyncio.start_server(stream, "127.0.0.1", made.port)
        except OSError as error:
            transport.close()
            if error.errno != errno.EADDRINUSE:
                raise
