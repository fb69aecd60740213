"""The IAB's own consent libraries, in Node, installed from a lock where they are not yet."""

import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.support import npm

FOLDER = Path(__file__).parents[1] / "common" / "privacy" / "oracle"


def install() -> None:
    npm.install(FOLDER)


def made(seed: int, count: int) -> list[tuple[str, str, dict[str, Any]]]:
    """Kind (`tcf` or `gpp`), string and fields, encoded and decoded by the libraries."""
    return [tuple(line) for line in _run("make", str(seed), str(count))]


def read(strings: Iterable[tuple[str, str]]) -> Sequence[dict[str, Any] | None]:
    """Fields of each kind and string as the libraries decode them; None where they refuse."""
    return _run("read", given="".join(f"{json.dumps(one)}\n" for one in strings))


def _run(*arguments: str, given: str = "") -> list[Any]:
    done = subprocess.run(
        ["node", "oracle.mjs", *arguments],
        cwd=FOLDER,
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
