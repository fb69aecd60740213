"""
Fills an ad's content from its assets: each role fills fields of the content with what was measured of its file.

The content is then complete: edges need no access to assets. For an html asset it holds the text.
"""

import re
from typing import Any

from common.contract.validation_errors import refuse
from common.values.enums import AssetKind, Format
from common.values.errors import Detail, invalid, not_found
from common.values.messages import Message
from control.api.call import Call
from control.demand.ads.markup import HTML, markup_of
from control.demand.assets.queries import get_ready_asset
from control.demand.assets.rows import url_of
from control.storage.tables.assets import AssetRow
from control.storage.tables.campaigns import AdRow

IMAGE, ICON, COMPANION = "image", "icon", "companion"
ROLES: dict[Format, dict[str, AssetKind]] = {
    Format.BANNER: {IMAGE: AssetKind.IMAGE},
    Format.HTML: {HTML: AssetKind.HTML},
    Format.NATIVE: {ICON: AssetKind.IMAGE, IMAGE: AssetKind.IMAGE},
    Format.AUDIO: {COMPANION: AssetKind.IMAGE},
    Format.VIDEO: {},
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


async def fill_content(
    call: Call, ad: AdRow, content: dict[str, Any], asset_ids: dict[str, str], *, markup: str | None
) -> dict[str, Any]:
    """
    *content* with the fields of each role filled in, replacing earlier values; not validated yet. *markup*: the text of
    its html asset.

    A role whose asset *ad* has already keeps its fields: assets never change, and the caller may not see this one.
    Raises 422 for a role the format does not have or an asset of the wrong kind, 404 for an asset that is not in the
    ad's environment.
    """
    ad_format = Format(ad.format)
    _check_roles(ad_format, asset_ids)
    filled = dict(content)
    for role in sorted(asset_ids, key=_place):
        if ad.asset_ids.get(role) == asset_ids[role]:
            fields = _stored(ad_format, role, ad.content)
        else:
            fields = await _read(call, ad, role, asset_ids[role], markup)
        _fill(filled, role, fields)
    return filled


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
    no file can mend. Unknown roles are left out.
    """
    row = AssetRow(
        id="",
        account_id="",
        environment="",
        kind="",
        filename="",
        mime="",
        bytes=1,
        status="",
        width=1,
        height=1,
        duration_ms=1_000,
        media={"bitrate_kbps": 1},
    )
    filled = dict(content)
    for role in sorted(asset_ids, key=_place):
        kind = _kind_of(ad_format, role)
        number, media = _place(role)[1], filled.get("media", ())
        if kind is None or (_RENDITION.fullmatch(role) and number > len(media)):
            continue
        row.mime = _MIMES.get(kind, "")
        if role == HTML:
            filled[HTML] = "<p></p>"
        else:
            _fill(filled, role, _measured(ad_format, role, "https://placeholder.example/", row))
    return filled


def _check_roles(ad_format: Format, asset_ids: dict[str, str]) -> None:
    unknown = [role for role in asset_ids if _kind_of(ad_format, role) is None]
    if not unknown:
        return
    known = [*ROLES[ad_format], *(["media.0 … media.19"] if ad_format in _RENDITIONS else [])]
    advice = (
        Message("Use one of: {roles}.", roles=", ".join(known))
        if known
        else Message("Ads of this format have no assets. Remove the field.")
    )
    raise refuse(
        [
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
    )


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
    if ad_format in _RENDITIONS and role != COMPANION:
        made: dict[str, Any] = {
            "url": url,
            "mime": row.mime,
            "bitrate_kbps": row.media.get("bitrate_kbps"),
            "duration_ms": row.duration_ms,
        }
        return made | _size(row) if ad_format is Format.VIDEO else made
    if ad_format is Format.NATIVE:
        return {role: url}
    return {"image_url": url} | _size(row)


def _size(row: AssetRow) -> dict[str, Any]:
    return {"width": row.width, "height": row.height}


def _stored(ad_format: Format, role: str, content: dict[str, Any]) -> dict[str, Any]:
    """The fields of the role in the *content* of an ad, which has an asset for it."""
    if ad_format in _RENDITIONS and role != COMPANION:
        made: dict[str, Any] = content["media"][_place(role)[1]]
        return made
    part = content[COMPANION] if role == COMPANION else content
    names = (role,) if role == HTML or ad_format is Format.NATIVE else _FRAME
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
    given = content.get("media", [])
    media = list(given) if isinstance(given, list) else []
    number = _place(role)[1]
    if number > len(media):
        raise invalid(
            f"asset_ids.{role}",
            "role_gap",
            Message(
                "`media.{missing_number}` is missing. Number the media without gaps.",
                missing_number=number - 1,
            ),
        )
    content["media"] = [*media[:number], made, *media[number + 1 :]]
