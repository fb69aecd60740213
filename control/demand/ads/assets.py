"""
Fills an ad's content from its assets: each role fills fields of the content with what was measured of its file.

The content is then complete: edges need no access to assets. For an html asset it holds the text.
"""

import re
from typing import Any

from common.values.enums import AssetKind, Format
from common.values.errors import Detail, ErrorCode, Refused, invalid, not_found
from common.values.messages import Message
from control.api.call import Call
from control.demand.ads.markup import HTML, markup_of
from control.demand.assets.queries import get_ready_asset
from control.demand.assets.rows import url_of
from control.storage.tables.assets import AssetRow
from control.storage.tables.campaigns import AdRow

IMAGE, ICON, COMPANION, POSTER = "image", "icon", "companion", "poster"
ROLES: dict[Format, dict[str, AssetKind]] = {
    Format.BANNER: {IMAGE: AssetKind.IMAGE},
    Format.HTML: {HTML: AssetKind.HTML},
    Format.NATIVE: {ICON: AssetKind.IMAGE, IMAGE: AssetKind.IMAGE},
    Format.AUDIO: {COMPANION: AssetKind.IMAGE},
    Format.VIDEO: {POSTER: AssetKind.IMAGE},
    Format.EMAIL: {IMAGE: AssetKind.IMAGE},
}
"""Roles by format. Audio and video also have ``media.0`` … ``media.19``: the recording, one rendition each."""

_RENDITIONS: dict[Format, AssetKind] = {
    Format.AUDIO: AssetKind.AUDIO,
    Format.VIDEO: AssetKind.VIDEO,
}
_MIMES = {AssetKind.AUDIO: "audio/mpeg", AssetKind.VIDEO: "video/mp4"}
_FRAME = ("image_url", "width", "height")
_RENDITION = re.compile(r"media\.(1?[0-9])")


_LONGEST_MS = 3_600_000
"""Of a placeholder: no rule about the ad's duration refuses it."""


async def fill_content(
    call: Call, ad: AdRow, content: dict[str, Any], asset_ids: dict[str, str], *, markup: str | None
) -> tuple[dict[str, Any], list[Detail]]:
    """
    *content* with the fields of each role filled in, replacing earlier values; not validated yet. *markup*: the text of
    its html asset. Beside it, the faults of all assets: a role the format does not have, an asset of the wrong kind or
    not ready. Where there are any, the content is that of `with_placeholders`, so that its own faults can be found.

    A role whose asset *ad* has already keeps its fields: assets never change, and the caller may not see this one.
    Raises 404 for an asset that is not in the ad's environment.
    """
    ad_format = Format(ad.format)
    faults = _unknown_roles(ad_format, asset_ids)
    filled = dict(content)
    for role in _known_roles(ad_format, asset_ids):
        try:
            if ad.asset_ids.get(role) == asset_ids[role]:
                fields = _stored(ad_format, role, ad.content)
            else:
                fields = await _read(call, ad, role, asset_ids[role], markup)
        except Refused as refused:
            if refused.code is not ErrorCode.VALIDATION_FAILED:
                raise
            faults.extend(refused.details)
            fields = _placeholder(ad_format, role, content)
        if gap := _find_gap(filled, role):
            faults.append(gap)
        else:
            _fill(filled, role, fields)
    return (with_placeholders(ad_format, content, asset_ids) if faults else filled), faults


async def _read(
    call: Call, ad: AdRow, role: str, asset_id: str, markup: str | None
) -> dict[str, Any]:
    ad_format = Format(ad.format)
    param = f"asset_ids.{role}"
    row = await get_ready_asset(call.session, call.principal, asset_id, param=param)
    if row.environment != ad.environment:
        raise not_found()
    url = url_of(row, call.control.settings.assets_url)
    if url is None or row.kind != _kind_of(ad_format, role):
        raise invalid(
            param,
            "asset_kind",
            Message(
                "The role {role} needs an asset of kind {expected_kind}, and this one is {kind}. Use "
                "another asset.",
                role=role,
                expected_kind=str(_kind_of(ad_format, role)),
                kind=row.kind,
            ),
        )
    if role == HTML:
        return {HTML: markup_of(row, markup, param)}
    return _measured(ad_format, role, url, row)


def with_placeholders(
    ad_format: Format, content: dict[str, Any], asset_ids: dict[str, str]
) -> dict[str, Any]:
    """
    *content* as `fill_content` fills it, with some value for each field that a file fills: what its model then refuses,
    no file can mend. An unknown role may stand for any role without which the format is not complete.
    """
    roles = set(_known_roles(ad_format, asset_ids))
    if roles != asset_ids.keys():
        roles |= {"media.0"} if ad_format in _RENDITIONS else ROLES[ad_format].keys()
    filled = dict(content)
    for role in sorted(roles, key=_place):
        _fill(filled, role, _placeholder(ad_format, role, content))
    return filled


