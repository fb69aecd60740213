"""Names of properties and slots, as far as the user may see them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ObjectNames:
    """Names by id."""

    properties: Mapping[str, str]
    slots: Mapping[str, str]

    def property_name(self, property_id: str) -> str:
        """The id where the name may not be seen."""
        return self.properties.get(property_id, property_id)

    def slot_name(self, slot_id: str) -> str:
        return self.slots.get(slot_id, slot_id)
