"""The plans on offer. Today there is one: the account pays only for what is delivered."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubscriptionPlan:
    id: str
    name: str


STANDARD = SubscriptionPlan("standard", "Standard")
PLANS = {plan.id: plan for plan in (STANDARD,)}
