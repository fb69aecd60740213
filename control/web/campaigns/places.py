"""Properties and slots by their names, as far as the reader may see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Places:
    """As the API gives them."""

    properties: Sequence[dict[str, Any]]
    slots: Sequence[dict[str, Any]]

    def property_name(self, property_id: str) -> str:
        """The id where the name may not be seen."""
        found = (one["name"] for one in self.properties if one["id"] == property_id)
        return str(next(found, property_id))

    def slot_name(self, slot_id: str) -> str:
        found = next((one for one in self.slots if one["id"] == slot_id), None)
        return f"{found['name']} ({self.property_name(found['property_id'])})" if found else slot_id

    def slots_of(self, property_ids: Sequence[str]) -> list[dict[str, Any]]:
        """All of them where no property is named."""
        return [one for one in self.slots if not property_ids or one["property_id"] in property_ids]
