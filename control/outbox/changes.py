"""
What one transaction changed that edges must know.

Domain code only says which object it touched; at the end of the transaction `outbox.flush` reads those rows,
compiles them and writes the delta. So an object changed three times travels once, in its last form.
"""

from common.snapshot.model import ObjectType


class Changes:
    def __init__(self) -> None:
        self._touched: dict[tuple[ObjectType, str], None] = {}

    def touch(self, kind: ObjectType, object_id: str) -> None:
        """Say that *object_id* was made, changed or removed in this transaction."""
        self._touched[(kind, object_id)] = None

    @property
    def touched(self) -> tuple[tuple[ObjectType, str], ...]:
        """In the order of first touch."""
        return tuple(self._touched)

    def __bool__(self) -> bool:
        return bool(self._touched)
