"""The rules of slots, pure. A slot's key never changes, because published tags contain it."""

import re
import unicodedata

from common.contract.field_errors import field_error
from common.values.enums import AdStatus, Format
from common.values.errors import invalid
from common.values.messages import Message
from control.storage.tables.campaigns import AdRow
from control.storage.tables.properties import SlotRow

RESERVED_PREFIX = "demo-"
_MAX_CHARS = 64
_NOT_IN_KEYS = re.compile(r"[^a-z0-9]+")


def parse_slot_key(key: str) -> str:
    """Raises PydanticCustomError for reserved keys, which every property has in test."""
    if key.startswith(RESERVED_PREFIX):
        raise field_error(
            "key_reserved",
            Message("Keys that start with `demo-` are reserved. Choose another key."),
        )
    return key


def key_from_name(name: str) -> str:
    """``Häader – top!`` gives ``haader-top``. Reserved keys get a prefix. Raises 422 if nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    key = _NOT_IN_KEYS.sub("-", plain).strip("-")
    if key.startswith(RESERVED_PREFIX):
        key = f"slot-{key}"
    key = key[:_MAX_CHARS].rstrip("-")
    if not key:
        raise invalid(
            "key",
            "required",
            Message("This name has no character that a key may have. Set a `key`."),
        )
    return key


def check_audio(row: SlotRow) -> None:
    """Raises 422 if a slot limits audio but does not accept it."""
    if row.audio and Format.AUDIO not in row.formats:
        raise invalid(
            "audio",
            "not_for_formats",
            Message(
                "Only a slot with the format audio has these limits. Add `audio` to `formats`, or "
                "set `audio` to null."
            ),
        )


def check_house_ad(row: SlotRow, ad: AdRow | None) -> None:
    """
    Raises 422 if *ad* (None: the account has no such ad) could never be shown in the slot.

    An ad that is not active yet is allowed: it is shown once it is active.
    """
    fault = _house_ad_fault(row, ad)
    if fault is not None:
        raise invalid("house_ad_id", *fault)


def _house_ad_fault(row: SlotRow, ad: AdRow | None) -> tuple[str, Message] | None:
    if ad is None:
        return "ad_unknown", Message("The account has no ad with this id. Use one of its ads.")
    if ad.status in (AdStatus.ARCHIVED, AdStatus.REJECTED):
        return "ad_ended", Message(
            "The ad is {status} and is never shown. Use another ad.", status=ad.status
        )
    if ad.format not in row.formats:
        return "format_mismatch", Message(
            "The ad has the format {format}, and the slot accepts {formats}. Use another ad.",
            format=ad.format,
            formats=", ".join(row.formats),
        )
    width, height = ad.content.get("width"), ad.content.get("height")
    sized = width is not None and height is not None
    if row.sizes and sized and {"width": width, "height": height} not in row.sizes:
        return "size_mismatch", Message(
            "The ad has the size {size}, which the slot does not have. Use another ad, or add the size.",
            size=f"{width}x{height}",
        )
    return None
