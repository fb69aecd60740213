"""
Parquet in row groups, of which only one is held in memory.

Instants are milliseconds UTC, counts and cents 64 bits, ids and words text. All columns are nullable and compressed
with zstd. Facts about the whole table are in the schema's key-value metadata, under ``placard.`` names.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from control.reporting.exports.hashing_writer import HashingWriter
from control.reporting.exports.table_schema import Cells, Column, ColumnType

_GROUP_ROWS = 50_000
_TYPES: dict[ColumnType, Any] = {
    ColumnType.TEXT: pa.string(),
    ColumnType.ID: pa.string(),
    ColumnType.INSTANT: pa.timestamp("ms", tz="UTC"),
    ColumnType.COUNT: pa.int64(),
    ColumnType.CENTS: pa.int64(),
    ColumnType.RATIO: pa.float64(),
    ColumnType.FLAG: pa.bool_(),
}


class ParquetFile:
    """Converts pages into columns as they arrive; columns take a fraction of the memory of Python rows."""

    def __init__(
        self, sink: HashingWriter, columns: Sequence[Column], metadata: Mapping[str, str]
    ) -> None:
        self._schema = pa.schema(
            [(column.name, _TYPES[column.type]) for column in columns],
            metadata={f"placard.{name}": value for name, value in metadata.items()},
        )
        self._writer = parquet.ParquetWriter(
            pa.PythonFile(sink, mode="w"), self._schema, compression="zstd"
        )
        self._waiting: list[Any] = []
        self._waiting_rows = 0

    def write(self, rows: Sequence[Cells]) -> None:
        if not rows:
            return
        cells = zip(*rows, strict=True)
        arrays = [
            pa.array(column, type=field.type)
            for column, field in zip(cells, self._schema, strict=True)
        ]
        self._waiting.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._waiting_rows += len(rows)
        if self._waiting_rows >= _GROUP_ROWS:
            self._write_group()

    def finish(self) -> None:
        if self._waiting:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        group = pa.Table.from_batches(self._waiting, schema=self._schema)
        self._waiting, self._waiting_rows = [], 0
        self._writer.write_table(group, row_group_size=_GROUP_ROWS)
