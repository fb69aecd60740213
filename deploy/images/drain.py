"""
What an edge's container runs before it is stopped: waits for load balancers, then until the event log has the spool.

``drain.py LINGER_S TIMEOUT_S``. Exits with 0 once no event on disk is waiting; with 1 after the timeout or if the
metrics cannot be read, with the reason. The events then stay on the volume.
"""

import http.client
import os
import ssl
import sys
import time

_METRIC = "placard_edge_spool_records"
_REQUEST_S = 4.0
_OK = 200


def connect(timeout_s: float) -> http.client.HTTPConnection:
    """
    To this container's own process, over mutual TLS where the settings name certificates. Isolated programs import
    nothing of ours: `healthcheck.py` has the same function. Names are not compared, because the
    certificate has the machine's. Raises OSError for a file that cannot be read.
    """
    port = int(os.environ["PLACARD_INTERNAL_PORT"])
    authority = os.environ.get("PLACARD_INTERNAL_CA_FILE")
    if not authority:
        return http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)
    context = ssl.create_default_context(cafile=authority)
    context.check_hostname = False
    context.load_cert_chain(
        os.environ["PLACARD_INTERNAL_CERTIFICATE_FILE"],
        os.environ["PLACARD_INTERNAL_CERTIFICATE_KEY_FILE"],
    )
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=timeout_s, context=context)


class NotReadable(Exception):
    """The metrics of this container's edge cannot be read."""


def count_waiting(metrics: str) -> float:
    """Events that are not settled, over all workers, in the text of Prometheus. Raises `NotReadable`."""
    values = [
        float(line.rsplit(" ", 1)[1])
        for line in metrics.splitlines()
        if line.partition(" ")[0].partition("{")[0] == _METRIC
    ]
    if not values:
        raise NotReadable(f"the metrics do not contain {_METRIC}")
    return sum(values)


def main() -> int:
    linger_s, timeout_s = (float(text) for text in sys.argv[1:])
    time.sleep(linger_s)
    until = time.monotonic() + timeout_s
    while True:
        try:
            waiting = count_waiting(_read_metrics())
        except NotReadable as error:
            sys.stderr.write(f"not drained: {error}\n")
            return 1
        if not waiting:
            return 0
        if time.monotonic() >= until:
            sys.stderr.write(f"not drained: {waiting:.0f} events stay on disk\n")
            return 1
        time.sleep(0.5)


def _read_metrics() -> str:
    try:
        connection = connect(_REQUEST_S)
        connection.request("GET", "/metrics")
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
        connection.close()
    except (OSError, http.client.HTTPException) as error:
        raise NotReadable(f"PLACARD_INTERNAL_PORT does not respond: {error}") from error
    if response.status != _OK:
        raise NotReadable(f"PLACARD_INTERNAL_PORT responds with {response.status}")
    return text


if __name__ == "__main__":
    sys.exit(main())
