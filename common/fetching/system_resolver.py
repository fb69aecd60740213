"""The machine's own resolver, for addresses of content: a CDN answers by where the resolver is."""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from common.fetching.web import LookUp, LookUpOutcome, RecordKind

_SERVER = "system"
_THREADS = 8


class SystemResolver:
    """
    Implements `Resolver` with getaddrinfo, in threads of its own. A look-up of a name whose servers do not respond
    takes many seconds, even after its caller stopped waiting, and customers choose the names.
    """

    def __init__(self, look_up: Callable[..., Any] = socket.getaddrinfo) -> None:
        self._look_up = look_up
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="names")

    async def resolve_all(self, name: str, kind: RecordKind) -> tuple[LookUp, ...]:  # noqa: ARG002 - the port's
        return (await self.find_addresses(name),)

    async def find_addresses(self, host: str) -> LookUp:
        look_up = partial(self._look_up, host, None, type=socket.SOCK_STREAM)
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._threads, look_up)
        except socket.gaierror as error:
            is_absent = error.errno in {socket.EAI_NONAME, socket.EAI_NODATA}
            outcome = LookUpOutcome.NO_SUCH_NAME if is_absent else LookUpOutcome.FAILED
            return LookUp(_SERVER, outcome)
        addresses = tuple(dict.fromkeys(str(one[4][0]) for one in found))
        return LookUp(_SERVER, LookUpOutcome.FOUND, addresses)
