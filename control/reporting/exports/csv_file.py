"""
CSV by RFC 4180: UTF-8, one header row, CRLF. None is an empty cell, a flag is ``true`` or ``false``.

Text that a spreadsheet would run as a formula is prefixed with an apostrophe (OWASP, "CSV Injection").
"""

import csv
import io
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from common.values.clock import to_iso
from control.reporting.exports.hashing_writer import HashingWriter
from control.reporting.exports.table_schema import Cells, Column, ColumnType

_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Includes the full-width forms, which some spreadsheets treat alike."""


class CsvFile:
    def __init__(self, sink: HashingWriter, columns: Sequence[Column]) -> None:
        self._sink = sink
        self._shown = [_SHOWN[column.type] for column in columns]
        self._write_lines([[column.name for column in columns]])

    def write(self, rows: Sequence[Cells]) -> None:
        shown = self._shown
        self._write_lines(
            [
                ["" if cell is None else show(cell) for show, cell in zip(shown, row, strict=True)]
                for row in rows
            ]
        )

    def finish(self) -> None:
        self._sink.flush()

    def _write_lines(self, lines: Sequence[Sequence[str]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\r\n").writerows(lines)
        self._sink.write(text.getvalue().encode())


def disarm(text: str) -> str:
    """*text* as a cell that no spreadsheet runs."""
    return f"'{text}" if text.startswith(_RUN) else text


def _flag(value: bool) -> str:  # noqa: FBT001 - the cell
    return "true" if value else "false"


def _ratio(value: float) -> str:
    """Digits without an exponent, as many as the value needs."""
    return format(Decimal(repr(value)), "f")


_SHOWN: dict[ColumnType, Callable[[Any], str]] = {
    ColumnType.TEXT: disarm,
    ColumnType.ID: str,
    ColumnType.INSTANT: to_iso,
    ColumnType.COUNT: str,
    ColumnType.CENTS: str,
    ColumnType.RATIO: _ratio,
    ColumnType.FLAG: _flag,
}
