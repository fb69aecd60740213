"""The addresses of the running stack, read from ``$PLACARD_STATE/demo.json``."""

import os
from functools import cache
from pathlib import Path
from typing import Any

import orjson


class NoStack(SystemExit):
    """No stack is running."""


@cache
def demo() -> dict[str, Any]:
    path = Path(os.environ.get("PLACARD_STATE", "var")) / "demo.json"
    if not path.exists():
        raise NoStack(
            f"No running stack: {path} does not exist. Start one with `make run`, then try again."
        )
    found: dict[str, Any] = orjson.loads(path.read_bytes())
    return found
