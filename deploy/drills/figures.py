"""What a drill found, as one line of JSON."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from deploy.drills.oracle import Traffic, Verdict


@dataclass
class Figures:
    """
    ``seconds``: of each named step, such as ``recovery``: from the return of what was lost until everything that was
    acknowledged is stored. ``notes``: what else the drill saw. ``proof``: the command that proves the figures on an
    operator's own servers.
    """

    drill: str
    proof: str
    seconds: dict[str, float] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    verdict: Verdict | None = None
    serves: Mapping[str, int] = field(default_factory=dict)
    tracks: Mapping[str, int] = field(default_factory=dict)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        began_s = time.monotonic()
        yield
        self.seconds[step] = round(time.monotonic() - began_s, 2)

    def of(self, traffic: Traffic, verdict: Verdict) -> None:
        self.verdict = verdict
        self.serves = {str(status): count for status, count in sorted(traffic.serves.items())}
        self.tracks = {str(status): count for status, count in sorted(traffic.tracks.items())}

    @property
    def is_passed(self) -> bool:
        """Whether nothing acknowledged was lost, and nothing counted twice."""
        return self.verdict is not None and self.verdict.lost == 0 and self.verdict.doubled == 0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "passed": self.is_passed}
