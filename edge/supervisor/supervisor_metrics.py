"""What the supervisor counts, as Prometheus families read off the living parts at each scrape."""

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

    def _snapshot(self) -> Iterator[Metric]:
        overview = self._overview
        state, age_s = overview.receive.receiver.state, overview.age_s()
        yield _gauge("snapshot_version", "Version received.", state.version if state else 0)
        yield _gauge("snapshot_objects", "Objects in it.", len(state) if state else 0)
        if age_s is not None:
            yield _gauge(
                "snapshot_age_seconds", "Since the control plane last confirmed it.", age_s
            )
        states = GaugeMetricFamily(
            "placard_edge_snapshot_state", "1 for the state its age is in.", labels=["state"]
        )
        now = overview.age_state()
        for one in AgeState:
            states.add_metric([one.value], float(one is now))
        yield states

    def _receiving(self) -> Iterator[Metric]:
        counts, keep = self._overview.receive.counts, self._overview.keep
        yield _gauge("snapshot_bell_up", "Whether the bell is heard.", float(counts.bell_up))
        yield _counter("snapshot_pulls", "Pulls begun.", counts.pulls)
        yield _counter("snapshot_pulls_failed", "Pulls that got nowhere.", counts.pulls_failed)
        yield _counter(
            "snapshot_pulls_aside", "Pulls from publish itself, Redis failing.", counts.pulls_aside
        )
        yield _counter("snapshot_bells_lost", "Times the bell was lost.", counts.bells_lost)
        yield _counter("snapshot_refused", "Snapshots or deltas refused.", counts.refused)
        yield _counter("snapshot_not_kept", "Writes to disk that failed.", keep.failures)

    def _workers(self) -> Iterator[Metric]:
        up = GaugeMetricFamily(
            "placard_edge_worker_up",
            "Whether it takes requests and has a snapshot.",
            labels=["worker"],
        )
        restarts = CounterMetricFamily(
            "placard_edge_worker_restarts", "Times it was started again.", labels=["worker"]
        )
        for worker in self._overview.workers:
            up.add_metric([str(worker.number)], float(worker.feed.serving))
            restarts.add_metric([str(worker.number)], worker.restarts)
        yield up
        yield restarts

    def _records(self) -> Iterator[Metric]:
        resender = self._overview.resender
        yield _gauge("spool_kept_bytes", "Shipped and kept for a while.", resender.kept_bytes)
        yield _counter("records_sent_again", "That the log had lost.", resender.sent)


def _gauge(name: str, description: str, value: float) -> Metric:
    return GaugeMetricFamily(f"placard_edge_{name}", description, value=value)


def _counter(name: str, description: str, value: float) -> Metric:
    return CounterMetricFamily(f"placard_edge_{name}", description, value=value)
