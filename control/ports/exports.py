"""Interface to the store of finished exports. They are private: none has a public address."""

from datetime import datetime
from typing import Any, BinaryIO, Protocol

from common.values.errors import Unavailable
from common.values.messages import Message


class ExportsUnavailable(Unavailable):
    """The store is unavailable or refuses our requests. A name shows a whole file or nothing."""

    def __init__(self) -> None:
        super().__init__(
            Message(
                "The storage of exports is unavailable. Nothing was changed. Try again shortly."
            ),
            retry_after_s=5,
        )


class ExportStore(Protocol):
    """
    Files by name, ``<id>/<number>``. Every method may do I/O and must not be called inside a transaction.

    An unavailable store raises `ExportsUnavailable` within seconds, except for a large file.
    """

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:
        """Stores *file*, read from its start; it is durable at return."""

    async def remove(self, name: str) -> None:
        """Removes the file; does nothing where it does not exist."""

    async def link(self, name: str, *, filename: str, media_type: str, expires_at: datetime) -> str:
        """Returns a link to read the file as *filename* until *expires_at*; does not check that the file exists."""

    async def tidy(self, before: datetime) -> None:
        """Removes remains of calls that were interrupted before *before*; no name shows them."""


class NoExports:
    """Export store of a context that was given none: it is always unavailable."""

    async def put(self, *_: Any, **__: Any) -> None:
        raise ExportsUnavailable

    async def remove(self, *_: Any) -> None:
        raise ExportsUnavailable

    async def link(self, *_: Any, **__: Any) -> str:
        raise ExportsUnavailable

    async def tidy(self, *_: Any) -> None:
        raise ExportsUnavailable
