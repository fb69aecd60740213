"""An S3 API on a port of its own, in a process of its own."""

import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from deploy.standalone.sockets import find_free_ports
from tests.support.waiting import PATIENCE_S

# One call at a time: the backend behind it keeps its books without locks.
_PROGRAM = """
import sys
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple
app = DomainDispatcherApplication(create_backend_app)
run_simple("127.0.0.1", int(sys.argv[1]), app, threaded=False)
"""
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class S3Server:
    """`make_bucket` gives what ``PLACARD_ASSETS_STORE`` takes. `freeze`, `thaw` and `stop` make faults."""

    def __init__(self) -> None:
        (self._port,) = find_free_ports(1)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(self._port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + PATIENCE_S
        while not self._answers():
            assert self._process.poll() is None, "the S3 server ended"
            assert time.monotonic() < end, "the S3 server does not answer"
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def make_bucket(self, name: str) -> str:
        self._ask("PUT", f"/{name}")
        return f"s3://{name}/media?endpoint={self.url}&region=us-east-1"

    def _ask(self, method: str, path: str) -> None:
        request = urllib.request.Request(self.url + path, method=method)  # noqa: S310 - our own server
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - as above
            answer.read()

    def _answers(self) -> bool:
        try:
            self._ask("GET", "/moto-api/")
        except (urllib.error.URLError, ConnectionError):
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)
