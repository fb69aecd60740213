"""
ClickHouse's engine (chdb) behind its HTTP interface, on a port of its own, in a process of its own. The packages are in
``build/clickhouse``, where ``make test-report-store`` installs them.
"""

import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from uuid import uuid4

from deploy.standalone.sockets import find_free_ports
from tests.support.waiting import PATIENCE_S

PASSWORD = "a secret"
_PYTHON = Path(__file__).parents[2] / "build" / "clickhouse" / "bin" / "python"
# One statement at a time: the engine in this process has one session. It remembers its tables in the folder.
# As ClickHouse's server, it refuses a statement with the id of one that it has not finished.
_PROGRAM = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qsl, urlsplit
from chdb.session import Session

session, turn, running = Session(sys.argv[2]), Lock(), set()

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply(200, str(turn.locked()).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        named = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        values = {name[6:]: value for name, value in named.items() if name.startswith("param_")}
        if self.headers["X-ClickHouse-Key"] != sys.argv[3]:
            return self.reply(403, b"Code: 516. DB::Exception: Authentication failed")
        query_id = named.get("query_id")
        if query_id in running:
            return self.reply(500, b"Code: 216. DB::Exception: Query with this id is already running")
        running.update([query_id] if query_id else [])
        try:
            with turn:
                session.query("set max_query_size = " + named.get("max_query_size", "262144"))
                found = session.query(body, "TabSeparated", params=values or None)
            status, content = 200, found.bytes() if hasattr(found, "bytes") else b""
        except Exception as error:
            status, content = 500, str(error).encode()
        running.discard(query_id)
        self.reply(status, content)

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
    """`new_database` gives what ``PLACARD_REPORT_STORE_URL`` takes. `stop` kills it; its data stay."""

    def __init__(self, folder: Path) -> None:
        (self._port,) = find_free_ports(1)
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        assert _PYTHON.exists(), "run `requirements/alone.sh clickhouse` first"
        self._process = subprocess.Popen(
            [_PYTHON, "-c", _PROGRAM, str(self._port), str(self._folder), PASSWORD],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + PATIENCE_S
        while not self._responds():
            assert self._process.poll() is None, "ClickHouse ended"
            assert time.monotonic() < end, "ClickHouse does not respond"
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

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

    def is_busy(self) -> bool:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/") as response:
            return bool(response.read() == b"True")

    def _responds(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/", timeout=1):
                return True
        except (urllib.error.URLError, OSError):
            return False
