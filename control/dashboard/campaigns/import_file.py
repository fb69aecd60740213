"""Parses a file of campaigns: one a line, with or without a heading, separated by commas, semicolons or tabs."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from common.values.errors import Refused, invalid
from common.values.messages import Message
from control.demand.campaigns.schemas import CampaignCreate
from control.foundation.resource_models import field_schemas

MAX_LINES = 500
_NOT_IN_A_CELL = ("attribution", "frequency_caps", "metadata", "targeting")
COLUMNS = tuple(
    name for name in field_schemas(CampaignCreate) if name.partition(".")[0] not in _NOT_IN_A_CELL
)
"""The fields of the API, by their dotted names."""
USUAL_COLUMNS = ("external_ref", "name", "bid_cents", "start_at", "end_at")
"""Of a file without a heading."""
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class FileLine:
    """``number``: of its first line in the file, from 1. ``cells``: the values as written, up to the last with text."""

    number: int
    cells: Sequence[str]


@dataclass(frozen=True, slots=True)
class ImportFile:
    """``heading``: the first line as it is in the file; empty where it names no columns."""

    delimiter: str
    heading: Sequence[str]
    columns: Sequence[str]
    lines: Sequence[FileLine]

    def values_of(self, line: FileLine) -> Mapping[str, str]:
        """The values of *line* by column, without empty ones. Raises `Refused` where there are more than columns."""
        if len(line.cells) > len(self.columns):
            raise _refused(
                "length",
                Message(
                    "The line has {values} values for {columns} columns.",
                    values=len(line.cells),
                    columns=len(self.columns),
                ),
            )
        found = zip(self.columns, line.cells, strict=False)
        return {name: text for name, cell in found if (text := cell.strip())}

    def text_of(self, lines: Iterable[FileLine]) -> str:
        """A file of some of the lines, below the same heading; "" where there are none."""
        chosen = [one.cells for one in lines]
        if not chosen:
            return ""
        text = io.StringIO()
        writer = csv.writer(text, delimiter=self.delimiter, lineterminator="\n")
        writer.writerows([self.heading, *chosen] if self.heading else chosen)
        return text.getvalue()


def parse_file(text: str) -> ImportFile:
    """Raises `Refused` at the field ``lines``: nothing to import, too many lines, unknown columns."""
    text = text.removeprefix("\ufeff")
    first, _, _ = text.lstrip().partition("\n")
    delimiter = max(_DELIMITERS, key=first.count)
    lines, count = [], 0
    for number, row in _rows(text, delimiter):
        cells = _without_empty_end(row)
        count += bool(cells)
        if cells and count <= MAX_LINES + 1:  # a mebibyte has half a million
            lines.append(FileLine(number, cells))
    heading = _heading_of(lines[0].cells) if lines else ()
    listed, count = (lines[1:], count - 1) if heading else (lines, count)
    if not listed:
        raise _refused("required", Message("Paste the lines of a file, or choose a file."))
    if count > MAX_LINES:
        raise _refused(
            "length",
            Message(
                "There are {lines:,} lines. At most {max_lines:,} are imported at once: split the file.",
                lines=count,
                max_lines=MAX_LINES,
            ),
        )
    return ImportFile(
        delimiter, lines[0].cells if heading else (), heading or USUAL_COLUMNS, listed
    )


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """
    Yields each row with the number of its first line. Raises `Refused` where a quotation mark is not closed: the lines
    after it would become one value.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 1
    try:
        for row in reader:
            yield number, row
            number = reader.line_num + 1
    except csv.Error:
        raise _refused(
            "syntax",
            Message("Line {line} cannot be read. Check its quotation marks.", line=number),
        ) from None


def _without_empty_end(cells: list[str]) -> list[str]:
    """Spreadsheets write separators after the last value."""
    count = len(cells)
    while count and not cells[count - 1].strip():
        count -= 1
    return cells[:count]


def _heading_of(cells: Sequence[str]) -> Sequence[str]:
    """The columns that a first line names; empty where it names none of them. Raises `Refused` for others."""
    names = [cell.strip().lower() for cell in cells]
    if not set(names) & set(COLUMNS):
        return ()
    unknown = [name or "–" for name in names if name not in COLUMNS]
    if unknown:
        raise _refused(
            "unknown_column",
            Message("Unknown columns: {names}. Rename or remove them.", names=", ".join(unknown)),
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise _refused(
            "repeated", Message("The column {name} is there twice. Remove one.", name=twice)
        )
    return names


def _refused(code: str, message: Message) -> Refused:
    return invalid("lines", code, message)
