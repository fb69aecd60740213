"""
``python -m loadtests.capacity --requests-per-s N …``: machines, partitions, disks and dollars for a load, from measured
costs. Prints a table, or JSON with ``--json``. `docs/capacity.md` explains the figures and names the first wall.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from math import ceil
from typing import Final

import orjson

from common.service.channels import LOG_PARTITIONS

_HOURS_A_MONTH: Final = 730
_SECONDS_A_DAY: Final = 86_400
_GB: Final = 1e9


@dataclass(frozen=True, slots=True)
class Cost:
    """A measured cost: *value* in *unit*, and the command that measures it."""

    value: float
    unit: str
    command: str


COSTS: Final[dict[str, Cost]] = {
    "serve": Cost(25.3, "µs of a core a request, 100 000 campaigns", "make bench-serve-scale"),
    "track": Cost(63.4, "µs of a core a call", "make bench-track"),
    "ship": Cost(3.5, "µs of a core an event", "make bench-ship"),
    "ingest": Cost(17.0, "µs of a core an event", "make bench-ingest"),
    "store": Cost(16.0, "µs of PostgreSQL's cores an event", "make bench-ingest"),
    "lease": Cost(0.301, "cores for 10 000 campaigns", "make bench-lease"),
    "report": Cost(60_000.0, "µs of a core a report", "make bench-reports"),
    "change": Cost(5_090.0, "µs of a core a change by the API", "make bench-control"),
    "record": Cost(1_000.0, "bytes of an event in the log", "python -m loadtests.measure.sizes"),
    "row": Cost(900.0, "bytes of an event in PostgreSQL", "python -m loadtests.measure.sizes"),
    "one_postgresql": Cost(
        38_679.0, "events a second into one PostgreSQL, one process", "make bench-ingest"
    ),
}


@dataclass(frozen=True, slots=True)
class Load:
    """What is asked of a deployment, and what a vCPU and a disk cost. Rates are those of the busiest second."""

    requests_per_s: float = 10_000.0
    fill: float = 0.7
    viewed: float = 0.8
    clicked: float = 0.005
    campaigns: int = 10_000
    reports_per_s: float = 2.0
    changes_per_s: float = 5.0
    peak: float = 2.0
    """The busiest second as a multiple of the mean: disks fill by the mean."""
    utilisation: float = 0.5
    """Part of a core that is planned to be busy in the busiest second."""
    machine_vcpus: int = 16
    log_days: float = 2.0
    log_copies: int = 3
    events_days: float = 90.0
    database_copies: int = 2
    vcpu_usd_hour: float = 0.0446
    """AWS c7i, on demand, us-east-1."""
    disk_usd_gb_month: float = 0.08
    """AWS gp3, us-east-1, without additional throughput."""


@dataclass(frozen=True, slots=True)
class Plan:
    """
    ``databases``: PostgreSQL servers with a control plane and a log of their own, which divide the accounts. 1 is a
    single installation; more is one installation for each group of accounts.
    """

    events_per_s: float
    edge_cores: float
    edge_machines: int
    ingest_cores: float
    ingest_processes: int
    partitions: int
    database_cores: float
    databases: int
    control_cores: float
    log_disk_gb: float
    database_disk_gb: float
    vcpus: float
    usd_month_vcpus: float
    usd_month_disks: float
    usd_month: float
    usd_million_requests: float


def plan(load: Load) -> Plan:
    """Costs times rates, over the planned utilisation. No price of traffic, balancers, support or people is in it."""
    impressions_s = load.requests_per_s * load.fill * load.viewed
    events_s = impressions_s * (1 + load.clicked)
    edge = (
        _cores(load.requests_per_s, "serve") + _cores(events_s, "track") + _cores(events_s, "ship")
    )
    ingest = _cores(events_s, "ingest")
    databases = max(1, ceil(events_s / (COSTS["one_postgresql"].value * load.utilisation)))
    store = _cores(events_s, "store") + _cores(load.reports_per_s, "report")
    control = _cores(load.changes_per_s, "change") + load.campaigns / 10_000 * COSTS["lease"].value
    edge_cores, ingest_cores, database_cores, control_cores = (
        used / load.utilisation for used in (edge, ingest, store, control)
    )
    day_events = events_s / load.peak * _SECONDS_A_DAY
    log_gb = day_events * load.log_days * load.log_copies * COSTS["record"].value / _GB
    database_gb = day_events * load.events_days * load.database_copies * COSTS["row"].value / _GB
    # A standby has the cores of its primary; a broker needs about as many as an ingest process.
    vcpus = (
        max(edge_cores, 2.0 * load.machine_vcpus)
        + ingest_cores
        + max(database_cores, 4.0 * databases) * load.database_copies
        + max(control_cores, 2.0 * databases)
        + max(ingest_cores, 2.0 * load.log_copies * databases)
    )
    usd_vcpus = vcpus * load.vcpu_usd_hour * _HOURS_A_MONTH
    usd_disks = (log_gb + database_gb) * load.disk_usd_gb_month
    month_requests = load.requests_per_s / load.peak * _SECONDS_A_DAY * _HOURS_A_MONTH / 24
    return Plan(
        events_per_s=events_s,
        edge_cores=edge_cores,
        edge_machines=max(2, ceil(edge_cores / load.machine_vcpus)),
        ingest_cores=ingest_cores,
        ingest_processes=max(2 * databases, ceil(ingest_cores)),
        partitions=LOG_PARTITIONS * databases,
        database_cores=database_cores,
        databases=databases,
        control_cores=control_cores,
        log_disk_gb=log_gb,
        database_disk_gb=database_gb,
        vcpus=vcpus,
        usd_month_vcpus=usd_vcpus,
        usd_month_disks=usd_disks,
        usd_month=usd_vcpus + usd_disks,
        usd_million_requests=(usd_vcpus + usd_disks) / month_requests * 1e6,
    )


def _cores(per_s: float, cost: str) -> float:
    return per_s * COSTS[cost].value / 1e6


def _parse(arguments: Sequence[str]) -> tuple[Load, bool]:
    parser = argparse.ArgumentParser(prog="python -m loadtests.capacity", description=__doc__)
    for one in fields(Load):
        parser.add_argument(
            f"--{one.name.replace('_', '-')}", type=float, default=one.default, metavar="N"
        )
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = vars(parser.parse_args(arguments))
    as_json = given.pop("json")
    wrong = [name for name, value in given.items() if value < 0]
    positive = ("requests_per_s", "utilisation", "peak", "machine_vcpus")
    wrong += [name for name in positive if given[name] == 0]
    if wrong:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in wrong)
        parser.error(f"{names}: must be above 0")
    counts = {
        one.name: int(given[one.name]) for one in fields(Load) if isinstance(one.default, int)
    }
    return Load(**given | counts), as_json


def main(arguments: Sequence[str]) -> int:
    load, as_json = _parse(arguments)
    found = plan(load)
    if as_json:
        sys.stdout.write(
            f"{orjson.dumps({'load': asdict(load), 'plan': asdict(found)}).decode()}\n"
        )
        return 0
    for name, value in asdict(found).items():
        sys.stdout.write(f"{name.replace('_', ' '):22} {value:>16,.{_digits(value)}f}\n")
    if found.databases > 1:
        sys.stdout.write(
            f"One PostgreSQL stores {COSTS['one_postgresql'].value:,.0f} events a second: divide the accounts over "
            f"{found.databases} installations (docs/capacity.md).\n"
        )
    return 0


def _digits(value: float) -> int:
    return 0 if isinstance(value, int) or value >= 100 else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
