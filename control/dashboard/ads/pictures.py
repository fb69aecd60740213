"""Small pictures of ads and files, inside the page itself: no list needs a request for each of its rows."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from control.dashboard.page_request import PageRequest
from control.demand.assets.queries import pictures_of_assets

_MAX_EXTERNAL = 4
"""Addresses of pictures that a list loads: each is a request, and its size is not known."""


async def thumbnails_of_ads(
    view: PageRequest, listed: Sequence[Mapping[str, Any]]
) -> Mapping[str, str]:
    """By id of the ad: the address of its picture. Ads whose format has none are left out."""
    ours = await _pictures(view, [one for ad in listed for one in ad["asset_ids"].values()])
    found = {}
    for ad in listed:
        own = [ours[one][0] for one in ad["asset_ids"].values() if one in ours]
        found[ad["id"]] = next((one for one in own if one), "") or _external(ad["content"])
    return _within_limit(found)


async def thumbnails_of_files(
    view: PageRequest, listed: Sequence[Mapping[str, Any]]
) -> Mapping[str, str]:
    """By id of the asset; those without one are left out."""
    found = await _pictures(view, [one["id"] for one in listed])
    return _within_limit({one["id"]: found[one["id"]][0] or _url_of_image(one) for one in listed})


async def posters_of_ads(
    view: PageRequest, shown: Sequence[Mapping[str, Any]]
) -> Mapping[str, str]:
    """By id of the ad: the picture before its video plays. Videos at other addresses have none."""
    role = "media.0"
    videos = {ad["id"]: ad["asset_ids"][role] for ad in shown if _has_video(ad, role)}
    found = await _pictures(view, list(videos.values()))
    posters = {ad_id: found[one][1] for ad_id, one in videos.items() if one in found}
    return {ad_id: poster for ad_id, poster in posters.items() if poster}


async def poster_of_file(view: PageRequest, asset_id: str) -> str:
    """The picture before a video plays; "" where there is none."""
    return (await _pictures(view, [asset_id])).get(asset_id, ("", ""))[1]


def _within_limit(addresses: Mapping[str, str]) -> Mapping[str, str]:
    external = list(dict.fromkeys(one for one in addresses.values() if one.startswith("http")))
    left_out = {"", *external[_MAX_EXTERNAL:]}
    return {key: address for key, address in addresses.items() if address not in left_out}


def _url_of_image(asset: Mapping[str, Any]) -> str:
    is_image = asset["kind"] == "image" and asset["status"] == "ready"
    return str(asset["url"] or "") if is_image else ""


def _has_video(ad: Mapping[str, Any], role: str) -> bool:
    return ad["format"] == "video" and role in ad["asset_ids"]


async def _pictures(view: PageRequest, asset_ids: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """The addresses of thumbnail and poster by id; "" for what a file does not have."""
    if not asset_ids:
        return {}
    async with view.control.database.tenant(view.caller.account_id) as session:
        found = await pictures_of_assets(session, view.caller, asset_ids)
    return {one: (_inlined(small), _inlined(large)) for one, (small, large) in found.items()}


def _inlined(picture: bytes | None) -> str:
    return f"data:image/webp;base64,{base64.b64encode(picture).decode()}" if picture else ""


def _external(content: Mapping[str, Any]) -> str:
    companion = content.get("companion") or {}
    return str(
        content.get("image_url")
        or content.get("image")
        or content.get("icon")
        or companion.get("image_url")
        or ""
    )
