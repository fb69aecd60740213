"""The asset store as the control plane sees it."""

from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol

from common.values.errors import Unavailable


class StoreUnavailable(Unavailable):
    """The store does not answer, or refuses us. Nothing half done is visible in it."""

    def __init__(self) -> None:
        super().__init__(
            "The asset store does not answer. Nothing was changed; try again shortly.",
            retry_after_s=5,
        )


class StoreInvalid(ValueError):
    """``PLACARD_ASSETS_STORE`` names no store; the message says what to write."""


class ObjectAbsent(LookupError):
    """The store holds nothing under this name."""


@dataclass(frozen=True, slots=True)
class UploadLink:
    """One PUT of exactly the promised bytes, by whoever holds it, until it expires."""

    url: str
    headers: dict[str, str]


class AssetStore(Protocol):
    """
    Objects by name: ``aa/bb/<sha256>.<ext>`` for what is served, ``uploads/<id>`` for what was not looked at yet.

    Every method waits for the outside and must not be called inside a transaction. The outside away: `StoreUnavailable`
    within seconds (a large file's time apart), and a name shows either all of an object or none of it.
    """

    async def put(self, name: str, file: BinaryIO, *, media_type: str) -> None:
        """
        Durable at return. *file* is read from its start. Putting again what is there is fine: equal bytes for a
        served name, the newer ones for an upload.
        """

    async def fetch(self, name: str, into: BinaryIO, *, max_bytes: int) -> int:
        """Writes the object into *into*, which then stands at its start; its length. At most *most_bytes* + 1 are
        written. Raises `ObjectAbsent`.
        """

    async def size(self, name: str) -> int | None:
        """Bytes of the object, None where there is none."""

    async def remove(self, name: str) -> None:
        """Fine where there is none."""

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
        Where somebody else may put *name*. The store refuses other lengths; where it can, other bytes too, which
        are looked at again before anything is served.
        """

    async def tidy(self, before: datetime) -> None:
        """Remove what calls broken off before then have left, and no name shows."""
