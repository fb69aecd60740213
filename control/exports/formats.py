"""The formats there are: what opens a file of each, how it is called, and what it is to a browser."""

from collections.abc import Mapping, Sequence

from control.exports.csv_file import CsvFile
from control.exports.ndjson_file import NdjsonFile
from control.exports.schemas import ExportFormat
from control.exports.sink import Sink
from control.exports.tables import Column, TableFile

MEDIA_TYPES = {
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.NDJSON: "application/x-ndjson",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
}


def open_file(
    form: ExportFormat, sink: Sink, columns: Sequence[Column], metadata: Mapping[str, str]
) -> TableFile:
    """Blocks: the first Parquet file of a process loads pyarrow. Only Parquet stores *metadata*."""
    match form:
        case ExportFormat.CSV:
            return CsvFile(sink, columns)
        case ExportFormat.NDJSON:
            return NdjsonFile(sink, columns)
        case ExportFormat.PARQUET:
            from control.exports.parquet_file import ParquetFile  # which takes a while to load

            return ParquetFile(sink, columns, metadata)
