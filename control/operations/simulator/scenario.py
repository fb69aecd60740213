"""The input of a simulation: traffic, campaigns, machines and faults, as a TOML file of some twenty lines."""

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
    """A file that is no scenario; the message lists every fault."""


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Outage(Part):
    """Hours from the start in which no requests arrive."""

    from_h: Hours
    for_h: Hours


class TrafficSpike(Outage):
    """A multiple of the usual traffic."""

    times: Annotated[float, Field(gt=1, le=1000)]


class Traffic(Part):
    """
    ``hours``: relative traffic of each hour of the day (UTC), in any unit.

    ``weekend``: traffic of Saturdays and Sundays relative to the other days; ``kinds``: the number of different users;
    ``slots``: the number of slots.
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
    ``sizes``: events that each campaign's budget buys, in turn.

    ``demand``: where given, sizes are scaled so that all campaigns together need this share of the traffic.
    ``targeted``, ``daily``, ``short``: shares of campaigns that have targeting, have a daily budget, or run for less
    than the whole time.
    """

    count: Count
    sizes: Annotated[tuple[Count, ...], Field(min_length=1)]
    demand: Annotated[float, Field(gt=0)] | None = None
    pacing: Annotated[tuple[Literal["even", "front_loaded", "asap"], ...], Field(min_length=1)] = (
        "even",
    )
    slots: Count | None = None
    targeted: Share = 0.5
    daily: Share = 0.0
    short: Share = 0.0


class Fleet(Part):
    """``exchange_s``: how often a worker reports and receives grants; 1 on a real edge."""

    edges: Count = 1
    workers: Count = 1
    exchange_s: Annotated[int, Field(ge=1, le=4)] = 1


class Events(Part):
    """``shown``: the share of fills whose impression arrives; ``after_s``: its mean delay."""

    shown: Share = 1.0
    after_s: Annotated[float, Field(gt=0, le=600)] = 2.0


class Fault(Part):
    """
    ``edge_dies``: all workers of one edge die at once, with their unreported commits; new ones start after ``for_s``.

    ``redis_away``: no messages are exchanged for ``for_s``, and then Redis is empty. ``allocator_replaced``: another
    allocator takes over from the stored leases.
    """

    kind: Literal["edge_dies", "redis_away", "allocator_replaced"]
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
        """The start of the hour in which it begins, in epoch ms."""
        return to_ms(self.start) // HOUR_MS * HOUR_MS

    @property
    def end_ms(self) -> int:
        return self.start_ms + self.hours * HOUR_MS


def read_scenario(name: str) -> Scenario:
    """Reads a file, or a scenario of `COMMITTED` by its name. Raises `ScenarioInvalid`."""
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
    """Epoch ms of this many hours after the start."""
    return scenario.start_ms + round(hours * HOUR_MS)
