"""One worker's Prometheus text; the supervisor puts the workers' texts together."""

from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from common.decision.index import search_counts
from common.service.exposition import add_process_metrics
from edge.context import EdgeContext
from edge.runtime.cooperative import run_cooperatively
from edge.runtime.latency import BOUNDS_S
from edge.runtime.loop_lag import BOUNDS_MS


async def render_metrics(edge: EdgeContext) -> bytes:
    """The text exposition format, of this instant; of many budgets, of the moments in which they are counted."""
    in_flight, over_delivery = await run_cooperatively(edge.budgets.count_steps())
    registry = CollectorRegistry()
    add_process_metrics(registry)
    registry.register(WorkerCollector(edge, in_flight, over_delivery))
    return generate_latest(registry)


class WorkerCollector(Collector):
    """Micros are of budgets: *in_flight* and *over_delivery* as `Budgets.count_steps` has them."""

    def __init__(self, edge: EdgeContext, in_flight: int, over_delivery: int) -> None:
        self._edge = edge
        self._in_flight = in_flight
        self._over_delivery = over_delivery

    def collect(self) -> Iterator[Metric]:
        metrics = self._edge.metrics
        yield _labelled("decisions", "Serve decisions.", "outcome", metrics.decisions)
        yield _labelled("refusals", "Errors answered.", "code", metrics.refusals)
        yield _counter(
            "answered_at_once",
            "Serve and track calls that took the short ways.",
            metrics.answered_at_once,
        )
        yield self._latencies()
        yield _labelled("assets", "Assets served.", "status", metrics.assets)
        yield _counter("asset_bytes", "Bytes of assets asked for.", metrics.asset_bytes)
        yield from self._connections()
        yield from self._redeeming()
        yield from self._budgets()
        yield from self._caps()
        yield from self._spool()
        yield from self._snapshot()
        yield from self._index()
        yield from self._loop()
        yield from self._geo()
        yield from self._traffic()

    def _latencies(self) -> Metric:
        family = HistogramMetricFamily(
            "placard_edge_request_seconds",
            "Time from a call's head to its answer, by operation and outcome (ok, no_fill, refused, failed).",
            labels=["operation", "outcome"],
        )
        bounds = [*map(floatToGoString, BOUNDS_S), "+Inf"]
        for (operation, outcome), histogram in sorted(self._edge.metrics.latencies.found.items()):
            buckets = list(zip(bounds, accumulate(histogram.counts), strict=True))
            family.add_metric([operation, outcome], buckets, histogram.sum_s)
        return family

    def _connections(self) -> Iterator[Metric]:
        connections = self._edge.metrics.connections
        yield _gauge("connections_open", "Held now.", connections.open)
        yield _counter("connections_refused", "Closed past the bound.", connections.refused)
        yield _counter("connections_stalled", "Cut: they did not read.", connections.stalled)

    def _redeeming(self) -> Iterator[Metric]:
        counts = self._edge.redeeming.counts
        yield _counter("events_counted", "Events kept.", counts.counted)
        yield _counter("events_invalid", "Of those, marked invalid traffic.", counts.invalid)
        yield _counter("events_duplicate", "Replays of redeemed tokens.", counts.duplicate)
        yield _counter("tokens_refused", "Tokens not ours or not of here.", counts.refused)
        yield _counter("tokens_expired", "Tokens shown too late.", counts.expired)
        yield _counter("events_exceeded", "Calls beyond their address's rate.", counts.exceeded)
        yield _counter("events_summed", "Of those, summed events.", counts.summed)
        yield _counter("events_lost", "Events a full spool refused.", counts.lost_spool_full)
        yield _counter("token_store_skipped", "Calls without the store.", counts.store_skipped)

    def _budgets(self) -> Iterator[Metric]:
        yield _gauge("budget_in_flight_micros", "Committed, on its way.", self._in_flight)
        yield _gauge(
            "budget_over_delivery_micros",
            "This worker's part of what may be delivered beyond budgets; none of it is billed.",
            self._over_delivery,
        )

    def _caps(self) -> Iterator[Metric]:
        capping = self._edge.capping
        yield _counter("caps_lookups", "Serve calls that asked for counts.", capping.lookups)
        yield _counter("caps_remembered", "Of those, answered from memory.", capping.remembered)
        yield _counter("caps_unknown", "Of those, answered by nobody.", capping.unknown)
        yield _gauge("caps_wait_seconds", "How long a call waits for counts.", capping.wait_s)
        yield _counter("caps_lost", "Events that caps did not count.", capping.lost)
        yield _gauge("caps_waiting", "Events that caps are to count.", capping.waiting)

    def _spool(self) -> Iterator[Metric]:
        spool = self._edge.spool
        yield _gauge("spool_bytes", "Events on disk, not yet settled.", spool.size_bytes)
        yield _counter("spool_refused", "Appends refused.", spool.refused)
        decisions = self._edge.decisions
        yield _counter("decisions_recorded", "Records taken for explain.", decisions.kept)
        yield _counter("decisions_unrecorded", "Records without room.", decisions.dropped)

    def _snapshot(self) -> Iterator[Metric]:
        handle = self._edge.snapshots
        if handle.ready:
            age_s = handle.age_s(self._edge.clock.now_ms())
            yield _gauge("worker_snapshot_version", "Adopted.", handle.current().version)
            yield _gauge("worker_snapshot_age_seconds", "Since it was last confirmed.", age_s)
        yield _gauge("rate_limit_buckets", "Callers remembered.", len(self._edge.limiter))

    def _index(self) -> Iterator[Metric]:
        snapshot = self._edge.snapshots.find_current()
        if snapshot is not None:
            found = search_counts(snapshot, self._edge.settings.ranking)
            yield _counter("searches", "Decisions of a kind not remembered.", found.searches)
            yield _counter("index_builds", "Indexes built of a whole property.", found.builds)

    def _loop(self) -> Iterator[Metric]:
        metrics = self._edge.metrics
        yield _counter("whole_collections", "Walks over all objects.", metrics.whole_collections)
        yield _counter("garbage", "Objects that those freed.", metrics.garbage)
        watch = metrics.loop
        stalls = CounterMetricFamily(
            "placard_edge_loop_stalls", "Stalls longer than that.", labels=["part", "over_ms"]
        )
        longest = GaugeMetricFamily(
            "placard_edge_loop_longest_stall_seconds", "Since the last scrape.", labels=["part"]
        )
        for part, counts in watch.stalls.items():
            longest.add_metric([part], watch.take_longest_s(part))
            for bound_ms in BOUNDS_MS:
                stalls.add_metric([part, str(bound_ms)], counts[bound_ms])
        yield stalls
        yield longest

    def _traffic(self) -> Iterator[Metric]:
        lists, salts = self._edge.lists, self._edge.salts
        yield _counter("traffic_list_failures", "Lists that could not be read.", lists.failures)
        yield _counter("salt_store_skipped", "Looks for the day's salt in vain.", salts.skipped)

    def _geo(self) -> Iterator[Metric]:
        geo = self._edge.geo
        yield _counter("geo_failures", "Geo databases that could not be read.", geo.failures)
        yield _gauge(
            "geo_built_seconds", "Deprecated: use geo_built_timestamp_seconds.", geo.built_s
        )
        yield _gauge(
            "geo_built_timestamp_seconds", "When the geo database was built; 0: none.", geo.built_s
        )


def _labelled(name: str, description: str, label: str, counts: dict[str, int]) -> Metric:
    family = CounterMetricFamily(f"placard_edge_{name}", description, labels=[label])
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family


def _counter(name: str, description: str, value: float) -> Metric:
    return CounterMetricFamily(f"placard_edge_{name}", description, value=value)


def _gauge(name: str, description: str, value: float) -> Metric:
    return GaugeMetricFamily(f"placard_edge_{name}", description, value=value)
