"""The input and the output of a forecast: values that are sent to a process of its own and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from common.snapshot.messages import ObjectChange
from common.snapshot.model import Ad, Campaign
from common.values.enums import Pacing
from common.values.environment import Environment


@dataclass(frozen=True, slots=True)
class Week:
    """
    Of one slot: requests by the hour of the week (`common.pacing.curve`), and the number of weeks each hour was
    observed.
    """

    requests: tuple[int, ...]
    seen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """
    The input of a forecast.

    ``entries``: the account's published objects in that environment. ``pacings``: of its campaigns, by id. ``campaign``
    and ``ads``: the proposed ones. ``weeks``: by slot. ``days``: requests of each whole observed day. ``shown``:
    impressions a fill. ``records``: recorded decisions, serialised; each stands for an equal number of others.
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
class ForecastInterval:
    """The likely number, with the bounds of its 95 % interval."""

    low: int
    likely: int
    high: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """
    Impressions in the period. ``matched``: those the campaign fits.

    Of these, ``booked`` go to campaigns that rank before it, and the others are ``available``. ``contested`` is the
    part of the available that other campaigns would otherwise get. ``delivered``: what its budget and goal let it take
    of the available. ``limited_by``: traffic, budget or goal.
    """

    matched: ForecastInterval
    booked: ForecastInterval
    available: ForecastInterval
    contested: ForecastInterval
    delivered: ForecastInterval
    spend_micros: ForecastInterval
    limited_by: str
    records: int
