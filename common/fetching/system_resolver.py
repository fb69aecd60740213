"""The machine's own resolver, for addresses of content: a CDN answers by where the resolver is."""

import asyncio
import socket

from common.fetching.web import LookUp, LookUpOutcome, RecordKind

_SERVER = "system"


class SystemResolver:
    """Implements `Resolver` with getaddrinfo, which runs in a thread."""

    async def resolve_all(self, name: str, kind: RecordKind) -> tuple[LookUp, ...]:  # noqa: ARG002 - the port's
        return (await self.find_addresses(name),)

    async def find_addresses(self, host: str) -> LookUp:
        try:
            found = await asyncio.get_running_loop().getaddrinfo(
                host, None, type=socket.SOCK_STREAM
            )
        except socket.gaierror as error:
            is_absent = error.errno in {socket.EAI_NONAME, socket.EAI_NODATA}
            outcome = LookUpOutcome.NO_SUCH_NAME if is_absent else LookUpOutcome.FAILED
            return LookUp(_SERVER, outcome)
        addresses = tuple(dict.fromkeys(str(one[4][0]) for one in found))
        return LookUp(_SERVER, LookUpOutcome.FOUND, addresses)
