"""The port that the workers share. The supervisor holds it, so that it stays reserved while a worker is down."""

import asyncio
import socket

_TAKEN_WAIT_S = 10.0
_CHECK_S = 0.1


class PortTaken(Exception):
    """Another program listens on the port; the message names the address."""


async def hold_port(host: str, port: int, *, wait_s: float = _TAKEN_WAIT_S) -> socket.socket:
    """
    A bound socket that does not listen, so it gets no connections; *port* 0 takes any free port.

    Waits up to *wait_s* for workers of an earlier start to finish. Raises `PortTaken`, or OSError for a bad address.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + wait_s
    while True:
        try:
            return _hold(host, port)
        except PortTaken:
            if loop.time() >= until:
                raise
        await asyncio.sleep(_CHECK_S)


def share_port(held: socket.socket) -> socket.socket:
    """A worker's own bound socket of the port. Each socket that listens gets a part of the connections."""
    shared = socket.socket(held.family, socket.SOCK_STREAM)
    shared.setblocking(False)  # noqa: FBT003 - its only parameter
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    shared.bind(held.getsockname())
    return shared


def _hold(host: str, port: int) -> socket.socket:
    if port:
        _check_nobody_listens(host, port)
    held = _new_socket(host)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    return _bind(held, host, port)


def _check_nobody_listens(host: str, port: int) -> None:
    """The kernel would let two edges share a port by accident; each would then get requests of the other."""
    _bind(_new_socket(host), host, port).close()


def _new_socket(host: str) -> socket.socket:
    fresh = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    fresh.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return fresh


def _bind(fresh: socket.socket, host: str, port: int) -> socket.socket:
    try:
        fresh.bind((host, port))
    except OSError as error:
        fresh.close()
        raise PortTaken(
            f"PLACARD_EDGE_PORT: cannot listen on {host}:{port}: {error.strerror}. "
            "Stop the program that does, or choose another port."
        ) from error
    return fresh
