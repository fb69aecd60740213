"""Converts an ad between its API form and its table row; nothing else maps fields to columns."""

from enum import StrEnum
from typing import Any

from common.values.environment import Environment
from control.demand.ads.schemas import AdPublic
from control.demand.ads.urls import advertiser_domain_of
from control.demand.campaigns.targeting import as_shown
from control.foundation.resource_models import from_row
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
    return from_row(
        AdPublic,
        row,
        targeting=as_shown(row.targeting),
        is_test=row.environment == Environment.TEST,
    )
