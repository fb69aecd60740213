"""Converts an ad between its API form and its table row; nothing else maps fields to columns."""

from enum import StrEnum
from typing import Any

from common.values.enums import AdStatus, Format
from common.values.environment import Environment
from control.demand.ads.schemas import AdPublic, TrackingPublic
from control.demand.ads.urls import advertiser_domain_of
from control.demand.campaigns.schemas import ReviewPublic
from control.demand.campaigns.targeting import as_shown
from control.storage.tables.campaigns import AdRow


def write(row: AdRow, values: dict[str, Any]) -> None:
    """Write API fields to columns. Each value replaces the old one; a missing name leaves its column unchanged."""
    for name, value in values.items():
        match name:
            case "content" | "tracking":
                setattr(row, name, value.model_dump(mode="json"))
            case "targeting":
                row.targeting = value.stored()
            case "click_url":
                row.click_url = value
                row.advertiser_domain = advertiser_domain_of(value)
            case _:
                setattr(row, name, value.value if isinstance(value, StrEnum) else value)


def to_public(row: AdRow) -> AdPublic:
    return AdPublic(
        id=row.id,
        campaign_id=row.campaign_id,
        name=row.name,
        format=Format(row.format),
        content=row.content,
        asset_ids=row.asset_ids,
        categories=row.categories,
        tracking=TrackingPublic.model_validate(row.tracking),
        click_url=row.click_url,
        advertiser_domain=row.advertiser_domain,
        weight=row.weight,
        slot_ids=row.slot_ids,
        targeting=as_shown(row.targeting),
        status=AdStatus(row.status),
        review=None if row.review is None else ReviewPublic.model_validate(row.review),
        is_test=row.environment == Environment.TEST,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
