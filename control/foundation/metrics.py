"""Metrics of the management API, in their own registry."""

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
            "Management requests, by operation and error code (`ok` for none).",
            ("operation", "code"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "placard_control_request_seconds",
            "Time from a parsed request to its response.",
            ("operation",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.mails = Counter(
            "placard_mails_total",
            "Attempts to send a mail, by kind and outcome (`sent`, `deferred`, `given_up`).",
            ("kind", "outcome"),
            registry=self.registry,
        )
        self.mails_waiting = Gauge(
            "placard_mails_waiting", "Mails in the queue.", registry=self.registry
        )
        self.verifications = Counter(
            "placard_control_verifications_total",
            "Checks of a property's proof, by method, outcome and reason of the check.",
            ("method", "outcome", "why"),
            registry=self.registry,
        )
        self.assets = Counter(
            "placard_assets_total",
            "Files inspected, by kind and outcome (`ready` or `rejected`).",
            ("kind", "outcome"),
            registry=self.registry,
        )
        self.asset_bytes = Counter(
            "placard_asset_bytes_total", "Bytes written to the asset store.", registry=self.registry
        )
        self.asset_seconds = Histogram(
            "placard_asset_inspection_seconds",
            "Time to inspect a file and store it.",
            ("kind",),
            buckets=_ASSET_SECONDS,
            registry=self.registry,
        )
        self.streams = Gauge(
            "placard_control_event_streams",
            "Open event streams.",
            registry=self.registry,
        )
        self.exports = Counter(
            "placard_exports_total",
            "Finished exports, by kind, format and outcome (`ready` or `failed`).",
            ("kind", "format", "outcome"),
            registry=self.registry,
        )
        self.export_seconds = Histogram(
            "placard_export_seconds",
            "Time from the claim of an export to its file in the store.",
            ("kind",),
            buckets=_EXPORT_SECONDS,
            registry=self.registry,
        )
        self.report_store_behind = Gauge(
            "placard_report_store_behind_seconds",
            "Time since the report store had received all hours that waited; 0 where it is not open.",
            registry=self.registry,
        )
        self.records_missing = Gauge(
            "placard_reconcile_missing_records",
            "Records that edges appended and that were missing in at least two passes.",
            registry=self.registry,
        )
        self.records_lost = Counter(
            "placard_reconcile_lost_records",
            "Records that were found missing and requested again from edges.",
            registry=self.registry,
        )
        self.records_unaccounted = Gauge(
            "placard_reconcile_unaccounted_records",
            "Stored records of past hours that no sum contains.",
            registry=self.registry,
        )


class ConnectionCollector(Collector):
    """Connection metrics of the API's port."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def collect(self) -> Iterator[Metric]:
        counted = self._connections
        yield GaugeMetricFamily(
            "placard_control_connections_open", "Connections that are open.", value=counted.open
        )
        yield CounterMetricFamily(
            "placard_control_connections_refused",
            "Connections closed because too many were open.",
            value=counted.refused,
        )
        yield CounterMetricFamily(
            "placard_control_connections_stalled",
            "Connections closed because the client did not read its responses.",
            value=counted.stalled,
        )
