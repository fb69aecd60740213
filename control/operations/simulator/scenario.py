"""What a simulation is told: traffic, campaigns, machines and what breaks, as a TOML file of some twenty lines."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from common.values.clock import to_ms

HOUR_MS = 3_600_000
COMMITTED = Path(__file__).with_name("scenarios")

Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Hours = Annotated[float, Field(ge=0)]


class ScenarioInvalid(ValueError):
    """A file that is no scenario; the message names every fault."""


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Outage(Part):
    """Hours from the start on in which nobody asks."""

    from_h: Hours
    for_h: Hours


class TrafficSpike(Outage):
    """As many times the usual traffic."""

    times: Annotated[float, Field(gt=1, le=1000)]


class Traffic(Part):
    """
    ``hours``: how busy each hour of the day is (UTC), by any measure; ``weekend``: Saturdays and Sundays against the
    other days; ``kinds``: how many different callers there are; ``slots``: where they ask.
    """

    requests_a_day: Count
    hours: Annotated[tuple[Annotated[float, Field(ge=0)], ...], Field(min_length=24, max_length=24)]
    weekend: Annotated[float, Field(gt=0)] = 1.0
    kinds: Count = 500
    slots: Count = 4
    dead: tuple[Outage, ...] = ()
    flash: tuple[TrafficSpike, ...] = ()


class Campaigns(Part):
    """
    ``sizes``: events each campaign's budget buys, in turn. ``demand``: where given, sizes are scaled so that all of
    them together want this part of the traffic. ``aimed``, ``daily``, ``short``: parts that target, have a budget a day
    and run for less than the whole time.
    """

    count: Count
    sizes: Annotated[tuple[Count, ...], Field(min_length=1)]
    demand: Annotated[float, Field(gt=0)] | None = None
    pacing: Annotated[tuple[Literal["even", "front_loaded", "asap"], ...], Field(min_length=1)] = (
        "even",
    )
    slots: Count | None = None
    aimed: Share = 0.5
    daily: Share = 0.0
    short: Share = 0.0


class Fleet(Part):
    """``exchange_s``: how often a worker tells and asks; the edge's own is 1."""

    edges: Count = 1
    workers: Count = 1
    exchange_s: Annotated[int, Field(ge=1, le=4)] = 1


class Events(Part):
    """``shown``: the part of fills whose impression comes; ``after_s``: how long after, in the mean."""

    shown: Share = 1.0
    after_s: Annotated[float, Field(gt=0, le=600)] = 2.0


class Fault(Part):
    """
    ``edge_dies``: all workers of one at once, with what they had not told; new ones come after ``for_s``.
    ``redis_away``: nothing is told for so long, and then Redis is empty. ``grantor_replaced``: another takes over from
    its books.
    """

    kind: Literal["edge_dies", "redis_away", "grantor_replaced"]
    at_h: Hours
    for_s: Annotated[float, Field(ge=0)] = 30.0
    edge: Annotated[int, Field(ge=1)] = 1


class Scenario(Part):
    name: str
    seed: int = 1
    start: AwareDatetime
    hours: Count
    warm_up_h: Count = 1
    settle_s: Count = 660
    traffic: Traffic
    campaigns: Campaigns
    fleet: Fleet = Fleet()
    events: Events = Events()
    faults: tuple[Fault, ...] = ()

    @property
    def start_ms(self) -> int:
        """The hour in which it begins."""
        return to_ms(self.start) // HOUR_MS * HOUR_MS

    @property
    def end_ms(self) -> int:
        return self.start_ms + self.hours * HOUR_MS


def read_scenario(name: str) -> Scenario:
    """A file, or one of `COMMITTED` by its name. Raises `ScenarioInvalid`."""
    path = Path(name)
    if not path.is_file():
        path = COMMITTED / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(one.stem for one in COMMITTED.glob("*.toml")))
        raise ScenarioInvalid(f"{name} is no file. Scenarios that come along: {known}.")
    try:
        return Scenario.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise ScenarioInvalid(f"{path}: {error}") from error
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors()
        ]
        raise ScenarioInvalid(f"{path}: {'; '.join(faults)}") from error


def at(scenario: Scenario, hours: float) -> int:
    """Epoch ms of so many hours after the start."""
    return scenario.start_ms + round(hours * HOUR_MS)
