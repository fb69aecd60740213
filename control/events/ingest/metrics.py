"""Metrics of ingest."""

from prometheus_client import CollectorRegistry, Counter, Histogram

from control.events.ingest.store_result import StoreResult

_DELAY_SECONDS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600)

_OUTCOMES = ("events", "signals", "conversions", "duplicates", "surplus_invalid", "dead")


class IngestMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.records = Counter(
            "placard_ingest_records",
            "Records, by outcome.",
            ["outcome"],
            registry=registry,
        )
        # Prometheus sees no increase in a counter that begins with its first dead letter.
        for outcome in _OUTCOMES:
            self.records.labels(outcome)
        self.charged_micros = Counter(
            "placard_ingest_charged_micros", "Micros charged.", registry=registry
        )
        self.delay_seconds = Histogram(
            "placard_ingest_delay_seconds",
            "Age of the oldest event of a batch when the batch was committed.",
            buckets=_DELAY_SECONDS,
            registry=registry,
        )
        self.interruptions = Counter(
            "placard_ingest_backend_errors",
            "Failures of the event log or the database, and polls of which no record could be stored.",
            registry=registry,
        )
        self.positions_moved = Counter(
            "placard_ingest_rebalances_detected",
            "Batches dropped because another consumer had stored them after a rebalance.",
            registry=registry,
        )

    def record(self, stored: StoreResult) -> None:
        for outcome in _OUTCOMES:
            self.records.labels(outcome).inc(getattr(stored, outcome))
        self.charged_micros.inc(stored.charged_micros)
        if stored.delay_s is not None:
            self.delay_seconds.observe(stored.delay_s)
