"""What an edge's container runs before it is stopped, against a server of metrics."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from deploy.verified import ROOT

_PROGRAM = ROOT / "deploy/images/probe.py"


@contextmanager
def _metrics(*texts: str) -> Iterator[int]:
    """Serves *texts* one after the other, the last one for ever; gives the port."""
    left = list(texts)

    class Metrics(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Metrics)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _drain(port: int, timeout_s: float) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-I", "-S", _PROGRAM, "drain", "0", str(timeout_s)],
        env={"PLACARD_INTERNAL_PORT": str(port)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_drain_ends_once_the_spools_of_all_workers_are_empty() -> None:
    waiting = (
        'placard_edge_spool_records{worker="0"} 0\nplacard_edge_spool_records{worker="1"} 41\n'
    )
    empty = 'placard_edge_spool_records{worker="0"} 0\nplacard_edge_spool_records{worker="1"} 0\n'
    with _metrics(waiting, empty) as port:
        done = _drain(port, 50)
    assert (done.returncode, done.stderr) == (0, "")


def test_drain_gives_up_after_its_timeout_and_says_what_stays_on_disk() -> None:
    with _metrics('placard_edge_spool_records{worker="0"} 41\n') as port:
        done = _drain(port, 0)
    assert done.returncode == 1
    assert "41 events" in done.stderr


def test_drain_refuses_metrics_without_the_spool() -> None:
    with _metrics("placard_edge_spool_records_of_another 0\n") as port:
        done = _drain(port, 0)
    assert done.returncode == 1
    assert "placard_edge_spool_records" in done.stderr


def test_drain_fails_when_the_edge_does_not_respond() -> None:
    with _metrics("") as port:
        pass
    done = _drain(port, 0)
    assert done.returncode == 1
    assert "does not respond" in done.stderr
