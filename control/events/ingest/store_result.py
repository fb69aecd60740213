"""The result of storing one poll: for metrics, for the log, and for callers that wait for progress."""

from dataclasses import dataclass, field

from control.events.ingest.tracing import TracedRecord


@dataclass(slots=True)
class StoreResult:
    """The result of one call. ``duplicates`` are records, and valid events, that were counted before."""

    records: int = 0
    events: int = 0
    signals: int = 0
    conversions: int = 0
    """Held until they are attributed."""
    duplicates: int = 0
    surplus_invalid: int = 0
    dead: int = 0
    charged_micros: int = 0
    delay_s: float | None = None
    """Age of the poll's oldest event at its commit; None: it held no event."""
    positions: dict[int, int] = field(default_factory=dict)
    """The current position of each partition."""
    written: dict[str, int] = field(default_factory=dict)
    """Spool writer → its highest committed sequence without a gap."""

    traced: list[TracedRecord] = field(default_factory=list)
    """Records of traced deliveries; empty where traces are off."""

    def add(self, later: "StoreResult") -> None:
        """Adds the counts of a later transaction; its positions replace those of before."""
        names = (
            "records",
            "events",
            "signals",
            "conversions",
            "duplicates",
            "surplus_invalid",
            "dead",
        )
        for name in names:
            setattr(self, name, getattr(self, name) + getattr(later, name))
        self.charged_micros += later.charged_micros
        delays = [delay for delay in (self.delay_s, later.delay_s) if delay is not None]
        self.delay_s = max(delays, default=None)
        self.positions |= later.positions
        self.written |= later.written
