"""One worker's metrics as Prometheus text; the supervisor merges the texts of all workers."""

from collections.abc import Iterator, Mapping
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics import exposition as openmetrics
from prometheus_client.registry import Collector
from prometheus_client.samples import Exemplar
from prometheus_client.utils import floatToGoString

from common.decision.index import search_counts
from common.service.cooperative import run_cooperatively
from common.service.exposition import TraceCollector, add_process_metrics
from edge.context import EdgeContext
from edge.runtime.latency import Histogram
from edge.runtime.loop_lag import FORMER_BOUNDS_MS


async def render_metrics(edge: EdgeContext) -> bytes:
    """Metrics in the text exposition format. With many budgets, these are counted over several turns of the loop."""
    in_flight, over_delivery = await run_cooperatively(edge.budgets.count_steps())
    registry = CollectorRegistry()
    add_process_metrics(registry)
    registry.register(WorkerCollector(edge, in_flight, over_delivery))
    if edge.tracing is None:
        return generate_latest(registry)
    registry.register(TraceCollector(edge.tracing.tracer))
    # The other format has no exemplars. The library leaves this function untyped.
    text: bytes = openmetrics.generate_latest(registry)  # type: ignore[no-untyped-call]
    return text


class WorkerCollector(Collector):
    """*in_flight* and *over_delivery* are micros of budgets, from `Budgets.count_steps`."""

    def __init__(self, edge: EdgeContext, in_flight: int, over_delivery: int) -> None:
        self._edge = edge
        self._in_flight = in_flight
        self._over_delivery = over_delivery

    def collect(self) -> Iterator[Metric]:
        metrics = self._edge.metrics
        yield _labelled(
            "decisions",
            "Serve decisions, by outcome: fill, or the no-fill reason.",
            "outcome",
            metrics.decisions,
        )
        yield _labelled("refusals", "Error responses, by error code.", "code", metrics.refusals)
        yield _counter(
            "fast_path_requests",
            "Requests answered on the fast path.",
            metrics.fast_path_requests,
        )
        yield self._latencies()
        yield _labelled(
            "assets", "Responses to requests of assets, by status.", "status", metrics.assets
        )
        yield _counter("asset_bytes", "Bytes of assets in responses.", metrics.asset_bytes)
        yield _labelled(
            "audio_downloads",
            "Downloads of stitched content as IAB Podcast Measurement 2.2 counts them, by property.",
            "property",
            metrics.audio_downloads,
        )
        yield from self._connections()
        yield from self._redemptions()
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
            "Time from a request's head to its response, by operation and outcome (ok, no_fill, refused, failed).",
            labels=["operation", "outcome"],
        )
        tracing = self._edge.tracing
        for (operation, outcome), histogram in sorted(self._edge.metrics.latencies.found.items()):
            found = {} if tracing is None else tracing.exemplars.get((operation, outcome), {})
            family.add_metric(
                [operation, outcome], _with_exemplars(histogram, found), histogram.sum_s
            )
        return family

    def _connections(self) -> Iterator[Metric]:
        connections = self._edge.metrics.connections
        yield _gauge("connections_open", "Connections that are open.", connections.open)
        yield _counter(
            "connections_refused",
            "Connections closed because too many were open.",
            connections.refused,
        )
        yield _counter(
            "connections_stalled",
            "Connections closed because the client did not read its responses.",
            connections.stalled,
        )

    def _redemptions(self) -> Iterator[Metric]:
        counts = self._edge.redemptions.counts
        yield _labelled(
            "player_errors",
            "Errors that players of VAST documents reported, by VAST's error code.",
            "code",
            self._edge.metrics.player_errors,
        )
        yield _counter("events_stored", "Events stored in the spool.", counts.counted)
        yield _counter("events_invalid", "Stored events that are invalid traffic.", counts.invalid)
        yield _counter(
            "events_duplicate", "Events of tokens that were redeemed before.", counts.duplicate
        )
        yield _counter(
            "tokens_rejected",
            "Tokens with a wrong signature or of another environment.",
            counts.refused,
        )
        yield _counter("tokens_expired", "Tokens that had expired.", counts.expired)
        yield _counter(
            "events_exceeded",
            "Pixel and click requests beyond the rate of their address.",
            counts.exceeded,
        )
        yield _counter(
            "events_summed", "Requests beyond the rate that were stored as sums.", counts.summed
        )
        yield _counter(
            "events_rejected_spool_full",
            "Events rejected because the spool was full.",
            counts.lost_spool_full,
        )
        yield _counter(
            "token_store_unavailable",
            "Redemptions while the token store was unavailable.",
            counts.store_unavailable,
        )

    def _budgets(self) -> Iterator[Metric]:
        yield _gauge(
            "budget_in_flight_micros",
            "Committed to served ads and not charged yet.",
            self._in_flight,
        )
        yield _gauge(
            "budget_over_delivery_micros",
            "This worker's part of what may be delivered beyond budgets; none of it is billed.",
            self._over_delivery,
        )

    def _caps(self) -> Iterator[Metric]:
        frequency_caps = self._edge.frequency_caps
        yield _counter(
            "cap_lookups", "Serve requests that needed frequency counts.", frequency_caps.lookups
        )
        yield _counter(
            "cap_lookups_cached",
            "Serve requests that used cached frequency counts.",
            frequency_caps.remembered,
        )
        yield _counter(
            "cap_lookups_failed",
            "Serve requests for which no frequency counts were available.",
            frequency_caps.unknown,
        )
        yield _gauge(
            "cap_lookup_timeout_seconds",
            "Longest wait for frequency counts.",
            frequency_caps.wait_s,
        )
        yield _counter(
            "cap_events_dropped", "Events missing from frequency counts.", frequency_caps.lost
        )
        yield _gauge(
            "cap_events_queued",
            "Events waiting to be added to frequency counts.",
            frequency_caps.waiting,
        )

    def _spool(self) -> Iterator[Metric]:
        spool = self._edge.spool
        yield _gauge(
            "spool_bytes",
            "Size of events on disk; the newest segment also holds settled ones.",
            spool.size_bytes,
        )
        yield _gauge(
            "spool_records",
            "Events on disk that are not settled.",
            spool.last_sequence - spool.settled,
        )
        yield _gauge(
            "spool_stalled_seconds",
            "Time since the event log last settled an event, while others wait; 0: none waits.",
            spool.stalled_s,
        )
        yield _counter(
            "spool_refused", "Appends rejected because the spool was full.", spool.refused
        )
        decisions = self._edge.decisions
        yield _counter("decisions_recorded", "Decision records stored.", decisions.kept)
        yield _counter(
            "decision_records_dropped",
            "Decision records dropped because their spool was full.",
            decisions.dropped,
        )

    def _snapshot(self) -> Iterator[Metric]:
        handle = self._edge.snapshots
        if handle.ready:
            age_s = handle.age_s(self._edge.clock.now_ms())
            yield _gauge(
                "worker_snapshot_version",
                "Version of the adopted snapshot.",
                handle.current().version,
            )
            yield _gauge(
                "worker_snapshot_age_seconds",
                "Time since the control plane last confirmed the snapshot.",
                age_s,
            )
        yield _gauge("rate_limit_buckets", "Rate-limit buckets in memory.", len(self._edge.limiter))

    def _index(self) -> Iterator[Metric]:
        snapshot = self._edge.snapshots.find_current()
        if snapshot is not None:
            found = search_counts(snapshot, self._edge.settings.ranking)
            yield _counter(
                "match_cache_misses", "Decisions whose match was not cached.", found.searches
            )
            yield _counter("index_builds", "Indexes built of a whole property.", found.builds)

    def _loop(self) -> Iterator[Metric]:
        metrics = self._edge.metrics
        yield _counter("full_gc", "Full garbage collections.", metrics.full_gcs)
        yield _counter(
            "full_gc_objects_freed",
            "Objects freed by full garbage collections.",
            metrics.gc_objects_freed,
        )
        monitor = metrics.loop
        lag = HistogramMetricFamily(
            "placard_edge_event_loop_lag_seconds",
            "How late a timer of 2 ms ran, 8 ms in an idle worker, 250 ms in one that nobody calls: all of it, and own "
            "lag, without waiting for a core.",
            labels=["part"],
        )
        longest = GaugeMetricFamily(
            "placard_edge_event_loop_longest_lag_seconds",
            "Longest lag since the last scrape.",
            labels=["part"],
        )
        stalls = CounterMetricFamily(
            "placard_edge_loop_stalls",
            "Deprecated: use placard_edge_event_loop_lag_seconds.",
            labels=["part", "over_ms"],
        )
        for part, histogram in monitor.lags.items():
            lag.add_metric([part], _buckets(histogram), histogram.sum_s)
            longest.add_metric([part], monitor.take_longest_s(part))
            for bound_ms in FORMER_BOUNDS_MS:
                stalls.add_metric([part, str(bound_ms)], monitor.count_over(part, bound_ms))
        yield from (lag, longest, stalls)

    def _traffic(self) -> Iterator[Metric]:
        lists, salts = self._edge.lists, self._edge.salts
        yield _counter(
            "traffic_list_failures", "Lists of networks that could not be read.", lists.failures
        )
        yield _counter(
            "salt_store_unavailable", "Reads of the daily salt that failed.", salts.skipped
        )

    def _geo(self) -> Iterator[Metric]:
        geo = self._edge.geo
        yield _counter("geo_failures", "Geo databases that could not be read.", geo.failures)
        yield _gauge(
            "geo_built_timestamp_seconds", "When the geo database was built; 0: none.", geo.built_s
        )


def _buckets(histogram: Histogram) -> list[tuple[str, float]]:
    bounds = [*map(floatToGoString, histogram.bounds_s), "+Inf"]
    return list(zip(bounds, accumulate(histogram.counts), strict=True))


def _with_exemplars(
    histogram: Histogram, found: Mapping[int, Exemplar]
) -> list[tuple[str, float] | tuple[str, float, Exemplar]]:
    """A bucket shows its exemplar only where it counted a call: the span's time may differ by some microseconds."""
    return [
        (*bucket, found[number]) if number in found and histogram.counts[number] else bucket
        for number, bucket in enumerate(_buckets(histogram))
    ]


def _labelled(name: str, description: str, label: str, counts: dict[str, int]) -> Metric:
    family = CounterMetricFamily(f"placard_edge_{name}", description, labels=[label])
    for value, count in sorted(counts.items()):
        family.add_metric([value], count)
    return family


def _counter(name: str, description: str, value: float) -> Metric:
    return CounterMetricFamily(f"placard_edge_{name}", description, value=value)


def _gauge(name: str, description: str, value: float) -> Metric:
    return GaugeMetricFamily(f"placard_edge_{name}", description, value=value)
