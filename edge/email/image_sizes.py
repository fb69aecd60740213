"""The size of an image that is chosen when the mail is opened: the mail states it before."""

from collections.abc import Callable
from typing import Final, final

from common.decision.candidate_order import iter_in_order
from common.decision.decide import decide
from common.decision.decision_input import DecisionInput
from common.decision.index import match
from common.decision.rules.opportunity import Opportunity, Signals
from common.decision.rules.outcome import Fill
from common.snapshot.model import Ad, Slot
from common.snapshot.snapshot import Snapshot
from edge.context import EdgeContext
from edge.email.links import MailSignals
from edge.email.mail_opportunity import signals_of
from edge.serving.serve_flow import CapProbe
from edge.serving.serve_response import current_gates

_USUAL_SIZE: Final = (600, 200)


@final
class ImageSizes:
    """
    Sizes of the images of one call, each decided once for recipients with the same signals. *opportunity_of*: returns
    the opportunity of a slot for such recipients.
    """

    def __init__(
        self,
        edge: EdgeContext,
        opportunity_of: Callable[[Slot, Signals], Opportunity],
        now_ms: int,
    ) -> None:
        self._edge = edge
        self._opportunity_of = opportunity_of
        self._now_ms = now_ms
        self._found: dict[tuple[str, MailSignals, bool], tuple[int, int]] = {}

    def find(
        self, snapshot: Snapshot, slot: Slot, stated: MailSignals, *, is_counted: bool
    ) -> tuple[int, int]:
        """*stated*: about the recipient. *is_counted*: its frequency caps can be counted; here none is reached."""
        key = slot.id, stated, is_counted
        found = self._found.get(key)
        if found is None:
            opportunity = self._opportunity_of(slot, signals_of(stated))
            counts = CapProbe() if is_counted else None
            gates = current_gates(self._edge, snapshot, self._now_ms, counts)
            seed = self._edge.peek_seed()
            found = _size(DecisionInput(snapshot, opportunity, gates, self._now_ms, seed))
            self._found[key] = found
        return found


def _size(decision_input: DecisionInput) -> tuple[int, int]:
    """
    Width and height of the ad that the mail would show now. Where budgets or caps hold all ads back now: those of the
    best of them. Where none matches: the first size of the slot.
    """
    ad = _ad(decision_input)
    if ad is not None and ad.width and ad.height:
        return ad.width, ad.height
    sizes = decision_input.opportunity.slot.sizes
    return (sizes[0].width, sizes[0].height) if sizes else _USUAL_SIZE


def _ad(decision_input: DecisionInput) -> Ad | None:
    snapshot, opportunity, gates = (
        decision_input.snapshot,
        decision_input.opportunity,
        decision_input.gates,
    )
    decision = decide(snapshot, opportunity, gates, decision_input.now_ms, decision_input.seed)
    if isinstance(decision, Fill):
        return decision.ad
    matches = match(snapshot, opportunity, decision_input.now_ms, gates.ranking)
    best = next(iter(iter_in_order(matches.groups(), decision_input)), None)
    return None if best is None else best.ad
