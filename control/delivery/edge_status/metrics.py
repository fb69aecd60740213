"""Prometheus metrics of the edges, exposed by publish: living workers, their versions, and lagging workers."""

import asyncio
from collections.abc import Iterator, Sequence

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from common.values.clock import Clock
from common.values.environment import Environment
from common.values.errors import Unavailable
from control.delivery.edge_status.queries import Head, list_living, propagation_of, read_head
from control.storage.database import Database
from control.storage.tables.edges import EdgeWorkerRow

_CHECK_S = 5.0
"""Shorter than any usual interval of scrapes."""


class EdgeCollector(Collector):
    """Call `run` in the leading process; the others expose nothing."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._head: Head | None = None
        self._living: Sequence[EdgeWorkerRow] = ()

    async def run(self) -> None:
        """Runs until cancelled."""
        try:
            while True:
                try:
                    async with self._database.service() as session:
                        self._head = await read_head(session)
                        self._living = await list_living(session, self._clock.now())
                except Unavailable:
                    self._head = None
                await asyncio.sleep(_CHECK_S)
        finally:
            self._head = None

    def collect(self) -> Iterator[Metric]:
        if self._head is not None:
            yield from self._counts(self._head)
            yield from self._each()

    def _counts(self, head: Head) -> Iterator[Metric]:
        workers = GaugeMetricFamily(
            "placard_edges_workers", "Workers seen in the last 60 s.", labels=["environment"]
        )
        pending = GaugeMetricFamily(
            "placard_edges_behind",
            "Workers that have not acknowledged the newest version.",
            labels=["environment"],
        )
        for environment in Environment:
            here = [row for row in self._living if row.environment == environment]
            workers.add_metric([environment.value], len(here))
            lacking = propagation_of(here, head.epoch, head.version).pending
            pending.add_metric([environment.value], len(lacking))
        yield from (workers, pending)

    def _each(self) -> Iterator[Metric]:
        labels = ["environment", "worker"]
        version = GaugeMetricFamily(
            "placard_edges_worker_version",
            "Version of the snapshot that the worker serves from.",
            labels=labels,
        )
        age = GaugeMetricFamily(
            "placard_edges_worker_age_seconds",
            "Time since the control plane last confirmed that version to the worker.",
            labels=labels,
        )
        ok = GaugeMetricFamily(
            "placard_edges_worker_accepted",
            "1 if the worker accepted the last snapshot (ACK), 0 if it rejected it (NACK).",
            labels=labels,
        )
        now = self._clock.now()
        for row in self._living:
            who = [row.environment, row.worker]
            version.add_metric(who, row.version)
            age.add_metric(who, row.age_s + max(0.0, (now - row.seen_at).total_seconds()))
            ok.add_metric(who, float(row.ok))
        yield from (version, age, ok)
