"""
Snapshot objects changed by one transaction.

Domain code only names the objects that it touched. At the end of the transaction, `outbox.flush` reads their rows,
compiles them and writes the delta. So an object that was changed three times is sent once, in its last form.
"""

from common.snapshot.model import ObjectType


class Changes:
    def __init__(self) -> None:
        self._touched: dict[tuple[ObjectType, str], None] = {}

    def touch(self, kind: ObjectType, object_id: str) -> None:
        """Marks *object_id* as created, changed or removed in this transaction."""
        self._touched[(kind, object_id)] = None

    @property
    def touched(self) -> tuple[tuple[ObjectType, str], ...]:
        """The touched objects in the order of first touch."""
        return tuple(self._touched)

    def __bool__(self) -> bool:
        return bool(self._touched)
