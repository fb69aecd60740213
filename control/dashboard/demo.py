"""The demo of a one-machine stack, as ``demo.json`` describes it."""

from dataclasses import dataclass
from pathlib import Path

import orjson


@dataclass(frozen=True, slots=True)
class DemoStack:
    account_id: str
    property_id: str
    edge_live_url: str
    publishable_key: str
    slot_keys: tuple[str, ...]


def find_demo(state: Path) -> DemoStack | None:
    """None where no demo runs with this state folder, or its description cannot be read."""
    try:
        values = orjson.loads((state / "demo.json").read_bytes())
        return DemoStack(
            values["account_id"],
            values["property"]["id"],
            values["edge_live_url"],
            values["keys"]["pk_live"]["key"],
            tuple(slot["key"] for slot in values["slots"].values()),
        )
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return None
