"""Prints results: JSON for programs, aligned columns for people."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

Row: TypeAlias = "Mapping[str, Any]"
Printer: TypeAlias = "Callable[[str], None]"

_WIDEST = 60


class Output:
    """``as_json``: one value a line for lists, so that a pipe can read them as they come."""

    def __init__(self, write: Printer, *, as_json: bool) -> None:
        self._write = write
        self._as_json = as_json

    def item(self, value: object) -> None:
        """One object: its fields below each other."""
        if self._as_json:
            self._write(json.dumps(value, indent=2, ensure_ascii=False))
            return
        pairs = list(_flat("", value))
        width = max((len(name) for name, _ in pairs), default=0)
        for name, text in pairs:
            self._write(f"{name:<{width}}  {text}")

    def rows(self, rows: Iterable[object], columns: Sequence[str]) -> None:
        """A table, or one line of JSON for each of *rows*."""
        if self._as_json:
            for row in rows:
                self._write(json.dumps(row, ensure_ascii=False))
            return
        texts = [[_cell(cast("Row", row).get(name)) for name in columns] for row in rows]
        lines = [[name.upper() for name in columns], *texts]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            cells = (f"{text:<{width}}" for text, width in zip(line, widths, strict=True))
            self._write("  ".join(cells).rstrip())

    def line(self, row: object, columns: Sequence[str]) -> None:
        """One of a stream of rows, whose widths are not known."""
        if self._as_json:
            self._write(json.dumps(row, ensure_ascii=False))
        else:
            self._write("  ".join(_cell(cast("Row", row).get(name)) for name in columns))


def _flat(prefix: str, value: object) -> Iterable[tuple[str, str]]:
    if not isinstance(value, dict):
        yield prefix, _cell(value)
        return
    for name, part in cast("Row", value).items():
        yield from _flat(f"{prefix}.{name}" if prefix else name, part)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = "".join(one if one.isprintable() else " " for one in text)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
