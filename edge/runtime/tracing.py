"""What a worker traces, how much of it, and the exemplars of its latency histograms (ADR 111)."""

from bisect import bisect_left
from typing import Final, final

from prometheus_client.samples import Exemplar

from common.service.tracing import Tracer, TracingSettings
from common.values.clock import Clock
from common.values.trace_context import SpanRef, parse_traceparent
from edge.runtime.latency import BOUNDS_S, outcome_of

MAX_FOLLOWED_S: Final = 100
"""
Calls in a second that a worker traces because of a ``traceparent`` or a token. Anyone can send these, and a traced call
costs as much as several others.
"""


@final
class EdgeTracing:
    """The traces of one worker. Belongs to one event loop."""

    def __init__(
        self, tracer: Tracer, settings: TracingSettings, clock: Clock, *, default_ppm: int
    ) -> None:
        """*default_ppm*: decisions in a million that are traced where no variable says so."""
        self.tracer = tracer
        self.sample_ppm: Final = settings.sample_ppm(default_ppm)
        self.exemplars: dict[tuple[str, str], dict[int, Exemplar]] = {}
        """By operation and outcome, then by the number of the bucket: the newest traced call in it."""
        self._follows_callers = settings.follows_callers
        self._clock = clock
        self._second = 0
        self._followed = 0

    def find_caller(self, traceparent: str | None) -> SpanRef | None:
        """Returns the caller's span where the call is to be traced because of it."""
        found = parse_traceparent(traceparent) if self._follows_callers else None
        return found[0] if found is not None and found[1] else None

    def has_room(self) -> bool:
        """Whether this second may trace one more call because of what the client sent."""
        return self._followed < MAX_FOLLOWED_S or int(self._clock.monotonic_s()) != self._second

    def take_room(self) -> bool:
        """`has_room`, and uses it."""
        second = int(self._clock.monotonic_s())
        if second != self._second:
            self._second, self._followed = second, 0
        self._followed += 1
        return self._followed <= MAX_FOLLOWED_S

    def add_exemplar(self, operation: str, status: int, seconds: float, trace_id: int) -> None:
        """Notes a traced call as the example of its bucket in the latency histogram."""
        of_outcome = self.exemplars.setdefault((operation, outcome_of(operation, status)), {})
        of_outcome[bisect_left(BOUNDS_S, seconds)] = Exemplar(
            {"trace_id": f"{trace_id:032x}"}, seconds, self._clock.now_ms() / 1000
        )
