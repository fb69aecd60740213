"""The table that an export writes in any format: named columns, and rows that arrive in pages."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol


class ColumnType(Enum):
    """The type of a column's cells; any cell may be None."""

    TEXT = 0
    """str. Other parties may choose how it begins, so spreadsheet formulas are disarmed."""
    ID = 1
    """str: an id, or a word of Placard's vocabulary."""
    INSTANT = 2
    """Aware datetime."""
    COUNT = 3
    """int of 64 bits."""
    CENTS = 4
    """int of 64 bits."""
    RATIO = 5
    """float."""
    FLAG = 6
    """bool."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: ColumnType


Cells = tuple[Any, ...]
"""A row: a value for each column."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Each page comes with the finished share of the whole, 0 to 1, an estimate that never falls."""

    columns: Sequence[Column]
    pages: AsyncIterator[tuple[Sequence[Cells], float]]
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Facts about the whole table; formats without metadata leave them out."""


class TableFile(Protocol):
    """One file of one format, written from start to end. Its methods block: call them in a thread."""

    def write(self, rows: Sequence[Cells]) -> None: ...

    def finish(self) -> None:
        """Writes the end of the file. Without it the file is not valid."""
