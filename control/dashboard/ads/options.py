"""What the form of an ad offers to choose from: campaigns, ready files, slots. What one may not see is not offered."""

from collections.abc import Mapping, Sequence
from typing import Any

from common.values.enums import AssetKind, Format
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.object_types import ASSET, OPEN_CAMPAIGN
from control.dashboard.pickers.options import Offer, offer
from control.demand.campaigns import operations as campaigns

_ROLES: Mapping[Format, Mapping[str, AssetKind]] = {
    Format.BANNER: {"image": AssetKind.IMAGE},
    Format.HTML: {"html": AssetKind.HTML},
    Format.NATIVE: {"image": AssetKind.IMAGE, "icon": AssetKind.IMAGE},
    Format.AUDIO: {"companion": AssetKind.IMAGE},
    Format.VIDEO: {},
    Format.EMAIL: {"image": AssetKind.IMAGE},
}
"""Besides renditions, whose kind is the format's own."""
_RENDITIONS: Mapping[Format, AssetKind] = {
    Format.AUDIO: AssetKind.AUDIO,
    Format.VIDEO: AssetKind.VIDEO,
}


async def offer_campaigns(view: PageRequest) -> Offer | None:
    """Those that take ads; None for who may not list them, and has to name one."""
    if not view.may(campaigns.LIST.id):
        return None
    return await offer(view, OPEN_CAMPAIGN, "campaign_id", chosen=[view.typed("campaign_id")])


async def find_campaign(view: PageRequest, campaign_id: str) -> Mapping[str, Any] | None:
    """None where campaigns are not for the one who looks. Raises the 404 for one that is not there."""
    if not campaign_id or not view.may("getCampaign"):
        return None
    found: Mapping[str, Any] = await view.call(campaigns.GET, path={"id": campaign_id})
    return found


async def offer_files(
    view: PageRequest, ad_format: Format, chosen: Mapping[str, str], renditions: int
) -> Mapping[str, Offer]:
    """By role; *renditions*: how many of them the form has room for."""
    roles = dict(_ROLES[ad_format])
    if ad_format in _RENDITIONS:
        roles |= {f"media.{number}": _RENDITIONS[ad_format] for number in range(renditions)}
    return {
        role: await offer(
            view,
            ASSET,
            f"asset_ids.{role}",
            chosen=[chosen.get(role, "")],
            narrow={"kind": [kind.value]},
        )
        for role, kind in roles.items()
    }


def slots_for(campaign: Mapping[str, Any] | None, ad_format: str) -> Mapping[str, Sequence[str]]:
    """Of the campaign's properties, those that take the format; none where the campaign may not be seen."""
    return {
        "property_id": campaign["property_ids"] if campaign else [],
        "format": [ad_format],
    }
