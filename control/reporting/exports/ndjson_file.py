"""One JSON object a line, with the names and values of the API."""

from collections.abc import Sequence

import orjson

from common.values.clock import to_iso
from control.reporting.exports.hashing_writer import HashingWriter
from control.reporting.exports.table_schema import Cells, Column, ColumnType


class NdjsonFile:
    def __init__(self, sink: HashingWriter, columns: Sequence[Column]) -> None:
        self._sink = sink
        self._names = [column.name for column in columns]
        self._instants = [
            place for place, column in enumerate(columns) if column.type is ColumnType.INSTANT
        ]

    def write(self, rows: Sequence[Cells]) -> None:
        self._sink.write(b"".join(map(self._line, rows)))

    def finish(self) -> None:
        self._sink.flush()

    def _line(self, row: Cells) -> bytes:
        cells = list(row)
        for place in self._instants:
            if cells[place] is not None:
                cells[place] = to_iso(cells[place])
        item = dict(zip(self._names, cells, strict=True))
        return orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE)
