"""
An HTTP generator in one process: keep-alive connections over epoll, with as little Python a request as possible.

Run as ``python -m loadtests.bench.generator PORT SECONDS CONNECTIONS FILE [RATE|first]``; FILE holds prepared requests
(`loadtests.bench.wire`). Without RATE it is a closed loop: each connection sends its next request after the response.
With RATE, requests are due at that constant rate, and latencies count from when they were due. With ``first`` the
closed loop begins as soon as ``/readyz`` returns 200; it waits for that. Each connection starts at another place of the
file, so every head is sent about equally often.

Prints one JSON line: requests, seconds, statuses, errors, latencies in µs, and how busy the generator was. A closed
loop adds the requests of each tenth of a second and the longest silence. A constant rate adds how late the generator
itself was with due requests that had a connection; that is part of their latencies.
"""

import gc
import os
import select
import socket
import sys
from collections import Counter, deque
from contextlib import suppress
from pathlib import Path
from time import perf_counter, process_time, sleep

import orjson

from loadtests.bench.report import percentile
from loadtests.bench.wire import end_of_answer, read_requests

_SAMPLE_EVERY = 16
_NAP_S = 0.0001
"""
Sleep at a constant rate when nothing is due and nothing has arrived. The scheduler suspends a process that never
sleeps, for milliseconds while Redis and Kafka have the core; it then sends all due requests in one burst.
"""
WINDOW_S = 0.1
_READY_S = 240.0
_PROBE_S = 0.005
_READYZ = b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
_NICE = -10
"""Gives it priority over Redis and Kafka, if that is permitted (as root)."""


class Generator:
    """Connections to one server, and their results."""

    def __init__(self, port: int, connections: int, requests: list[bytes]) -> None:
        self._requests = requests
        self._poll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        self._next: dict[int, int] = {}
        self._partial: dict[int, bytes] = {}
        self.statuses: Counter[bytes] = Counter()
        self.errors = 0
        self.latencies_s: list[float] = []
        self.own_lateness_s: list[float] = []
        self.windows: Counter[int] = Counter()
        """Responses by tenth of a second, in a closed loop."""
        self.longest_silence_s = 0.0
        """The longest time without a response, in a closed loop."""
        for number in range(connections):
            opened = socket.create_connection(("127.0.0.1", port), timeout=10)
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            opened.setblocking(False)  # noqa: FBT003 - its only parameter
            fd = opened.fileno()
            self._sockets[fd] = opened
            self._next[fd] = number * len(requests) // connections
            self._poll.register(fd, select.EPOLLIN)

    def run_closed(self, seconds: float) -> None:
        """Every connection always has one request in progress."""
        sent_at = dict.fromkeys(self._sockets, perf_counter())
        began = received = perf_counter()
        until = began + seconds
        for fd in self._sockets:
            self._send(fd)
        answered = 0
        while (now := perf_counter()) < until:
            events = self._poll.poll(0.1)
            now = perf_counter()
            window = int((now - began) / WINDOW_S)
            self.longest_silence_s = max(self.longest_silence_s, now - received)
            received = now if events else received
            for fd, _ in events:
                if not self._answered(fd):
                    continue
                answered += 1
                self.windows[window] += 1
                if answered % _SAMPLE_EVERY == 0:
                    now = perf_counter()
                    self.latencies_s.append(now - sent_at[fd])
                sent_at[fd] = now
                self._send(fd)

    def run_paced(self, seconds: float, rate: float) -> None:
        """Sends a request every 1/*rate* seconds, whether or not earlier ones were answered."""
        idle, due_at = deque(self._sockets), dict.fromkeys(self._sockets, 0.0)
        start, sent = perf_counter(), 0
        idle_since = dict.fromkeys(self._sockets, start)
        total = int(rate * seconds)
        while sent < total or len(idle) < len(self._sockets):
            now = perf_counter()
            while sent < total and idle and start + sent / rate <= now:
                fd = idle.popleft()
                due_at[fd] = due_s = start + sent / rate
                self.own_lateness_s.append(now - max(due_s, idle_since[fd]))
                sent += 1
                self._send(fd)
            events = self._poll.poll(0.0 if sent < total else 5.0)
            if not events and sent == total:
                self.errors += len(self._sockets) - len(idle)
                return
            if not events:
                sleep(min(_NAP_S, max(0.0, start + sent / rate - perf_counter())))
            for fd, _ in events:
                if self._answered(fd):
                    answered_s = idle_since[fd] = perf_counter()
                    self.latencies_s.append(answered_s - due_at[fd])
                    idle.append(fd)

    def close(self) -> None:
        for opened in self._sockets.values():
            opened.close()
        self._poll.close()

    def _send(self, fd: int) -> None:
        number = self._next[fd] = (self._next[fd] + 1) % len(self._requests)
        self._sockets[fd].send(self._requests[number])

    def _answered(self, fd: int) -> bool:
        """Whether a response is complete now. A connection that was closed is an error, and sends no more requests."""
        try:
            received = self._sockets[fd].recv(65_536)
        except ConnectionError:
            received = b""
        if not received:
            self.errors += 1
            self._poll.unregister(fd)
            return False
        before = self._partial.pop(fd, None)
        if before is not None:
            received = before + received
        end = end_of_answer(received)
        if end != len(received):
            if end > 0:
                self.errors += 1  # more than one response
            self._partial[fd] = received
            return False
        self.statuses[received[9:12]] += 1
        return True


def await_first_ready(port: int) -> None:
    """Waits until a worker listens and has a snapshot; checks 200 times a second."""
    deadline = perf_counter() + _READY_S
    while perf_counter() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as asking:
            asking.sendall(_READYZ)
            if asking.recv(4096).startswith(b"HTTP/1.1 200"):
                return
        sleep(_PROBE_S)
    raise SystemExit(f"/readyz of port {port} did not answer 200 within {_READY_S:.0f} s")


def main(
    port: int, seconds: float, connections: int, file: Path, rate: float | None, *, is_first: bool
) -> None:
    requests = read_requests(file)
    gc.disable()  # no reference cycles are created here
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
    if is_first:
        await_first_ready(port)
    generator = Generator(port, connections, requests)
    started, worked = perf_counter(), process_time()
    if rate is None:
        generator.run_closed(seconds)
    else:
        generator.run_paced(seconds, rate)
    elapsed = perf_counter() - started
    generator.close()
    latencies = generator.latencies_s or [0.0]
    own = generator.own_lateness_s or [0.0]
    outcome = {
        "requests": generator.statuses.total(),
        "windows": [generator.windows[n] for n in range(round(seconds / WINDOW_S))],
        "longest_silence_us": generator.longest_silence_s * 1e6,
        "seconds": elapsed,
        "statuses": {status.decode(): count for status, count in generator.statuses.items()},
        "errors": generator.errors,
        "busy": (process_time() - worked) / elapsed,
        **{
            f"p{name}_us": percentile(latencies, share) * 1e6
            for name, share in (("50", 0.5), ("99", 0.99), ("999", 0.999))
        },
        "max_us": max(latencies) * 1e6,
        "own_p99_us": percentile(own, 0.99) * 1e6,
        "own_max_us": max(own) * 1e6,
    }
    print(orjson.dumps(outcome).decode())


if __name__ == "__main__":
    main(
        int(sys.argv[1]),
        float(sys.argv[2]),
        int(sys.argv[3]),
        Path(sys.argv[4]),
        float(sys.argv[5]) if len(sys.argv) > 5 and sys.argv[5] != "first" else None,
        is_first=sys.argv[5:] == ["first"],
    )
