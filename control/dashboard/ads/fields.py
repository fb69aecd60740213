"""
Builds the body of the API from the form of an ad: content by format, files by role, renditions by number.

The API's own models validate it.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from babel import Locale

from common.contract.validation_errors import refuse
from common.values.enums import Format
from common.values.errors import ApiError, Detail
from common.values.messages import Message
from control.dashboard.form_body import Reader, body_of, choices, readers_of, text, whole
from control.dashboard.patch_body import patch_of
from control.dashboard.targeting.fields import read_targeting
from control.demand.ads.schemas import AdCreate, AdPatch

FormValues = Mapping[str, Sequence[str]]

MAX_RENDITIONS = 20
_MS = 1000


def seconds(values: Sequence[str]) -> int | str | None:
    """Milliseconds, from seconds typed with a decimal point or comma."""
    given = values[0].strip()
    try:
        ms = Decimal(given.replace(",", ".")) * _MS
    except InvalidOperation:
        return given or None
    return int(ms) if ms.is_finite() and abs(ms) < 10**12 else given


def markup(values: Sequence[str]) -> str | None:
    """Unchanged: whitespace may be significant."""
    return values[0] or None


_SIZED: dict[str, Reader] = {"image_url": text, "width": whole, "height": whole, "alt": text}
_CONTENT: dict[Format, dict[str, Reader]] = {
    Format.BANNER: _SIZED,
    Format.HTML: {"html": markup, "width": whole, "height": whole},
    Format.NATIVE: dict.fromkeys(("title", "body", "cta", "sponsored_by", "icon", "image"), text),
    Format.AUDIO: {f"companion.{name}": read for name, read in _SIZED.items()},
    Format.VIDEO: {"skip_offset_ms": seconds, "poster": text},
    Format.EMAIL: {**_SIZED, "text_fallback": text},
}
_RENDITION: dict[str, Reader] = {
    "url": text,
    "mime": text,
    "bitrate_kbps": whole,
    "duration_ms": seconds,
}
_FILM: dict[str, Reader] = {**_RENDITION, "width": whole, "height": whole}
_FILLED: Mapping[tuple[str, ...], str] = {
    ("content.image_url", "content.width", "content.height"): "asset_ids.image",
    ("content.media", "content.media.0.url"): "asset_ids.media.0",
}
"""Fields that stay empty where a file is chosen, and the field of the file."""
_MISSING = ("required", "length")
_RENDITION_NUMBER = re.compile(r"(?:content|asset_ids)\.media\.([0-9]{1,2})(?:\..*)?")
_READ_APART = ("content", "asset_ids", "targeting")
_CREATED = readers_of(AdCreate, {"slot_ids": choices}, without=_READ_APART)
_CHANGED = readers_of(AdPatch, {"slot_ids": choices}, without=_READ_APART)


def created(values: FormValues, ad_format: str, locale: Locale) -> dict[str, Any]:
    """The body of `createAd`. An unknown format is passed on, so that the API's error names it."""
    known = Format(ad_format) if ad_format in tuple(Format) else None
    body = body_of(values, _CREATED)
    if known is not None:
        body |= {"content": content_of(values, known)}
    return body | {"asset_ids": assets_of(values), "targeting": read_targeting(values, locale)[0]}


def changed(values: FormValues, ad: Mapping[str, Any], locale: Locale) -> dict[str, Any]:
    """
    The body of `updateAd` for *ad* as the API shows it: fields that the form shows and the user emptied are cleared.
    The API replaces the whole content, so the fields without a control keep their values.
    """
    ad_format = Format(ad["format"])
    body = patch_of(values, _CHANGED, AdPatch)
    body.setdefault("slot_ids", [])
    return {
        **body,
        "content": _without_control(ad["content"], ad_format) | content_of(values, ad_format),
        "asset_ids": assets_of(values),
        "targeting": read_targeting(values, locale)[0],
    }


def _without_control(content: Mapping[str, Any], ad_format: Format) -> dict[str, Any]:
    shown = {"media"} | {name.partition(".")[0] for name in _CONTENT[ad_format]}
    return {name: value for name, value in content.items() if name not in shown}


def fields_after(start: str, values: FormValues) -> FormValues:
    """The fields whose names begin with *start*, without it."""
    if not start:
        return values
    return {
        name.removeprefix(start): given for name, given in values.items() if name.startswith(start)
    }


def at_files(error: ApiError, values: FormValues) -> ApiError:
    """*error*, in which content that a file would fill in is missing at the field of the file, and only once."""
    found: dict[str, Detail] = {}
    for detail in error.details:
        names = next((names for names in _FILLED if detail.param in names), ())
        is_missing = detail.code in _MISSING and names
        if is_missing and not any(text.strip() for name in names for text in values.get(name, ())):
            moved = Detail(_FILLED[names], "required", Message("Upload or choose a file."))
            found.setdefault(moved.param, moved)
        else:
            found[f"{detail.param} {detail.code}"] = detail
    if tuple(found.values()) == error.details:
        return error
    return refuse(list(found.values()))


def content_of(values: FormValues, ad_format: Format) -> dict[str, Any]:
    readers = {f"content.{name}": read for name, read in _CONTENT[ad_format].items()}
    content: dict[str, Any] = body_of(values, readers).get("content", {})
    if ad_format in (Format.AUDIO, Format.VIDEO):
        content["media"] = _renditions(values, _FILM if ad_format is Format.VIDEO else _RENDITION)
    return content


def assets_of(text: FormValues) -> dict[str, str]:
    """Role → asset. Renditions are renumbered, because one in the middle may have been left out."""
    numbers = {str(old): new for new, old in enumerate(_numbers(text))}
    found = {}
    for name, values in text.items():
        role = name.removeprefix("asset_ids.")
        if role == name or not values[0]:
            continue
        start, _, number = role.partition(".")
        if not number:
            found[role] = values[0]
        elif number in numbers:
            found[f"{start}.{numbers[number]}"] = values[0]
    return found


def _renditions(values: FormValues, readers: Mapping[str, Reader]) -> list[dict[str, Any]]:
    """Renditions for which anything was typed or chosen."""
    made = []
    for number in _numbers(values):
        named = {
            f"one.{name}": values.get(f"content.media.{number}.{name}", ()) for name in readers
        }
        read = {f"one.{name}": reader for name, reader in readers.items()}
        made.append(body_of(named, read).get("one", {}))
    return made


def _numbers(text: FormValues) -> list[int]:
    """Numbers of the renditions that hold something; the media type alone does not count."""
    held = {
        int(found[1])
        for name, values in text.items()
        if (found := _RENDITION_NUMBER.fullmatch(name))
        and not name.endswith(".mime")
        and values[0].strip()
    }
    return sorted(number for number in held if number < MAX_RENDITIONS)
