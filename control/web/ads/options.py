"""What the form of an ad offers to choose from: campaigns, ready files, slots. What one may not see is not offered."""

from collections.abc import Mapping, Sequence
from typing import Any

from common.vocabulary import AssetKind, Format
from control.assets import operations as assets
from control.campaigns import operations as campaigns
from control.slots import operations as slots
from control.web.view import View

_MOST = 100
_KINDS: Mapping[Format, tuple[AssetKind, ...]] = {
    Format.BANNER: (AssetKind.IMAGE,),
    Format.HTML: (),
    Format.NATIVE: (AssetKind.IMAGE,),
    Format.AUDIO: (AssetKind.AUDIO, AssetKind.IMAGE),
    Format.VIDEO: (AssetKind.VIDEO,),
    Format.EMAIL: (AssetKind.IMAGE,),
}

Choice = tuple[str, str]
"""Value and label."""


async def list_campaigns(view: View) -> list[Choice]:
    if not view.may("listCampaigns"):
        return []
    page = await view.call(campaigns.LIST, query={"limit": _MOST})
    return [(one["id"], one["name"]) for one in page["data"] if one["status"] != "archived"]


async def find_campaign(view: View, campaign_id: str) -> Mapping[str, Any] | None:
    """None where campaigns are not for the one who looks. Raises the 404 for one that is not there."""
    if not campaign_id or not view.may("getCampaign"):
        return None
    found: Mapping[str, Any] = await view.call(campaigns.GET, path={"id": campaign_id})
    return found


async def list_files(
    view: View, ad_format: Format, chosen: Mapping[str, str]
) -> dict[str, list[Choice]]:
    """By kind, newest first; a file in use that is older than those stands at the end."""
    if not view.may("listAssets"):
        return {}
    return {kind.value: await _files_of(view, kind, chosen) for kind in _KINDS[ad_format]}


async def list_slots(
    view: View, campaign: Mapping[str, Any] | None, ad_format: Format
) -> list[Choice]:
    """Of the campaign's properties, those that take the format."""
    if campaign is None or not view.may("listSlots"):
        return []
    page = await view.call(slots.LIST, query={"limit": _MOST, "status": "active"})
    return [
        (one["id"], one["name"])
        for one in page["data"]
        if one["property_id"] in campaign["property_ids"] and ad_format in one["formats"]
    ]


async def _files_of(view: View, kind: AssetKind, chosen: Mapping[str, str]) -> list[Choice]:
    page = await view.call(
        assets.LIST, query={"limit": _MOST, "status": "ready", "kind": kind.value}
    )
    found = [(one["id"], _label(one)) for one in page["data"]]
    known = {value for value, _ in found}
    if len(page["data"]) == _MOST:
        for asset_id in set(chosen.values()) - known:
            one = await view.call(assets.GET, path={"id": asset_id})
            if one["kind"] == kind:
                found.append((asset_id, _label(one)))
    return found


def _label(asset: Mapping[str, Any]) -> str:
    size = f" ({asset['width']} × {asset['height']})" if asset["width"] else ""
    return f"{asset['filename']}{size}"


def labels_of(choices: Sequence[Choice], values: Sequence[str]) -> list[str]:
    """The labels of *values*; one that is not offered stands for itself."""
    known = dict(choices)
    return [known.get(value, value) for value in values]
