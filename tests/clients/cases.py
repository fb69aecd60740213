"""The conformance cases as files have them."""

from typing import Any

import orjson

from tests.clients.publisher import ROOT

FOLDER = ROOT / "clients" / "contract"
CASE_FILES = ("requests", "outcomes", "retries", "tokens", "views", "servers")


def cases(name: str) -> list[Any]:
    """Those of one file, by its name without the ending."""
    return list(orjson.loads((FOLDER / f"{name}.json").read_bytes())["cases"])


def answers() -> dict[str, Any]:
    return dict(orjson.loads((FOLDER / "answers.json").read_bytes()))


def name_of(case: Any) -> str:
    return str(case["name"]).replace(" ", "-")
