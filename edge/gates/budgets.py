"""
Budgets as one worker keeps them until it is leased parts of them: from the snapshot and from what it served itself.

A fill commits what it is expected to cost. The commit counts as on its way for the settling time, and whatever became
of it is then in the spend the control plane publishes, or was never redeemed. A new pace changes what is left and
leaves the commits alone, so nothing is granted twice.

**The bound.** Workers together deliver at most what is left and one event each (`common.pacing.open_budget`), and
besides that only: what is redeemed later than the settling time after its serve; of clicks and conversions, what comes
above their predicted rate; and what a worker had on its way when it was killed, which is at most its share of what was
left. None of it is billed: the ledger clips at the total budget.
"""

from collections.abc import Mapping

from common.decision.gates import Lookup
from common.decision.last_gates import is_spent_by_event
from common.pacing.open_budget import unit_micros
from common.snapshot.model import Campaign, Pace
from common.snapshot.snapshot import Snapshot
from edge.gates.purse import Purse, Terms

SETTLE_S = 660.0
"""A web token's ten minutes, its leeway, and half a minute for the way to the ledger and back."""
_PRUNE_AT = 1024


class LocalBudgets:
    """*shares*: workers that serve this environment, over all edges. Belongs to one event loop."""

    def __init__(self, *, shares: int = 1, settle_s: float = SETTLE_S) -> None:
        self._terms = Terms(shares, round(settle_s * 1000))
        self._purses: dict[str, Purse] = {}
        self._campaigns: Mapping[str, Campaign] = {}
        self._paces: Mapping[str, Pace] = {}
        # Not the snapshot itself: one left behind would be freed, with all its memories, by the next call.
        self._now_ms = 0
        self._prune_at = _PRUNE_AT

    def open_micros(self, snapshot: Snapshot, now_ms: int) -> Lookup:
        self._campaigns, self._paces = snapshot.campaigns, snapshot.paces
        self._now_ms = now_ms
        return self

    def get(self, campaign_id: str, default: int, /) -> int:
        """Micros, of the snapshot and instant last given to `open_micros`."""
        purse = self._find(self._campaigns, self._paces, campaign_id, self._now_ms)
        return default if purse is None else max(0, purse.open_micros)

    def commit(self, snapshot: Snapshot, campaign: Campaign, micros: int, now_ms: int) -> None:
        """A fill of *campaign* is expected to cost *micros*. One without a budget is not kept."""
        purse = self._find(snapshot.campaigns, snapshot.paces, campaign.id, now_ms)
        if purse is not None:
            purse.commit(micros, self._terms, now_ms)

    @property
    def in_flight_micros(self) -> int:
        """What was committed and may not be in the ledger yet."""
        return sum(purse.in_flight_micros for purse in self._purses.values())

    @property
    def over_delivery_micros(self) -> int:
        """This worker's part of the bound: one event of each campaign with a budget it was asked for."""
        return sum(unit_micros(purse.campaign) for purse in self._purses.values())

    def _find(
        self,
        campaigns: Mapping[str, Campaign],
        paces: Mapping[str, Pace],
        campaign_id: str,
        now_ms: int,
    ) -> Purse | None:
        campaign, pace = campaigns.get(campaign_id), paces.get(campaign_id)
        purse = self._purses.get(campaign_id)
        if purse is not None and purse.campaign is campaign and purse.pace is pace:
            if now_ms >= purse.valid_until_ms:
                purse.renew(self._terms, now_ms)
            return purse
        if campaign is None or campaign.budget is None or not is_spent_by_event(campaign):
            return None
        renewed = Purse(campaign, campaign.budget, pace)
        if purse is not None:
            renewed.commits = purse.commits
        elif len(self._purses) >= self._prune_at:
            self._prune(campaigns)
        renewed.renew(self._terms, now_ms)
        self._purses[campaign_id] = renewed
        return renewed

    def _prune(self, campaigns: Mapping[str, Campaign]) -> None:
        kept = {name: purse for name, purse in self._purses.items() if name in campaigns}
        self._purses = kept
        self._prune_at = max(_PRUNE_AT, 2 * len(kept))
