"""
The addresses and keys of the stack under load: ``demo.json`` of ``LOAD_DEMO``, or else of ``$PLACARD_STATE``.

A stack elsewhere, in containers or behind a URL, is loaded by a file of the same form, as `make demo` prints it.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any

import orjson


class NoStack(SystemExit):
    """No stack is running."""


def state() -> Path:
    return Path(os.environ.get("PLACARD_STATE", "var"))


def is_server() -> bool:
    """Whether readers use the secret key: ``LOAD_KEY=secret``."""
    return os.environ.get("LOAD_KEY", "publishable") == "secret"


@cache
def demo() -> dict[str, Any]:
    path = Path(os.environ.get("LOAD_DEMO") or state() / "demo.json")
    if not path.exists():
        raise NoStack(
            f"No running stack: {path} does not exist. Start one with `make run`, then try again."
        )
    found: dict[str, Any] = orjson.loads(path.read_bytes())
    return found


def find_database_url() -> str | None:
    """``LOAD_DATABASE_URL``, or that of the stack on this machine; None: the oracle cannot look."""
    given = os.environ.get("LOAD_DATABASE_URL")
    path = state() / "environment.json"
    if given or "LOAD_DEMO" in os.environ or not path.exists():
        return given
    found: str = orjson.loads(path.read_bytes())["PLACARD_DATABASE_URL"]
    return found
