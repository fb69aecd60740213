"""
A first ad by one click: creates in TEST what the account lacks of a property, a slot, a key and a sample campaign.

The sample campaign is archived by one click. The property, the slot and the key stay, for the account's own campaigns.
"""

from dataclasses import replace
from typing import Any

from common.contract.hostnames import named_host
from common.values.errors import ApiError, Refused
from common.values.ids import new_id
from control.dashboard.onboarding.queries import SAMPLE, Progress
from control.dashboard.page_request import PageRequest
from control.dashboard.policy import origin_of
from control.demand.ads import operations as ads
from control.demand.campaigns import operations as campaigns
from control.inventory.api_keys import operations as keys
from control.inventory.properties import operations as properties
from control.inventory.slots import operations as slots

NEEDS = (properties.CREATE, slots.CREATE, keys.CREATE_SDK, campaigns.CREATE, ads.CREATE)
_NAME = "Sample campaign"
SITE = "site"
"""The field of the form with the domain, where the account has no property yet."""
_MAX_NAME = 200
_WIDTH, _HEIGHT = 300, 250


def can_create(view: PageRequest) -> bool:
    return all(view.can(operation.id) for operation in NEEDS)


async def create(view: PageRequest, progress: Progress) -> None:
    """Raises `ApiError`; what was created before stays, and the next attempt continues there."""
    property_id = progress.property_id or await _create_property(view)
    if progress.slot_id is None:
        await _create_slot(view, property_id)
    if progress.key_id is None:
        await create_key(view, property_id, "Website")
    if progress.campaign_id is None:
        await _create_campaign(view, property_id)


async def create_key(view: PageRequest, property_id: str, name: str) -> None:
    """A publishable key of the page's environment."""
    body = {
        "property_id": property_id,
        "kind": "publishable",
        "environment": view.environment,
        "name": name,
    }
    await view.call(keys.CREATE_SDK, body=body)


async def discard(view: PageRequest, campaign_id: str) -> None:
    await view.call(campaigns.ARCHIVE, path={"id": campaign_id})


async def _create_property(view: PageRequest) -> str:
    """A website; its name is its domain. Errors of the domain are at the form's field."""
    domain = named_host(view.form_field(SITE).strip())
    body = {
        "name": domain[:_MAX_NAME] or _NAME,
        "kind": "web",
        "domain": domain or None,
        "timezone": view.timezone.key,
        "allowed_origins": _origins(view.control.settings.control_url),
    }
    try:
        made: dict[str, Any] = await view.call(properties.CREATE, body=body)
    except ApiError as error:
        details = tuple(
            replace(one, param=SITE) if one.param == "domain" else one for one in error.details
        )
        param = SITE if error.param == "domain" else error.param
        raise Refused(error.code, error.message, param=param, details=details) from error
    return str(made["id"])


def _origins(control_url: str) -> list[str]:
    """That of the test page, whose events count so. In TEST, those of loopback count anyway."""
    return [origin_of(control_url)] if control_url.startswith("https://") else []


async def _create_slot(view: PageRequest, property_id: str) -> None:
    body = {
        "property_id": property_id,
        "name": "Article top",
        "formats": ["banner"],
        "sizes": [{"width": _WIDTH, "height": _HEIGHT}],
    }
    await view.call(slots.CREATE, body=body)


async def _create_campaign(view: PageRequest, property_id: str) -> None:
    """With one banner, both active. Its reference comes from the form, so that a form sent twice creates one."""
    url = view.control.settings.control_url
    body = {
        "name": _NAME,
        "property_ids": [property_id],
        "objective": "awareness",
        "pricing_model": "cpm",
        "bid_cents": 250,
        "pacing": "asap",
        "external_ref": SAMPLE + (view.form_field("once")[:100] or new_id()),
    }
    campaign = await view.call(campaigns.CREATE, body=body)
    ad = {
        "campaign_id": campaign["id"],
        "name": _NAME,
        "format": "banner",
        "content": {
            "image_url": f"{url}/static/demo-banner.svg",
            "width": _WIDTH,
            "height": _HEIGHT,
            "alt": _NAME,
        },
        "click_url": f"{url}/demo/landing?environment=test&ad=sample",
    }
    made = await view.call(ads.CREATE, body=ad)
    await view.call(ads.ACTIVATE, path={"id": made["id"]})
    await view.call(campaigns.ACTIVATE, path={"id": campaign["id"]})
