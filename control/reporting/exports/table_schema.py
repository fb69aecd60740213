"""What an export writes, whatever its format: named columns, and rows that come in pages."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol


class ColumnType(Enum):
    """What the cells of a column are; any may be None."""

    TEXT = 0
    """str. May begin with what somebody else chose, so a spreadsheet's formulas are disarmed."""
    ID = 1
    """str: an id, or a word of our own."""
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
    """``done``, with each page: the share of the whole that has come, 0 to 1, an estimate that never falls."""

    columns: Sequence[Column]
    pages: AsyncIterator[tuple[Sequence[Cells], float]]
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Facts about the whole table; formats without a place for metadata leave them out."""


class TableFile(Protocol):
    """One file of one format, written from its start to its end. Its methods block: call them in a thread."""

    def write(self, rows: Sequence[Cells]) -> None: ...

    def finish(self) -> None:
        """Everything is in the file. Without this it is no good one."""
