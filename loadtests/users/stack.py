"""Where the running stack is: what it wrote to ``$PLACARD_STATE/demo.json``."""

import os
from functools import cache
from pathlib import Path
from typing import Any

import orjson


class NoStack(SystemExit):
    """Nothing is running there."""


@cache
def demo() -> dict[str, Any]:
    path = Path(os.environ.get("PLACARD_STATE", "var")) / "demo.json"
    if not path.exists():
        raise NoStack(
            f"No running stack: {path} does not exist. Start one with `make run`, then try again."
        )
    found: dict[str, Any] = orjson.loads(path.read_bytes())
    return found
