"""The plans on offer. Today there is one: the account pays only for what is delivered."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    id: str
    name: str


STANDARD = Plan("standard", "Standard")
PLANS = {plan.id: plan for plan in (STANDARD,)}
