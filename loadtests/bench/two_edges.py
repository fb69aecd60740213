"""A second live machine beside a running stack, and traffic for both, to check that a change reaches all workers."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from deploy.standalone.background import Background
from deploy.standalone.process import list_below
from loadtests.bench.servers import await_ready, end, free_port
from loadtests.bench.wire import write_requests


@contextmanager
def traffic(request: bytes, ports: Sequence[int], rate: float) -> Iterator[None]:
    """*rate* requests a second, divided among *ports*, from separate processes."""
    with tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp") as folder:
        file = Path(folder) / "requests"
        write_requests(file, [request])
        running = [
            subprocess.Popen(
                [
                    *(sys.executable, "-m", "loadtests.bench.generator"),
                    *(str(port), "3600", "8", str(file), str(rate / len(ports))),
                ],
                stdout=subprocess.DEVNULL,
            )
            for port in ports
        ]
        try:
            yield
            if any(process.poll() is not None for process in running):
                raise SystemExit("a generator ended before the bench did")
        finally:
            for process in running:
                end(process)


@contextmanager
def second_edge(stack: Background) -> Iterator[tuple[int, list[int]]]:
    """Another live machine beside the stack's: its port, and its workers."""
    port, internal = free_port(), free_port()
    folder = stack.state / "second"
    own = {
        "PLACARD_ENVIRONMENT": "live",
        "PLACARD_EDGE_NAME": "edge-second",
        "PLACARD_EDGE_PORT": str(port),
        "PLACARD_EDGE_URL": f"http://127.0.0.1:{port}",
        "PLACARD_EDGE_WORKERS": "2",
        "PLACARD_SPOOL_DIR": str(folder / "spool"),
        "PLACARD_SNAPSHOT_DIR": str(folder / "snapshot"),
        "PLACARD_INTERNAL_PORT": str(internal),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "edge"], env={**os.environ, **stack.environment, **own}
    )
    try:
        await_ready(internal, "/readyz")
        yield port, [pid for pid in list_below(process.pid) if _is_worker(pid)]
    finally:
        end(process)


def _is_worker(pid: int) -> bool:
    return b"edge.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
