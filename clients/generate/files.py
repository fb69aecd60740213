"""What generated files have in common."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from typing import Final

NOTICE: Final = "Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file."


def wrapped(text: str, width: int, prefix: str) -> Iterator[str]:
    """The lines of a comment."""
    for line in textwrap.wrap(" ".join(text.split()), width - len(prefix)):
        yield f"{prefix}{line}".rstrip()


def one_line(text: str) -> str:
    return " ".join(text.split())


def camel(name: str) -> str:
    """``sdk_keys`` as ``sdkKeys``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


SINGULAR: Final = {
    "campaigns": "campaign",
    "ads": "ad",
    "assets": "asset",
    "properties": "property",
    "slots": "slot",
    "sdk_keys": "key",
    "integration_keys": "key",
    "reports": "export",
}


def ruff(text: str) -> str:
    """As the project formats Python, with its imports in order and none unused."""
    command = (sys.executable, "-m", "ruff")
    options = ("--stdin-filename", "clients/python/placard/generated.py", "-")
    fixes = ("check", "--fix-only", "--select", "I,F401,RUF100", "--quiet")
    for step in (fixes, ("format",)):
        done = subprocess.run(
            [*command, *step, *options], input=text, capture_output=True, text=True, check=True
        )
        text = done.stdout
    return text
