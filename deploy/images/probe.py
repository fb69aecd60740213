"""
Programs of a container that ask its own process: the images' health check, and what an edge runs before it is stopped.
Each exits with 0, or with 1 and the reason.

``probe.py ready``: the process is ready. ``probe.py drain LINGER_S TIMEOUT_S``: waits for load balancers, then until
the event log has every event on the edge's disk. After the timeout, the events stay on the volume.
"""

import http.client
import os
import ssl
import sys
import time

_METRIC = "placard_edge_spool_records"
_TIMEOUT_S = 4.0
_OK = 200


class Failed(Exception):
    """The message is the reason."""


def main() -> int:
    try:
        match sys.argv[1:]:
            case ["ready"]:
                _read("/readyz")
            case ["drain", linger_s, timeout_s]:
                _drain(float(linger_s), float(timeout_s))
            case _:
                sys.exit("usage: probe.py ready, or probe.py drain LINGER_S TIMEOUT_S")
    except Failed as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _drain(linger_s: float, timeout_s: float) -> None:
    time.sleep(linger_s)
    until = time.monotonic() + timeout_s
    while waiting := _count_waiting(_read("/metrics")):
        if time.monotonic() >= until:
            raise Failed(f"not drained: {waiting:.0f} events stay on disk")
        time.sleep(0.5)


def _count_waiting(metrics: str) -> float:
    """Events that are not settled, over all workers, in the text of Prometheus."""
    values = [
        float(line.rsplit(" ", 1)[1])
        for line in metrics.splitlines()
        if line.partition(" ")[0].partition("{")[0] == _METRIC
    ]
    if not values:
        raise Failed(f"not drained: the metrics do not contain {_METRIC}")
    return sum(values)


def _read(path: str) -> str:
    try:
        connection = _connect()
        connection.request("GET", path)
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
        connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise Failed(f"PLACARD_INTERNAL_PORT does not respond: {error}") from error
    if response.status != _OK:
        raise Failed(f"PLACARD_INTERNAL_PORT responds to {path} with {response.status} {text}")
    return text


def _connect() -> http.client.HTTPConnection:
    """
    Over mutual TLS where the settings name certificates. Names are not compared, because the certificate has the
    machine's. Raises OSError for a file that cannot be read.
    """
    port = int(os.environ["PLACARD_INTERNAL_PORT"])
    authority = os.environ.get("PLACARD_INTERNAL_CA_FILE")
    if not authority:
        return http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    context = ssl.create_default_context(cafile=authority)
    context.check_hostname = False
    context.load_cert_chain(
        os.environ["PLACARD_INTERNAL_CERTIFICATE_FILE"],
        os.environ["PLACARD_INTERNAL_CERTIFICATE_KEY_FILE"],
    )
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=_TIMEOUT_S, context=context)


if __name__ == "__main__":
    sys.exit(main())
