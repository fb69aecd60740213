"""Where a reader of events keeps its position."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol


class CursorStore(Protocol):
    """A row of your database, a key of your cache: anything that survives the process."""

    def load(self) -> str | None:
        """The cursor saved last; None before the first."""
        ...

    def save(self, cursor: str) -> None:
        """Called when every event before *cursor* has been handled."""
        ...


class CursorFile:
    """A file that is replaced as a whole, so that a crash leaves the old cursor or the new one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)

    def load(self) -> str | None:
        with suppress(FileNotFoundError):
            return self._path.read_text(encoding="utf-8").strip() or None
        return None

    def save(self, cursor: str) -> None:
        new = self._path.with_name(f"{self._path.name}.new")
        with new.open("w", encoding="utf-8") as file:
            file.write(cursor)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._path)
