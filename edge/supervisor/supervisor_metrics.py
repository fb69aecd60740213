"""The supervisor's counters as Prometheus families, read from the running parts at each scrape."""

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from edge.snapshots.age import AgeState
from edge.supervisor.snapshot_overview import Overview


class SupervisorCollector(Collector):
    def __init__(self, overview: Overview) -> None:
        self._overview = overview

    def collect(self) -> Iterator[Metric]:
        yield from self._snapshot()
        yield from self._receiving()
        yield from self._workers()
        yield from self._records()
        yield from self._limits()

    def _snapshot(self) -> Iterator[Metric]:
        overview = self._overview
        state, age_s = overview.receive.receiver.state, overview.age_s()
        yield _gauge(
            "snapshot_version",
            "Version of the newest snapshot received.",
            state.version if state is not None else 0,
        )
        yield _gauge(
            "snapshot_objects",
            "Objects in the newest snapshot.",
            len(state) if state is not None else 0,
        )
        if age_s is not None:
            yield _gauge(
                "snapshot_age_seconds",
                "Time since the control plane last confirmed the snapshot.",
                age_s,
            )
        states = GaugeMetricFamily(
            "placard_edge_snapshot_state",
            "1 for the present state of the snapshot's age, 0 for the others.",
            labels=["state"],
        )
        now = overview.age_state()
        for one in AgeState:
            states.add_metric([one.value], float(one is now))
        yield states

    def _receiving(self) -> Iterator[Metric]:
        counts, keep = self._overview.receive.counts, self._overview.keep
        yield _gauge(
            "snapshot_subscribed",
            "1 while change notifications are subscribed to, else 0.",
            float(counts.subscribed),
        )
        yield _counter("snapshot_pulls", "Pulls of snapshots that were started.", counts.pulls)
        yield _counter(
            "snapshot_pulls_failed", "Pulls of snapshots that failed.", counts.pulls_failed
        )
        yield _counter(
            "snapshot_fallback_pulls",
            "Pulls over HTTP because Redis was unavailable.",
            counts.fallback_pulls,
        )
        yield _counter(
            "snapshot_subscription_losses",
            "Times the subscription to change notifications was lost.",
            counts.subscription_losses,
        )
        yield _counter(
            "snapshots_rejected", "Snapshots and deltas that were rejected.", counts.refused
        )
        yield _counter(
            "snapshot_persist_failures",
            "Snapshots that could not be written to disk.",
            keep.failures,
        )

    def _workers(self) -> Iterator[Metric]:
        up = GaugeMetricFamily(
            "placard_edge_worker_up",
            "1 while the worker accepts requests with a snapshot, else 0.",
            labels=["worker"],
        )
        restarts = CounterMetricFamily(
            "placard_edge_worker_restarts", "Restarts of the worker.", labels=["worker"]
        )
        for worker in self._overview.workers:
            up.add_metric([str(worker.number)], float(worker.feed.serving))
            restarts.add_metric([str(worker.number)], worker.restarts)
        yield up
        yield restarts

    def _records(self) -> Iterator[Metric]:
        replayer = self._overview.replayer
        yield _gauge(
            "spool_retained_bytes",
            "Size of shipped records that are retained.",
            replayer.retained_bytes,
        )
        yield _gauge(
            "spool_segments_unreadable",
            "Segments of the spool that cannot be read, and wait for an operator.",
            replayer.unreadable,
        )
        yield _counter(
            "records_replayed",
            "Records replayed because the event log had lost them.",
            replayer.sent,
        )

    def _limits(self) -> Iterator[Metric]:
        exchange = self._overview.exchange
        yield _gauge(
            "limit_machines",
            "Machines of the environment that divide each rate limit, this one included.",
            exchange.lender.machines,
        )
        yield _counter(
            "limit_exchanges_failed",
            "Exchanges of shares of rate limits with other machines that failed.",
            exchange.failures,
        )


def _gauge(name: str, description: str, value: float) -> Metric:
    return GaugeMetricFamily(f"placard_edge_{name}", description, value=value)


def _counter(name: str, description: str, value: float) -> Metric:
    return CounterMetricFamily(f"placard_edge_{name}", description, value=value)
