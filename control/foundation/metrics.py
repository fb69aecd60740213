"""What the management API counts, in a registry of its own."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from common.http.connections import Connections

_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)

_EXPORT_SECONDS = (0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600)
_ASSET_SECONDS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 180)


class ControlMetrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "placard_control_requests_total",
            "Answered management calls, by operation and error code (`ok` for none).",
            ("operation", "code"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "placard_control_request_seconds",
            "Time from a parsed request to its answer.",
            ("operation",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.mails = Counter(
            "placard_mails_total",
            "Tries to send a mail, by kind and outcome (`sent`, `deferred`, `given_up`).",
            ("kind", "outcome"),
            registry=self.registry,
        )
        self.mails_waiting = Gauge(
            "placard_mails_waiting", "Mails queued and not sent yet.", registry=self.registry
        )
        self.verifications = Counter(
            "placard_control_verifications_total",
            "Checks of a property's proof, by method, outcome, and why it was looked for.",
            ("method", "outcome", "why"),
            registry=self.registry,
        )
        self.assets = Counter(
            "placard_assets_total",
            "Files looked at, by kind and outcome (`ready` or `rejected`).",
            ("kind", "outcome"),
            registry=self.registry,
        )
        self.asset_bytes = Counter(
            "placard_asset_bytes_total", "Bytes put into the asset store.", registry=self.registry
        )
        self.asset_seconds = Histogram(
            "placard_asset_seconds",
            "Time to look into a file and keep it.",
            ("kind",),
            buckets=_ASSET_SECONDS,
            registry=self.registry,
        )
        self.streams = Gauge(
            "placard_control_event_streams",
            "Streams of events that are open.",
            registry=self.registry,
        )
        self.exports = Counter(
            "placard_exports_total",
            "Exports that were made or given up, by kind, format and outcome (`ready` or `failed`).",
            ("kind", "format", "outcome"),
            registry=self.registry,
        )
        self.export_seconds = Histogram(
            "placard_export_seconds",
            "Time to make an export, from the claim to its file in the store.",
            ("kind",),
            buckets=_EXPORT_SECONDS,
            registry=self.registry,
        )
        self.records_missing = Gauge(
            "placard_reconcile_missing_records",
            "Records that edges appended and that have not come for at least two passes.",
            registry=self.registry,
        )
        self.records_lost = Counter(
            "placard_reconcile_lost_records",
            "Of those, all that edges were ever asked for.",
            registry=self.registry,
        )
        self.records_uncounted = Gauge(
            "placard_reconcile_uncounted_records",
            "Records of past hours that came and are in no sum.",
            registry=self.registry,
        )


class ConnectionCollector(Collector):
    """Of the API's own port."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def collect(self) -> Iterator[Metric]:
        name, counted = "placard_control_connections", self._connections
        yield GaugeMetricFamily(f"{name}_open", "Held now.", value=counted.open)
        yield CounterMetricFamily(
            f"{name}_refused", "Closed past the bound.", value=counted.refused
        )
        yield CounterMetricFamily(
            f"{name}_stalled", "Cut: they did not read.", value=counted.stalled
        )
