"""The shared port is held without accepting connections, and refused where another process listens."""

import asyncio
import socket

import pytest

from edge.supervisor.listening_socket import PortTaken, hold_port


async def test_port_0_takes_a_free_one_that_workers_can_share() -> None:
    with await hold_port("127.0.0.1", 0) as held:
        port = held.getsockname()[1]
        for _ in range(2):
            worker = socket.socket()
            worker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            worker.bind(("127.0.0.1", port))
            worker.listen()
            with worker, socket.create_connection(("127.0.0.1", port)):
                accepted, _ = worker.accept()
                accepted.close()


async def test_the_held_port_takes_no_connection() -> None:
    with await hold_port("127.0.0.1", 0) as held, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", held.getsockname()[1]))


async def test_a_port_in_use_is_refused_by_name() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=str(port)):
            await hold_port("127.0.0.1", port, wait_s=0.0)


async def test_a_port_shared_by_another_edge_is_refused() -> None:
    other = socket.socket()
    other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    other.bind(("127.0.0.1", 0))
    other.listen()
    with other, pytest.raises(PortTaken):
        await hold_port("127.0.0.1", other.getsockname()[1], wait_s=0.0)


async def test_a_port_that_is_being_released_is_waited_for() -> None:
    other = socket.create_server(("127.0.0.1", 0))
    port = other.getsockname()[1]
    asyncio.get_running_loop().call_later(0.2, other.close)
    with await hold_port("127.0.0.1", port, wait_s=10.0) as held:
        assert held.getsockname()[1] == port


async def test_an_address_of_another_machine_is_refused_by_name() -> None:
    with pytest.raises(PortTaken, match=r"203\.0\.113\.1"):
        await hold_port("203.0.113.1", 0, wait_s=0.0)
