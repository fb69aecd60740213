"""Everything one decision is made of: the same question has the same answer on every machine."""

from dataclasses import dataclass

from common.decision.gates import Gates
from common.decision.opportunity import Opportunity
from common.snapshot.snapshot import Snapshot


@dataclass(slots=True)
class Question:
    """``seed``: 64 uniform bits, from which every draw follows: among equals, shares of voice, pacing's coins."""

    snapshot: Snapshot
    opportunity: Opportunity
    gates: Gates
    now_ms: int
    seed: int
