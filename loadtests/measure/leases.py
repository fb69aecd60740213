"""
``make measure-leases``: what leases of 100 000 campaigns cost a starting worker, with a real `control pace` on
PostgreSQL and Redis. `CAMPAIGNS` may be fewer.

The edge starts twice: with a budget for each campaign, and with none. Bars: leases delay a start by two seconds at
most; the worker then holds all of them; and nothing blocks its event loop, or that of `control pace`, for over 50 ms.
Time in which a process was ready to run but had no core does not count as a stall, because others may use the machine.
"""

import asyncio
import gc
import multiprocessing
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from common.pacing.lease import AHEAD_UNITS
from common.pacing.lease_messages import run_to_end
from common.pacing.worker_leases import LeasedBudgets
from common.service.channels import Channels
from common.snapshot.model import Budget
from common.values.clock import SystemClock
from deploy.standalone.postgres import Postgres
from deploy.standalone.process import list_below
from edge.adapters.redis_leases import RedisLeaseStore
from edge.state.lease_client import LeaseClient
from loadtests.bench.lease import PACE_NAMESPACE, PRICE_MICROS, open_campaigns, pace_environment
from loadtests.bench.report import Report
from loadtests.bench.rounds import OTHER_CORE, cpu_seconds, pinned_to
from loadtests.bench.scale import measure_scale
from loadtests.bench.servers import (
    Engines,
    Running,
    answer,
    await_ready,
    edge_on,
    end,
    engines,
    free_port,
    make_keys,
    metrics_of,
)
from loadtests.bench.world import World, make_world

_CAMPAIGNS = int(os.environ.get("CAMPAIGNS", "100000"))
_BUDGET_CENTS = 10_000_000
_LEASES_S = 240.0
_PROBE_S = 0.005


class Bystander:
    """
    Calls a process's internal listener again and again, and keeps the longest response time. It is a process of its
    own, because another thread's hold on the interpreter would count as the listener's.
    """

    def __init__(self, pid: int, port: int) -> None:
        self.pid = pid
        self.port = port
        self._is_over = multiprocessing.Event()
        self._longest_ms = multiprocessing.Value("d", 0.0)
        self._process = multiprocessing.Process(target=self._run)

    def start(self) -> None:
        self._process.start()

    def stop(self) -> float:
        """Returns the longest response time in ms."""
        self._is_over.set()
        self._process.join()
        return float(self._longest_ms.value)

    def _run(self) -> None:
        gc.freeze()
        while not self._is_over.wait(_PROBE_S):
            started_s, waited_s = time.perf_counter(), self._waited_s()
            answer(self.port, "/livez")
            took_s = time.perf_counter() - started_s - (self._waited_s() - waited_s)
            self._longest_ms.value = max(self._longest_ms.value, took_s * 1000)

    def _waited_s(self) -> float:
        """Time without a core, of the process and of this thread."""
        own = _schedstat_s(Path("/proc/thread-self/schedstat"))
        return own + sum(map(_schedstat_s, Path(f"/proc/{self.pid}/task").glob("*/schedstat")))


