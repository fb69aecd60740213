"""Everything one decision is made from: the same input gives the same decision on every machine."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from common.decision.index import match
from common.decision.rules.gates import Gates
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.share_of_voice import has_share, share_holder
from common.snapshot.model import Campaign
from common.snapshot.snapshot import Snapshot


@dataclass(slots=True, init=False)
class DecisionInput:
    """``seed``: 64 uniform bits. Every draw follows from it: order among equals, shares of voice, the throttle."""

    snapshot: Snapshot
    opportunity: Opportunity
    gates: Gates
    now_ms: int
    seed: int
    unknown_budgets: int = field(default=0, init=False, compare=False)
    """Budgets so far for which no available amount is known."""
    _holder: tuple[str | None] | None = field(default=None, init=False, compare=False)

    def __init__(
        self, snapshot: Snapshot, opportunity: Opportunity, gates: Gates, now_ms: int, seed: int
    ) -> None:
        self.snapshot = snapshot
        self.opportunity = opportunity
        self.gates = gates
        self.now_ms = now_ms
        self.seed = seed
        self.unknown_budgets = 0
        self._holder = None

    @property
    def share_holder(self) -> str | None:
        """The sponsor that gets this opportunity by its share of voice; computed on first use."""
        if self._holder is None:
            self._holder = (share_holder(self._sharing(), self.seed),)
        return self._holder[0]

    def _sharing(self) -> Iterator[Campaign]:
        """Yields the campaigns with a share; they rank before all others (`common.decision.rules.ranking.rank_of`)."""
        matches = match(self.snapshot, self.opportunity, self.now_ms, self.gates.ranking)
        for group in matches.groups():
            if not has_share(group.candidates[0].campaign):
                return
            yield from (candidate.campaign for candidate in group.candidates)
