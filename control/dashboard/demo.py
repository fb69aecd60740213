"""The demo of a one-machine stack, as ``demo.json`` describes it."""

from dataclasses import dataclass
from pathlib import Path

import orjson

from common.values.environment import Environment


@dataclass(frozen=True, slots=True)
class DemoStack:
    account_id: str
    property_id: str
    edge_live_url: str
    edge_test_url: str
    publishable_key: str
    test_key: str
    """A publishable key, as the other."""
    slot_keys: tuple[str, ...]

    def edge_of(self, environment: Environment) -> tuple[str, str]:
        """The address of the edge, and a key to it."""
        if environment is Environment.TEST:
            return self.edge_test_url, self.test_key
        return self.edge_live_url, self.publishable_key


def find_demo(state: Path) -> DemoStack | None:
    """None where no demo runs with this state folder, or its description cannot be read."""
    try:
        values = orjson.loads((state / "demo.json").read_bytes())
        return DemoStack(
            values["account_id"],
            values["property"]["id"],
            values["edge_live_url"],
            values["edge_test_url"],
            values["keys"]["pk_live"]["key"],
            values["keys"]["pk_test"]["key"],
            tuple(slot["key"] for slot in values["slots"].values()),
        )
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError):
        return None