def _schedstat_s(path: Path) -> float:
    """How long a thread was ready to run but had no core, since it began."""
    try:
        return int(path.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def _start_s(pid: int) -> float:
    """Seconds since process *pid* was started, less the time that its worker's loop waited for a core."""
    worker = list_below(pid)[-1]
    return _age_s(pid) - _schedstat_s(Path(f"/proc/{worker}/schedstat"))


def _age_s(pid: int) -> float:
    """Seconds since process *pid* was started."""
    ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    up_s = float(Path("/proc/uptime").read_text().split()[0])
    return up_s - ticks / os.sysconf("SC_CLK_TCK")


def _start_pace(steps: ExitStack, behind: Engines, world: World) -> tuple[int, int]:
    """Starts `control pace` with the campaigns of *world*; returns its process and its internal port."""
    postgres = Postgres(behind.folder / "postgres")
    postgres.start()
    steps.callback(postgres.stop)
    port = free_port()
    environment = pace_environment(behind.folder, postgres.url, behind.redis_url, port)
    subprocess.run([sys.executable, "-m", "control", "migrate"], env=environment, check=True)
    asyncio.run(open_campaigns(postgres.url, world.campaigns))
    pace = subprocess.Popen(
        [sys.executable, "-m", "control", "pace"],
        env=environment,
        preexec_fn=pinned_to(OTHER_CORE),  # noqa: PLW1509 - no threads here
    )
    steps.callback(end, pace)
    await_ready(port, "/readyz")
    return pace.pid, port


async def _first_leases_s(redis_url: str) -> float:
    """How long `control pace` takes from its start until a worker holds a lease of every campaign."""
    started_s, budgets = time.perf_counter(), LeasedBudgets()
    store = RedisLeaseStore.open(redis_url, Channels(PACE_NAMESPACE))
    leasing = LeaseClient(budgets, store, SystemClock(), "measure/first")
    while _leased(run_to_end(budgets.count_steps())[1]) < 1.0:
        if time.perf_counter() - started_s > _LEASES_S:
            raise SystemExit(f"no leases of every campaign within {_LEASES_S:.0f} s")
        await asyncio.sleep(0.25)
        await leasing.exchange()
    took_s = time.perf_counter() - started_s
    await leasing.close()
    await store.close()
    return took_s


def _await_leases(running: Running) -> dict[str, float]:
    """Once the edge is ready: the share of leases that it holds, and how long the others take."""
    started_s, found, longest_s = time.perf_counter(), -1.0, 0.0
    first = -1.0
    while found < 1.0 and time.perf_counter() - started_s < _LEASES_S:
        metrics = metrics_of(running)
        found = _leased(metrics["budget_over_delivery_micros"])
        first = found if first < 0 else first
        longest_s = max(longest_s, metrics["loop_longest_stall_seconds/own"])
    return {
        "leased": first,
        "leases_after_ready_s": time.perf_counter() - started_s,
        "worker_longest_stall_ms": longest_s * 1000,
    }


def _leased(micros: float) -> float:
    """The share of the leases of all campaigns that *micros* represent."""
    return micros / (_CAMPAIGNS * AHEAD_UNITS * PRICE_MICROS)


def main() -> int:
    report = Report("measure-leases")
    keys = make_keys()
    bare = make_world(keys, campaigns=_CAMPAIGNS)
    budget = Budget(_BUDGET_CENTS * 10_000, None)
    paid = bare.with_campaigns([replace(one, budget=budget) for one in bare.campaigns])
    with engines() as behind, ExitStack() as steps:
        with edge_on(behind, bare, keys, "bare") as running:
            report.figures["start_without_budgets_s"] = _start_s(running.pid)
            report.figures["start_without_budgets_cpu_s"] = cpu_seconds(running.pid)
        pace, port = _start_pace(steps, behind, paid)
        report.figures["pace_begins_s"] = asyncio.run(_first_leases_s(behind.redis_url))
        watch = Bystander(pace, port)
        used_s = cpu_seconds(pace)
        watch.start()
        with edge_on(behind, paid, keys, PACE_NAMESPACE, grants=False) as running:
            report.figures["start_s"] = _start_s(running.pid)
            report.figures["start_cpu_s"] = cpu_seconds(running.pid)
            report.figures |= _await_leases(running)
        report.figures["pace_longest_stall_ms"] = watch.stop()
        report.figures["pace_cpu_s"] = cpu_seconds(pace) - used_s
    report.figures["campaigns"] = _CAMPAIGNS
    longer = report.figures["start_s"] - report.figures["start_without_budgets_s"]
    report.figures["longer_s"] = longer
    report.reach = {
        "max_longer_s": 2.0,
        "leased": 1.0,
        "max_worker_longest_stall_ms": 50.0,
        "max_pace_longest_stall_ms": 50.0,
    }
    report.scale = measure_scale()
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
