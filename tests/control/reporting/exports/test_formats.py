"""The formats alone: what a spreadsheet must not run, what a type must not lose, and how much is held."""

import csv
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from pyarrow import parquet

from control.reporting.exports.formats import open_file
from control.reporting.exports.hashing_writer import HashingWriter, TooLarge
from control.reporting.exports.schemas import ExportFormat
from control.reporting.exports.table_schema import Cells, Column, ColumnType

COLUMNS = [Column(type_.name.lower(), type_) for type_ in ColumnType]
METADATA = {"currency": "BRL"}
AT = datetime(2026, 2, 1, 12, 0, 0, 250_000, tzinfo=UTC)
ROW: Cells = ("=1+1", "019c", AT, -3, 2**53 + 1, 0.1, True)


def written(form: ExportFormat, rows: list[Cells], columns: list[Column] = COLUMNS) -> bytes:
    file = io.BytesIO()
    table = open_file(form, HashingWriter(file, max_bytes=1 << 30), columns, METADATA)
    table.write(rows)
    table.finish()
    return file.getvalue()


def of_csv(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_text_that_would_run_in_a_spreadsheet_is_disarmed(first: str) -> None:
    name = [Column("name", ColumnType.TEXT)]

    _, (cell,) = of_csv(written(ExportFormat.CSV, [(f"{first}cmd|'/c calc'!A0",)], name))

    assert cell == f"'{first}cmd|'/c calc'!A0"


def test_names_of_people_and_numbers_are_left_as_they_are() -> None:
    columns = [Column("name", ColumnType.TEXT), Column("count", ColumnType.COUNT)]

    rows = of_csv(written(ExportFormat.CSV, [('Ana "Bia", Ltda.\nRio', -3)], columns))

    assert rows[1] == ['Ana "Bia", Ltda.\nRio', "-3"]


def test_csv_shows_every_type() -> None:
    rows = of_csv(written(ExportFormat.CSV, [ROW, (None,) * len(ROW)]))

    shown = ["'=1+1", "019c", "2026-02-01T12:00:00.250Z", "-3", "9007199254740993", "0.1", "true"]
    assert rows[1:] == [shown, [""] * len(ROW)]


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [(1.2e-05, "0.000012"), (1e22, "1" + "0" * 22), (1 / 3, repr(1 / 3)), (0.0, "0.0")],
)
def test_csv_writes_ratios_in_digits_alone(ratio: float, shown: str) -> None:
    _, (cell,) = of_csv(written(ExportFormat.CSV, [(ratio,)], [Column("ctr", ColumnType.RATIO)]))

    assert cell == shown


def test_ndjson_and_parquet_keep_every_value() -> None:
    nothing = (None,) * len(ROW)
    names = [column.name for column in COLUMNS]

    lines = [orjson.loads(one) for one in written(ExportFormat.NDJSON, [ROW, nothing]).splitlines()]
    table = parquet.read_table(io.BytesIO(written(ExportFormat.PARQUET, [ROW, nothing])))

    as_json = dict(zip(names, ROW, strict=True)) | {"instant": "2026-02-01T12:00:00.250Z"}
    assert lines == [as_json, dict.fromkeys(names)]
    assert table.to_pylist() == [dict(zip(names, row, strict=True)) for row in (ROW, nothing)]
    assert table.schema.metadata[b"placard.currency"] == b"BRL"


def test_parquet_is_written_a_group_of_rows_at_a_time(tmp_path: Path) -> None:
    columns = [Column("count", ColumnType.COUNT)]

    with (tmp_path / "file").open("wb") as file:
        sink = HashingWriter(file, max_bytes=1 << 30)
        table = open_file(ExportFormat.PARQUET, sink, columns, {})
        lengths = []
        for page in range(12):
            table.write([(page * 5000 + number,) for number in range(5000)])
            lengths.append(sink.size_bytes)
        table.finish()

    found = parquet.ParquetFile(tmp_path / "file")
    groups = [found.metadata.row_group(place).num_rows for place in range(2)]
    assert (found.metadata.num_row_groups, groups) == (2, [50_000, 10_000])
    assert lengths[8] < 10 < lengths[9] == lengths[11]
    assert found.read().column("count").to_pylist() == list(range(60_000))


@pytest.mark.parametrize("form", list(ExportFormat))
def test_a_file_beyond_its_bound_is_not_written_on(form: ExportFormat) -> None:
    file = io.BytesIO()

    def write() -> Any:
        table = open_file(form, HashingWriter(file, max_bytes=500), COLUMNS, {})
        table.write([ROW] * 100)
        table.finish()

    with pytest.raises(TooLarge):
        write()
    assert len(file.getvalue()) <= 500
