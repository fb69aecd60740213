"""Metrics of the lease server."""

from prometheus_client import CollectorRegistry, Counter, Gauge


class LeaseMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.rounds = Counter(
            "placard_lease_rounds", "Rounds of granting leases.", registry=registry
        )
        self.failures = Counter(
            "placard_lease_failures",
            "Rounds that failed because PostgreSQL or Redis was unavailable.",
            registry=registry,
        )
        self.unreadable = Counter(
            "placard_lease_reports_malformed",
            "Reports of workers that could not be decoded.",
            registry=registry,
        )
        self.campaigns = Gauge(
            "placard_lease_campaigns", "Campaigns requested in the last round.", registry=registry
        )
        self.outstanding = Gauge(
            "placard_lease_outstanding_micros",
            "Open leases and events in flight: the most that may still be delivered without further grants.",
            registry=registry,
        )

    def granted(self, campaigns: int) -> None:
        self.rounds.inc()
        self.campaigns.set(campaigns)
