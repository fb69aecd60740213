"""
Machines of a fleet as network namespaces: each has an address of its own, and can be cut off from all others. The load
generator and the proxy are on the bridge between them. Addresses of the loopback interface do where nothing is cut off.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

_MARK = f"pl{os.getpid() % 100_000}"
_SUBNET = f"10.213.{os.getpid() % 250}"
_LOOPBACK = f"127.213.{os.getpid() % 250}"


@dataclass(frozen=True, slots=True)
class Zone:
    """``namespace``: empty for an address of the loopback interface."""

    name: str
    address: str
    namespace: str = ""

    @property
    def enter(self) -> tuple[str, ...]:
        """The beginning of a command that runs in this zone."""
        return ("ip", "netns", "exec", self.namespace) if self.namespace else ()

    def cut_off(self) -> None:
        """No packet leaves or enters. Connections stay open on both sides, as when a cable is pulled."""
        _ip("link", "set", f"{self.namespace}h", "down")

    def connect(self) -> None:
        _ip("link", "set", f"{self.namespace}h", "up")


@dataclass(frozen=True, slots=True)
class Network:
    """``address``: of the bridge, where the proxy listens."""

    address: str
    zones: tuple[Zone, ...]


def loopback(names: Sequence[str]) -> Network:
    """Needs no rights. No zone can be cut off."""
    zones = (Zone(name, f"{_LOOPBACK}.{11 + at}") for at, name in enumerate(names))
    return Network(f"{_LOOPBACK}.1", tuple(zones))


@contextmanager
def network(names: Sequence[str]) -> Iterator[Network]:
    """Needs root. Everything is removed at the end."""
    with ExitStack() as ending:
        bridge, address = f"{_MARK}br", f"{_SUBNET}.1"
        _ip("link", "add", bridge, "type", "bridge")
        ending.callback(_ip, "link", "del", bridge)
        _ip("addr", "add", f"{address}/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        zones = tuple(
            Zone(name, f"{_SUBNET}.{11 + at}", f"{_MARK}{name}") for at, name in enumerate(names)
        )
        for zone in zones:
            _ip("netns", "add", zone.namespace)
            ending.callback(_ip, "netns", "del", zone.namespace)
            outside, inside = f"{zone.namespace}h", f"{zone.namespace}i"
            _ip("link", "add", outside, "type", "veth", "peer", "name", inside)
            _ip("link", "set", inside, "netns", zone.namespace)
            _ip("link", "set", outside, "master", bridge)
            _ip("link", "set", outside, "up")
            for command in (
                ("link", "set", "lo", "up"),
                ("addr", "add", f"{zone.address}/24", "dev", inside),
                ("link", "set", inside, "up"),
            ):
                _ip("-n", zone.namespace, *command)
        yield Network(address, zones)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
