"""ClickHouse's engine (chdb) behind its HTTP interface, on a port of its own, in a process of its own."""

import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from uuid import uuid4

from deploy.standalone.sockets import find_free_ports
from tests.support.waiting import PATIENCE_S

PASSWORD = "a secret"
# One statement at a time: the engine in this process has one session. It remembers its tables in the folder.
_PROGRAM = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qsl, urlsplit
from chdb.session import Session

session, turn = Session(sys.argv[2]), Lock()

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply(200, b"Ok.")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        named = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        values = {name[6:]: value for name, value in named.items() if name.startswith("param_")}
        if self.headers["X-ClickHouse-Key"] != sys.argv[3]:
            return self.reply(403, b"Code: 516. DB::Exception: Authentication failed")
        try:
            with turn:
                found = session.query(body, "TabSeparated", params=values or None)
            self.reply(200, found.bytes() if found is not None and hasattr(found, "bytes") else b"")
        except Exception as error:
            self.reply(500, str(error).encode())

    def reply(self, status, content):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *rest):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


class ClickHouseServer:
    """`new_database` gives what ``PLACARD_REPORT_STORE_URL`` takes. `freeze`, `thaw` and `stop` make faults."""

    def __init__(self, folder: Path) -> None:
        (self._port,) = find_free_ports(1)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(self._port), str(self._folder), PASSWORD],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + PATIENCE_S
        while not self._responds():
            assert self._process.poll() is None, "ClickHouse ended: is `chdb` installed?"
            assert time.monotonic() < end, "ClickHouse does not respond"
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

    def new_database(self) -> str:
        name = f"d{uuid4().hex[:12]}"
        self.query(f"create database {name}")
        return f"http://default:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self._port}/{name}"

    def query(self, statement: str) -> str:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._port}/",
            data=statement.encode(),
            headers={"X-ClickHouse-Key": PASSWORD},
        )
        with urllib.request.urlopen(request) as response:  # noqa: S310 - our own address
            content: bytes = response.read()
        return content.decode()

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _responds(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/", timeout=1):
                return True
        except (urllib.error.URLError, OSError):
            return False
