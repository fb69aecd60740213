"""Interface to the asset store."""

from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol

from common.values.errors import Unavailable
from common.values.messages import Message


class StoreUnavailable(Unavailable):
    """The store is unavailable or refuses our requests. It shows no partial object."""

    def __init__(self) -> None:
        super().__init__(
            Message(
                "The storage of assets is unavailable. Nothing was changed. Try again shortly."
            ),
            retry_after_s=5,
        )


class StoreInvalid(ValueError):
    """``PLACARD_ASSETS_STORE`` is not a valid store; the message states what to write."""


class ObjectAbsent(LookupError):
    """The store has no object of this name."""


@dataclass(frozen=True, slots=True)
class UploadLink:
    """Allows its holder one PUT of exactly the promised bytes, until it expires."""

    url: str
    headers: dict[str, str]


class AssetStore(Protocol):
    """
    Objects by name: ``aa/bb/<sha256>.<ext>`` for served files, ``uploads/<id>`` for files not inspected yet.

    Every method does I/O and must not be called inside a transaction.
    An unavailable store raises `StoreUnavailable` within seconds (except for a large file). A name shows a whole object
    or nothing.
    """

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:
        """
        Stores *file*, read from its start; it is durable at return.

        Putting an object again is allowed: with equal bytes for a served name, with newer ones for an upload.
        """

    async def fetch(self, name: str, into: BinaryIO, *, max_bytes: int) -> int:
        """
        Writes the object into *into*, rewinds it, and returns the object's length. Writes at most *max_bytes* + 1
        bytes.

        Raises `ObjectAbsent`.
        """

    async def size(self, name: str) -> int | None:
        """Returns the object's size in bytes, or None where it does not exist."""

    async def remove(self, name: str) -> None:
        """Removes the object; does nothing where it does not exist."""

    async def upload_link(
        self,
        name: str,
        *,
        media_type: str,
        size_bytes: int,
        sha256: str | None,
        expires_at: datetime,
    ) -> UploadLink:
        """
        Returns a link by which a client may put *name*. The store refuses other lengths and, where it can, other bytes.

        The bytes are inspected again before they are served.
        """

    async def tidy(self, before: datetime) -> None:
        """Removes remains of calls that were interrupted before *before*; no name shows them."""
