"""
An application of yours that opens a campaign screen of Placard inside its own page.

    PLACARD_KEY=ak_test_… PLACARD_URL=http://127.0.0.1:8000 python3 host.py

The key stays in this process: the page asks it for a session, and gets an address that is good for one window. Needs
nothing but Python.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PLACARD_URL = os.environ.get("PLACARD_URL", "http://127.0.0.1:8000")
# How browsers reach it, where that is another way than this process takes.
PUBLIC_URL = os.environ.get("PLACARD_PUBLIC_URL", PLACARD_URL)
PLACARD_KEY = os.environ["PLACARD_KEY"]
PORT = int(os.environ.get("PORT", "9000"))

HERE = Path(__file__).parent
PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/host.js": ("host.js", "text/javascript; charset=utf-8"),
}


class Host(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """The page, which may load Placard's script and frame Placard's windows, and nothing else."""
        if self.path not in PAGES:
            self.send_error(404)
            return
        name, kind = PAGES[self.path]
        text = (HERE / name).read_text("utf-8").replace("{placard_url}", PUBLIC_URL)
        policy = (
            "default-src 'self'; img-src data:; "
            f"script-src 'self' {PUBLIC_URL}; frame-src {PUBLIC_URL}"
        )
        self.answer(200, text.encode(), kind, {"Content-Security-Policy": policy})

    def do_POST(self) -> None:
        """
        A session for whoever is signed in here: ask that first in an application of yours. Another site's page cannot
        have one, for browsers say where a request comes from.
        """
        if self.path != "/embed-session" or self.headers.get("Origin") != self.own_origin():
            self.send_error(404)
            return
        status, body = ask_for_session(self.own_origin())
        self.answer(status, body, "application/json", {"Cache-Control": "no-store"})

    def own_origin(self) -> str:
        return f"http://localhost:{self.server.server_address[1]}"

    def answer(self, status: int, body: bytes, kind: str, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Type": kind, "Content-Length": len(body)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)


def ask_for_session(origin: str) -> tuple[int, bytes]:
    """Placard's own answer, an error too: it says what to do next."""
    request = urllib.request.Request(
        f"{PLACARD_URL}/v1/embed/sessions",
        data=json.dumps({"component": "campaign_create", "origin": origin}).encode(),
        headers={"Authorization": f"Bearer {PLACARD_KEY}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Host)
    print(f"http://localhost:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)
