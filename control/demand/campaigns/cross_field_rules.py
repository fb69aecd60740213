"""
Rules that span several terms of a campaign, pure. They are checked while a body is read, so that these faults are
reported together with those of its fields, and again on the whole campaign when it is written.
"""

from datetime import datetime

from pydantic import ValidationInfo, field_validator

from common.contract.field_errors import field_error
from common.contract.models import WireIn
from common.values.enums import PricingModel, Priority
from common.values.errors import Detail
from common.values.messages import Message


class Flown(WireIn):
    """A body with ``pricing_model``, ``priority``, its flight and ``share_of_voice_percent``, in this order."""

    @field_validator("start_at", "end_at", check_fields=False)
    @classmethod
    def _bought_whole(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        name = str(info.field_name)
        _refuse(unbounded_fault(info.data.get("pricing_model"), name, value))
        return value

    @field_validator("end_at", check_fields=False)
    @classmethod
    def _ends_later(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        _refuse(flight_fault(info.data.get("start_at"), value))
        return value

    @field_validator("share_of_voice_percent", check_fields=False)
    @classmethod
    def _of_a_sponsorship(cls, value: int | None, info: ValidationInfo) -> int | None:
        _refuse(share_fault(info.data.get("priority"), value))
        return value


class Budgeted(WireIn):
    """A body with ``total_cents`` and ``daily_cents``, in this order."""

    @field_validator("daily_cents", check_fields=False)
    @classmethod
    def _within_total(cls, value: int | None, info: ValidationInfo) -> int | None:
        _refuse(budget_fault(info.data.get("total_cents"), value))
        return value


def flight_fault(start_at: datetime | None, end_at: datetime | None) -> Detail | None:
    if start_at is None or end_at is None or start_at < end_at:
        return None
    return Detail("end_at", "flight_order", Message("`end_at` must be later than `start_at`."))


def unbounded_fault(
    pricing_model: str | None, name: str, instant: datetime | None
) -> Detail | None:
    """*name*: the field that holds *instant*, ``start_at`` or ``end_at``."""
    if pricing_model != PricingModel.FLAT_RATE or instant is not None:
        return None
    return Detail(
        name,
        "required",
        Message("A `flat_rate` campaign needs a complete flight. Set `{field}`.", field=name),
    )


def share_fault(priority: str | None, percent: int | None) -> Detail | None:
    """*priority*: None if unknown."""
    if percent is None or priority in (None, Priority.SPONSORSHIP):
        return None
    return Detail(
        "share_of_voice_percent",
        "needs_sponsorship",
        Message(
            "A share of voice needs the priority `sponsorship`. Set that priority, or remove the "
            "share."
        ),
    )


def budget_fault(total_cents: int | None, daily_cents: int | None) -> Detail | None:
    if total_cents is None or daily_cents is None or daily_cents <= total_cents:
        return None
    return Detail(
        "budget.daily_cents",
        "above_total",
        Message("`daily_cents` must not be more than `total_cents`."),
    )


def _refuse(fault: Detail | None) -> None:
    if fault is not None:
        raise field_error(fault.code, fault.message)
