"""Where finished exports lie, as the control plane sees it. They are private: no public address leads to one."""

from datetime import datetime
from typing import Any, BinaryIO, Protocol

from common.values.errors import Unavailable


class ExportsUnavailable(Unavailable):
    """The store does not answer, or refuses us. A name shows either all of a file or nothing."""

    def __init__(self) -> None:
        super().__init__(
            "The store of exports does not answer. Nothing was changed; try again shortly.",
            retry_after_s=5,
        )


class ExportStore(Protocol):
    """
    Files by name, ``<id>/<number>``. Every method may wait for the outside and must not be called inside a
    transaction. The outside away: `ExportsUnavailable` within seconds, a large file's time apart.
    """

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:
        """Durable at return. *file* is read from its start."""

    async def remove(self, name: str) -> None:
        """Fine where there is none."""

    async def link(self, name: str, *, filename: str, media_type: str, expires_at: datetime) -> str:
        """Where whoever holds it reads the file as *filename*, until *expires_at*; nobody looks whether it is there."""

    async def tidy(self, before: datetime) -> None:
        """Remove what calls broken off before then have left, and no name shows."""


class NoExports:
    """Where none was built: it is always away."""

    async def put(self, *_: Any, **__: Any) -> None:
        raise ExportsUnavailable

    async def remove(self, *_: Any) -> None:
        raise ExportsUnavailable

    async def link(self, *_: Any, **__: Any) -> str:
        raise ExportsUnavailable

    async def tidy(self, *_: Any) -> None:
        raise ExportsUnavailable
