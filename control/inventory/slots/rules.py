"""The rules of slots, pure. A slot's key never changes, because published tags contain it."""

import re
import unicodedata

from pydantic_core import PydanticCustomError

from common.values.enums import AdStatus, Format
from common.values.errors import invalid
from control.storage.tables.campaigns import AdRow
from control.storage.tables.properties import SlotRow

RESERVED_PREFIX = "demo-"
_MAX_CHARS = 64
_NOT_IN_KEYS = re.compile(r"[^a-z0-9]+")


def parse_slot_key(key: str) -> str:
    """Raises PydanticCustomError for reserved keys, which every property has in test."""
    if key.startswith(RESERVED_PREFIX):
        raise PydanticCustomError(
            "key_reserved", "Keys that start with demo- are reserved. Choose another."
        )
    return key


def key_from_name(name: str) -> str:
    """``Häader – top!`` gives ``haader-top``. Raises 422 if nothing is left, or if the key is reserved."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    key = _NOT_IN_KEYS.sub("-", plain).strip("-")[:_MAX_CHARS].rstrip("-")
    if not key or key.startswith(RESERVED_PREFIX):
        raise invalid(
            "key", "required", "No key can be made from this name. Give a key of your own."
        )
    return key


def check_audio(row: SlotRow) -> None:
    """Raises 422 if a slot limits audio but does not accept it."""
    if row.audio and Format.AUDIO not in row.formats:
        raise invalid(
            "audio",
            "not_for_formats",
            "Only a slot that takes the format audio has these bounds. Add it to `formats`, or set `audio` to null.",
        )


def check_house_ad(row: SlotRow, ad: AdRow | None) -> None:
    """
    Raises 422 if *ad* (None: the account has no such ad) could never be shown in the slot.

    An ad that is not active yet is allowed: it is shown once it is active.
    """
    fault = _house_ad_fault(row, ad)
    if fault is not None:
        raise invalid("house_ad_id", *fault)


def _house_ad_fault(row: SlotRow, ad: AdRow | None) -> tuple[str, str] | None:
    if ad is None:
        return "ad_unknown", "The account has no such ad. Name one of its own."
    if ad.status in (AdStatus.ARCHIVED, AdStatus.REJECTED):
        return "ad_ended", f"The ad is {ad.status} and is never shown. Name another."
    if ad.format not in row.formats:
        return (
            "format_mismatch",
            f"The ad is of the format {ad.format}, the slot takes {', '.join(row.formats)}. Name another ad.",
        )
    width, height = ad.content.get("width"), ad.content.get("height")
    sized = width is not None and height is not None
    if row.sizes and sized and {"width": width, "height": height} not in row.sizes:
        return (
            "size_mismatch",
            f"The ad is {width}x{height}, which is none of the slot's sizes. Name another ad, or add the size.",
        )
    return None
