"""The choices in the form of an ad: campaigns, ready files, slots. Objects that the user may not see are left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from common.values.enums import AssetKind, Format
from common.values.ids import is_uuid
from control.dashboard.campaigns.get_campaign import get_campaign
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import Offer, offer
from control.dashboard.pickers.queries import ASSET, OPEN_CAMPAIGN
from control.demand.campaigns import operations as campaigns
from control.inventory.slots import operations as slots
from control.inventory.slots.queries import formats_of_slots

_ROLES: Mapping[Format, Mapping[str, AssetKind]] = {
    Format.BANNER: {"image": AssetKind.IMAGE},
    Format.HTML: {"html": AssetKind.HTML},
    Format.NATIVE: {"image": AssetKind.IMAGE, "icon": AssetKind.IMAGE},
    Format.AUDIO: {"companion": AssetKind.IMAGE},
    Format.VIDEO: {"poster": AssetKind.IMAGE},
    Format.EMAIL: {"image": AssetKind.IMAGE},
}
"""Besides renditions, whose kind follows from the format."""
_RENDITIONS: Mapping[Format, AssetKind] = {
    Format.AUDIO: AssetKind.AUDIO,
    Format.VIDEO: AssetKind.VIDEO,
}


async def offer_campaigns(view: PageRequest) -> Offer | None:
    """Campaigns that take ads; None for a user who may not list them, and has to type an id."""
    if not view.can(campaigns.LIST.id):
        return None
    return await offer(view, OPEN_CAMPAIGN, "campaign_id", chosen=[view.form_field("campaign_id")])


async def find_campaign(view: PageRequest, campaign_id: str) -> Mapping[str, Any] | None:
    """None for a user who may not see campaigns. Raises the 404 for one that the page's environment lacks."""
    if not campaign_id or not view.can("getCampaign"):
        return None
    return await get_campaign(view, campaign_id)


async def offer_files(
    view: PageRequest,
    ad_format: Format,
    chosen: Mapping[str, str],
    renditions: int,
    *,
    start: str = "",
) -> Mapping[str, Offer]:
    """By role; *renditions*: the number of them that the form has room for. *start*: of the fields' names."""
    roles = dict(_ROLES[ad_format])
    if ad_format in _RENDITIONS:
        roles |= {f"media.{number}": _RENDITIONS[ad_format] for number in range(renditions)}
    return {
        role: await offer(
            view,
            ASSET,
            f"{start}asset_ids.{role}",
            chosen=[chosen.get(role, "")],
            narrow={"kind": [kind.value]},
        )
        for role, kind in roles.items()
    }


async def formats_without_slot(view: PageRequest, property_ids: Sequence[str]) -> frozenset[Format]:
    """
    Formats that no active slot of these properties accepts, or of any property where *property_ids* is empty. Empty for
    a user who may not list slots.
    """
    if not view.can(slots.LIST.id):
        return frozenset()
    known = [one for one in property_ids if is_uuid(one)]
    async with view.control.database.tenant(view.caller.account_id) as session:
        accepted = await formats_of_slots(session, view.caller, known)
    return frozenset(Format) - accepted


def slots_for(campaign: Mapping[str, Any] | None, ad_format: str) -> Mapping[str, Sequence[str]]:
    """Narrows to slots of the campaign's properties that take the format; no slots if it may not be seen."""
    return {
        "property_id": campaign["property_ids"] if campaign else [],
        "format": [ad_format],
    }
