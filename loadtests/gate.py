"""The objectives that a run must meet: errors, corrected times, and what the oracle finds. Gives the exit code."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from uuid import UUID

from deploy.drills.oracle import Verdict, await_stored
from loadtests.latencies import Latencies

MAX_FAILED = 0.0005
"""Share of calls: the objective of serve's availability is 99.95 %."""
CORRECTED_P99_MS: Mapping[str, float] = {"/v1/serve": 250.0, "/v1/track": 250.0, "/v1/click": 250.0}
"""By the beginning of a call's name; of a machine that also runs the load. ``LOAD_P99_MS`` replaces them."""
_OTHER_P99_MS = 1500.0
_MIN_CALLS = 100
"""Calls of a name below which its p99 is a single call."""
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Judgement:
    """``missed``: a sentence for each objective that was missed."""

    calls: int
    failed: int
    corrected_p99_ms: Mapping[str, float]
    oracle: Verdict | None
    missed: Sequence[str]

    def to_json(self) -> dict[str, object]:
        return {**asdict(self), "ok": not self.missed}


def limit_of(name: str) -> float:
    """The largest corrected p99 of calls of *name*, in milliseconds."""
    given = os.environ.get("LOAD_P99_MS")
    for begin, limit_ms in CORRECTED_P99_MS.items():
        if name.startswith(begin):
            return float(given or limit_ms)
    return _OTHER_P99_MS


def is_within(name: str, times: Latencies) -> bool:
    return len(times) < _MIN_CALLS or times.percentile(0.99) <= limit_of(name)


def judge(
    calls: int,
    failed: int,
    corrected: Mapping[str, Latencies],
    oracle: Verdict | None,
    raised: Mapping[str, int] = MappingProxyType({}),
    *,
    lost_workers: int = 0,
) -> Judgement:
    """
    *oracle*: None where no database can be looked at. *raised*: how often tasks of users ended with which error.
    *lost_workers*: those whose last calls are missing.
    """
    missed = [
        f"{error} ended {count} tasks of users: correct the load."
        for error, count in sorted(raised.items())
    ]
    if lost_workers:
        missed.append(f"{lost_workers} workers did not report their last calls.")
    if calls == 0:
        missed.append("No call was made.")
    elif failed / calls > MAX_FAILED:
        missed.append(f"{failed} of {calls} calls failed, more than {MAX_FAILED:.2%}.")
    for name, times in sorted(corrected.items()):
        if not is_within(name, times):
            p99 = times.percentile(0.99)
            missed.append(f"The p99 of {name} is {p99:.0f} ms, above {limit_of(name):.0f}.")
    if oracle is not None and oracle.lost:
        missed.append(f"{oracle.lost} acknowledged events are not stored.")
    if oracle is not None and oracle.doubled:
        missed.append(f"{oracle.doubled} events count twice.")
    p99s = {name: round(times.percentile(0.99), 1) for name, times in sorted(corrected.items())}
    return Judgement(calls, failed, p99s, oracle, missed)


def ask_oracle(database_url: str | None, token_ids: Sequence[UUID]) -> Verdict | None:
    """Where acknowledged impressions are, when all are stored or after a minute; None without a database."""
    if database_url is None:
        return None
    return asyncio.run(await_stored(database_url, token_ids, patience_s=_PATIENCE_S))
