"""Loading any module opens nothing: no socket, no file outside the code, no thread."""

import subprocess
import sys

from tests.architecture.imports import ROOT

_PROGRAM = """
import socket, sys, threading, pkgutil, importlib

def refuse(*args, **kwargs):
    raise AssertionError("a module opened a socket while it was loaded")

class Refusing(socket.socket):
    def __new__(cls, *args, **kwargs):
        refuse()

before = threading.active_count()
import asyncio, sanic, redis, aiokafka, sqlalchemy, pydantic_settings, prometheus_client, uvloop, structlog, typer
socket.socket = Refusing
for plane in ("common", "edge", "control"):
    package = importlib.import_module(plane)
    for found in pkgutil.walk_packages(package.__path__, plane + "."):
        if not found.name.endswith("__main__") and ".migrations" not in found.name:
            importlib.import_module(found.name)
assert threading.active_count() == before, "a module started a thread while it was loaded"
print("loaded")
"""


def test_loading_every_module_opens_nothing() -> None:
    outcome = subprocess.run(
        [sys.executable, "-c", _PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.strip() == "loaded"
