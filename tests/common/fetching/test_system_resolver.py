"""The machine's resolver: names of customers do not hold up the process."""

import asyncio
import socket
import threading

from common.fetching.system_resolver import SystemResolver
from common.fetching.web import LookUpOutcome, RecordKind

_MANY = 40
"""More than the threads of an event loop."""


async def test_a_name_has_the_addresses_of_the_machine() -> None:
    (found,) = await SystemResolver().resolve_all("localhost", RecordKind.IPV4)
    assert found.outcome is LookUpOutcome.FOUND
    assert "127.0.0.1" in found.values


async def test_a_name_that_does_not_exist_is_no_such_name() -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    found = await SystemResolver(fail).find_addresses("nowhere.example")
    assert found.outcome is LookUpOutcome.NO_SUCH_NAME


async def test_look_ups_that_hang_leave_the_threads_of_the_loop_free() -> None:
    end = threading.Event()

    def hang(*_: object, **__: object) -> list[object]:
        end.wait(10)
        return []

    resolver = SystemResolver(hang)
    hanging = [asyncio.ensure_future(resolver.find_addresses("slow.example")) for _ in range(_MANY)]
    await asyncio.sleep(0.05)
    try:
        async with asyncio.timeout(5):
            assert await asyncio.to_thread(lambda: 1) == 1
    finally:
        end.set()
        await asyncio.gather(*hanging)
