"""
Measures this machine's speed, so that absolute bars hold on any machine: bare Sanic's processor time a request, against
a reference.

The bars are written for a machine on which bare Sanic takes 52 µs of processor time a request.
"""

import tempfile
from pathlib import Path

from loadtests.bench.baselines.start import bare_sanic
from loadtests.bench.report import median
from loadtests.bench.rounds import Side, run_rounds
from loadtests.bench.slow import slowness
from loadtests.bench.wire import write_requests

REFERENCE_US = 52.0
_BODY_BYTES = 1024
_CONNECTIONS = 32
_SECONDS = 2.0
_ROUNDS = 3
_REQUEST = b"GET /v1/serve?slot=top HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def scale_of(bare_sanic_per_cpu_s: float) -> float:
    """*bare_sanic_per_cpu_s*: requests a second of processor time, in the same run. ``SLOW`` multiplies the result."""
    return 1e6 / bare_sanic_per_cpu_s / REFERENCE_US * slowness()


def measure_scale() -> float:
    """Runs bare Sanic alone for some seconds, for a bench that does not run it beside its own server."""
    with tempfile.TemporaryDirectory() as name, bare_sanic(Path(name), _BODY_BYTES) as running:
        requests = Path(name) / "serve"
        write_requests(requests, [_REQUEST])
        side = Side("bare_sanic", running.port, requests, frozenset({"200"}), running.pid)
        run_rounds([side], rounds=_ROUNDS, seconds=_SECONDS, connections=_CONNECTIONS)
    return scale_of(median(side.per_cpu_s))
