"""What a forecast is made of, and what comes of it: values that go to a process of their own and come back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from common.snapshot.messages import ObjectChange
from common.snapshot.model import Ad, Campaign
from common.values.enums import Pacing
from common.values.environment import Environment


@dataclass(frozen=True, slots=True)
class Week:
    """Of one slot: requests by the hour of the week (`common.pacing.curve`), and in how many weeks it was looked at."""

    requests: tuple[int, ...]
    seen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """
    ``entries``: what edges know of the account in that environment. ``pacings``: of its campaigns, by id. ``campaign``
    and ``ads``: what is proposed. ``weeks``: by slot. ``days``: requests of each whole day that was looked at.
    ``shown``: impressions a fill. ``records``: recorded decisions, as they travel; each stands for as many others.
    """

    environment: Environment
    entries: Sequence[ObjectChange]
    pacings: Mapping[str, Pacing]
    campaign: Campaign
    ads: Sequence[Ad]
    pacing: Pacing
    now_ms: int
    from_ms: int
    until_ms: int
    weeks: Mapping[str, Week]
    days: Sequence[int]
    shown: float
    records: Sequence[bytes]
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Span:
    """The likely number, and the least and most that nineteen of twenty such forecasts should hold."""

    low: int
    likely: int
    high: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """
    Impressions in the period. ``matched``: those the campaign fits; of these ``booked`` go to campaigns that rank
    before it, the others are ``available``; ``contested`` is the part of the available that somebody else would have.
    ``delivered``: what its budget and goal let it take of them. ``limited_by``: traffic, budget or goal.
    """

    matched: Span
    booked: Span
    available: Span
    contested: Span
    delivered: Span
    spend_micros: Span
    limited_by: str
    records: int
