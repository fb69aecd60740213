"""The file formats of exports: their media types, and the function that opens a file of each."""

from collections.abc import Mapping, Sequence

from control.reporting.exports.csv_file import CsvFile
from control.reporting.exports.hashing_writer import HashingWriter
from control.reporting.exports.ndjson_file import NdjsonFile
from control.reporting.exports.schemas import ExportFormat
from control.reporting.exports.table_schema import Column, TableFile

MEDIA_TYPES = {
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.NDJSON: "application/x-ndjson",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
}


def open_file(
    form: ExportFormat, sink: HashingWriter, columns: Sequence[Column], metadata: Mapping[str, str]
) -> TableFile:
    """Blocks: the first Parquet file of a process loads pyarrow. Only Parquet stores *metadata*."""
    match form:
        case ExportFormat.CSV:
            return CsvFile(sink, columns)
        case ExportFormat.NDJSON:
            return NdjsonFile(sink, columns)
        case ExportFormat.PARQUET:
            from control.reporting.exports.parquet_file import (
                ParquetFile,  # slow to load
            )

            return ParquetFile(sink, columns, metadata)
