"""The images' health check: exits with 0 if the process in this container is ready, else with 1 and the reason."""

import http.client
import os
import sys

_TIMEOUT_S = 4.0
_OK = 200


def main() -> int:
    port = int(os.environ["PLACARD_INTERNAL_PORT"])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        sys.stderr.write(f"127.0.0.1:{port} does not answer: {error}\n")
        return 1
    if response.status != _OK:
        sys.stderr.write(f"not ready: {response.status} {text}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
