"""Ports that two stacks of one machine choose at the same time."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from deploy.standalone.sockets import find_free_ports

_CHOOSE_ONE_AND_WAIT = """
import sys
from deploy.standalone import sockets
sockets._choosable_ports = lambda: [int(port) for port in sys.argv[1:]]
print(*sockets.find_free_ports(1), flush=True)
sys.stdin.read()
"""


def test_no_outgoing_connection_can_take_a_chosen_port() -> None:
    outgoing = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii")
    first, last = map(int, outgoing.split())
    assert not [port for port in find_free_ports(20) if first <= port <= last]


def test_two_processes_choose_different_ports() -> None:
    with ExitStack() as choosers:
        chosen = [
            choosers.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", _CHOOSE_ONE_AND_WAIT, "9998", "9999"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            )
            for _ in range(2)
        ]
        found = {process.stdout.readline() for process in chosen if process.stdout}
        for process in chosen:
            process.communicate(b"")
        assert found == {b"9998\n", b"9999\n"}
