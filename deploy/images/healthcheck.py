"""The images' health check: exits with 0 if the process in this container is ready, else with 1 and the reason."""

import http.client
import os
import ssl
import sys

_TIMEOUT_S = 4.0
_OK = 200


def connect(timeout_s: float) -> http.client.HTTPConnection:
    """
    To this container's own process, over mutual TLS where the settings name certificates. Isolated programs import
    nothing of ours: `drain.py` has the same function. Names are not compared, because the
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


def main() -> int:
    try:
        connection = connect(_TIMEOUT_S)
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        sys.stderr.write(f"PLACARD_INTERNAL_PORT does not respond: {error}\n")
        return 1
    if response.status != _OK:
        sys.stderr.write(f"not ready: {response.status} {text}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