def _placeholder(ad_format: Format, role: str, content: dict[str, Any]) -> dict[str, Any]:
    """What an asset could fill in, as long as the recordings that *content* has itself."""
    if role == HTML:
        return {HTML: "<p></p>"}
    lengths = [one.get("duration_ms") for one in _media_of(content) if isinstance(one, dict)]
    row = AssetRow(
        id="",
        account_id="",
        environment="",
        kind="",
        filename="",
        mime=_MIMES.get(_kind_of(ad_format, role) or AssetKind.IMAGE, ""),
        bytes=1,
        status="",
        width=1,
        height=1,
        duration_ms=next((one for one in lengths if isinstance(one, int)), _LONGEST_MS),
        media={"bitrate_kbps": 1},
    )
    return _measured(ad_format, role, "https://placeholder.example/", row)


def _known_roles(ad_format: Format, asset_ids: dict[str, str]) -> list[str]:
    """In the order in which they are filled."""
    return sorted((role for role in asset_ids if _kind_of(ad_format, role)), key=_place)


def _unknown_roles(ad_format: Format, asset_ids: dict[str, str]) -> list[Detail]:
    unknown = [role for role in asset_ids if _kind_of(ad_format, role) is None]
    known = [*ROLES[ad_format], *(["media.0 … media.19"] if ad_format in _RENDITIONS else [])]
    advice = (
        Message("Use one of: {roles}.", roles=", ".join(known))
        if known
        else Message("Ads of this format have no assets. Remove the field.")
    )
    return [
        Detail(
            f"asset_ids.{role}",
            "role_unknown",
            Message(
                "The format {format} has no such role. {advice}",
                format=ad_format,
                advice=advice,
            ),
        )
        for role in unknown
    ]


def _kind_of(ad_format: Format, role: str) -> AssetKind | None:
    if _RENDITION.fullmatch(role):
        return _RENDITIONS.get(ad_format)
    return ROLES[ad_format].get(role)


def _place(role: str) -> tuple[str, int]:
    """Sort key: renditions in the order of their numbers, because each requires the one before."""
    name, _, number = role.partition(".")
    return name, int(number or 0)


def _measured(ad_format: Format, role: str, url: str, row: AssetRow) -> dict[str, Any]:
    """The fields that a role fills with an asset's file, except those of an html asset."""
    if _RENDITION.fullmatch(role):
        made: dict[str, Any] = {
            "url": url,
            "mime": row.mime,
            "bitrate_kbps": row.media.get("bitrate_kbps"),
            "duration_ms": row.duration_ms,
        }
        return made | _size(row) if ad_format is Format.VIDEO else made
    if _is_address(ad_format, role):
        return {role: url}
    return {"image_url": url} | _size(row)


def _is_address(ad_format: Format, role: str) -> bool:
    """Whether the content holds only the URL of the picture, in the field named as the role."""
    return ad_format is Format.NATIVE or role == POSTER


def _size(row: AssetRow) -> dict[str, Any]:
    return {"width": row.width, "height": row.height}


def _stored(ad_format: Format, role: str, content: dict[str, Any]) -> dict[str, Any]:
    """The fields of the role in the *content* of an ad, which has an asset for it."""
    if _RENDITION.fullmatch(role):
        made: dict[str, Any] = content["media"][_place(role)[1]]
        return made
    part = content[COMPANION] if role == COMPANION else content
    names = (role,) if role == HTML or _is_address(ad_format, role) else _FRAME
    return {name: part[name] for name in names}


def _fill(content: dict[str, Any], role: str, fields: dict[str, Any]) -> None:
    if role == COMPANION:
        before = content.get(COMPANION)
        content[COMPANION] = (before if isinstance(before, dict) else {}) | fields
    elif _RENDITION.fullmatch(role):
        _fill_rendition(content, role, fields)
    else:
        content |= fields


def _fill_rendition(content: dict[str, Any], role: str, made: dict[str, Any]) -> None:
    media, number = _media_of(content), _place(role)[1]
    content["media"] = [*media[:number], made, *media[number + 1 :]]


def _find_gap(content: dict[str, Any], role: str) -> Detail | None:
    """The fault of a rendition's role without the one before; None for every other role."""
    number = _place(role)[1] if _RENDITION.fullmatch(role) else 0
    count = len(_media_of(content))
    if number <= count:
        return None
    message = Message(
        "`media.{missing_number}` is missing. Number the media without gaps.",
        missing_number=count,
    )
    return Detail(f"asset_ids.{role}", "role_gap", message)


def _media_of(content: dict[str, Any]) -> list[Any]:
    media = content.get("media")
    return media if isinstance(media, list) else []
