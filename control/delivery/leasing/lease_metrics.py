"""What the grantor of leases counts."""

from prometheus_client import CollectorRegistry, Counter, Gauge


class LeaseMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.rounds = Counter("placard_lease_rounds", "Rounds of granting.", registry=registry)
        self.failures = Counter(
            "placard_lease_failures",
            "Rounds that PostgreSQL or Redis cut short.",
            registry=registry,
        )
        self.unreadable = Counter(
            "placard_lease_unreadable", "Reports that could not be read.", registry=registry
        )
        self.campaigns = Gauge(
            "placard_lease_campaigns", "Campaigns asked for in the last round.", registry=registry
        )
        self.outstanding = Gauge(
            "placard_lease_outstanding_micros",
            "Open leases and events in flight: what may be delivered at most if nothing is granted any more.",
            registry=registry,
        )

    def granted(self, campaigns: int) -> None:
        self.rounds.inc()
        self.campaigns.set(campaigns)
