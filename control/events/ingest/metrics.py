"""What ingest counts about itself."""

from prometheus_client import CollectorRegistry, Counter

from control.events.ingest.store_result import Stored


class IngestMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.records = Counter(
            "placard_ingest_records",
            "Records by what became of them.",
            ["outcome"],
            registry=registry,
        )
        self.charged_micros = Counter(
            "placard_ingest_charged_micros", "Money charged, in micros.", registry=registry
        )
        self.interruptions = Counter(
            "placard_ingest_interruptions",
            "Times the log or the database was away.",
            registry=registry,
        )
        self.positions_moved = Counter(
            "placard_ingest_positions_moved",
            "Batches given up because another consumer had stored them.",
            registry=registry,
        )

    def note(self, stored: Stored) -> None:
        for outcome in (
            "events",
            "signals",
            "conversions",
            "duplicates",
            "surplus_invalid",
            "dead",
        ):
            self.records.labels(outcome).inc(getattr(stored, outcome))
        self.charged_micros.inc(stored.charged_micros)
