"""Leadership state of a process, as its internal port reports it."""

from prometheus_client import CollectorRegistry, Gauge

from control.storage.leader_election import LeaderState


class LeaderStatus:
    """Leadership state with its metric. A standby counts as ready, because waiting is its work."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._state = LeaderState.DISCONNECTED
        self._leading = Gauge(
            "placard_leader",
            "1 while this process is the leader of its kind, 0 while it is on standby.",
            registry=registry,
        )

    def change(self, state: LeaderState) -> None:
        self._state = state
        self._leading.set(state is LeaderState.LEADER)

    def find_error(self) -> str | None:
        """Returns the reason why the process is not ready, or None where it is."""
        if self._state is LeaderState.DISCONNECTED:
            return "The database does not answer. See PLACARD_DATABASE_URL, and `control migrate`."
        return None
