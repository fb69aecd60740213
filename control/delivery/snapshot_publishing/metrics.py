"""Metrics of publish."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_DELAY_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 60.0)


class PublishMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.fulls = Counter(
            "placard_publish_full_states",
            "Full snapshots published for edges.",
            ["environment"],
            registry=registry,
        )
        self.failures = Counter(
            "placard_publish_failures",
            "Times publish waited because PostgreSQL or Redis was unavailable.",
            ["during"],
            registry=registry,
        )
        self._version = Gauge(
            "placard_publish_version", "Newest version published for edges.", registry=registry
        )
        self._delay_s = Histogram(
            "placard_publish_delay_seconds",
            "Time from a change's transaction to its notification.",
            buckets=_DELAY_BUCKETS_S,
            registry=registry,
        )

    def published(self, version: int, delay_ms: int) -> None:
        self._version.set(version)
        self._delay_s.observe(max(0, delay_ms) / 1000)
