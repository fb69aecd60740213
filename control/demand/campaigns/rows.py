"""Converts a campaign between its API form and its table row; nothing else maps fields to columns."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from common.values.clock import to_iso
from common.values.environment import Environment
from common.values.money import micros_to_cents
from control.demand.campaigns.delivery_status.delivery import Delivery
from control.demand.campaigns.schemas import (
    Attribution,
    AttributionPublic,
    CampaignPublic,
    FrequencyCapPublic,
    GoalPublic,
    ReviewPublic,
    WindowPublic,
)
from control.demand.campaigns.targeting import as_shown
from control.storage.tables.campaigns import CampaignRow


def write(row: CampaignRow, values: dict[str, Any]) -> None:
    """
    Write API fields to columns. Budget and attribution merge field by field; every other value replaces the old one.

    A missing name leaves its column unchanged.
    """
    for name, value in values.items():
        match name:
            case "budget":
                _write_budget(row, value)
            case "attribution":
                before = _USUAL_ATTRIBUTION | row.attribution
                row.attribution = before | value.model_dump(mode="json", exclude_unset=True)
            case "goal":
                row.goal = None if value is None else value.model_dump(mode="json")
            case "frequency_caps":
                row.frequency_caps = [cap.model_dump(mode="json") for cap in value]
            case "targeting":
                row.targeting = value.stored()
            case "metadata":
                row.metadata_ = dict(value)
            case _:
                setattr(row, name, value.value if isinstance(value, StrEnum) else value)


def to_wire(row: CampaignRow, delivery: Delivery, spent_micros: int) -> dict[str, Any]:
    """The JSON form of `CampaignPublic`, with its names in order; *row* may come from `read_only`."""
    computed = {
        "budget": {
            "total_cents": row.budget_total_cents,
            "daily_cents": row.budget_daily_cents,
        },
        "goal": None if row.goal is None else _picked(row.goal, _GOAL),
        "frequency_caps": [
            _picked(cap, _CAP) | {"window": _picked(cap["window"], _WINDOW)}
            for cap in row.frequency_caps
        ],
        "targeting": as_shown(row.targeting),
        "attribution": _picked(_USUAL_ATTRIBUTION | row.attribution, _ATTRIBUTION),
        "delivery_status": delivery.status,
        "delivery_reason": delivery.reason,
        "spend_cents": micros_to_cents(spent_micros),
        "review": None if row.review is None else _picked(row.review, _REVIEW),
        "metadata": row.metadata_,
        "is_test": row.environment == Environment.TEST,
    }
    return {
        name: computed[name] if name in computed else _stored(getattr(row, name))
        for name in CampaignPublic.model_fields
    }


def to_public(row: CampaignRow, delivery: Delivery, spent_micros: int) -> CampaignPublic:
    return CampaignPublic.model_validate(to_wire(row, delivery, spent_micros))


_GOAL = tuple(GoalPublic.model_fields)
_CAP = tuple(FrequencyCapPublic.model_fields)
_WINDOW = tuple(WindowPublic.model_fields)
_ATTRIBUTION = tuple(AttributionPublic.model_fields)
_USUAL_ATTRIBUTION = Attribution().model_dump(mode="json")
"""Defaults for campaigns that were stored before a field existed."""
_REVIEW = tuple(ReviewPublic.model_fields)


def _stored(value: Any) -> Any:
    return to_iso(value) if isinstance(value, datetime) else value


def _picked(stored: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """In the order of the contract, because JSONB does not keep the order of names."""
    return {name: stored[name] for name in names}


def _write_budget(row: CampaignRow, budget: BaseModel | None) -> None:
    if budget is None:
        row.budget_total_cents = row.budget_daily_cents = None
        return
    for name in budget.model_fields_set:
        setattr(row, f"budget_{name}", getattr(budget, name))
