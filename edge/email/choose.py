"""Chooses the ads of a mailing. As each is chosen, its cost is committed and the recipient's caps are counted."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, final

from common.decision.decide import decide
from common.decision.explain import explain
from common.decision.rules.ad_limits import AdLimits
from common.decision.rules.gates import Gates, Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill, NoFill, NoFillReason
from common.decision.rules.ranking import SOURCE_OF
from common.service.cooperative import TimeSlice
from common.tracking.token import last_day
from edge.context import EdgeContext
from edge.email.chosen_before import ShownInMail
from edge.email.mail_opportunity import move_to
from edge.serving.serve_flow import CapProbe
from edge.serving.serve_response import commit_cost, count_decision, current_gates

_AT_ONCE: Final = 50
"""Recipients whose frequency counts are read together."""
_COUNTS_WAIT_S: Final = 1.0
_OF_BUDGET: Final = frozenset({NoFillReason.PACED, NoFillReason.BUDGET_SPENT})
"""Reasons that pass when a lease grows."""
_MAX_GRANTS_S: Final = 2.0
_STEP_S: Final = 0.5
"""How long a call waits for larger leases: in all, and after the first one that did not help."""


@final
class RecipientAds:
    """
    One recipient, whose slots are decided one after another. ``opportunities``: one for each slot, in their order.
    ``decisions``: of the slots decided so far. ``before``: what the recipient's mail shows in other slots.
    """

    def __init__(
        self,
        opportunities: Sequence[Opportunity],
        person: bytes | None,
        seed: int,
        before: ShownInMail,
    ) -> None:
        self.opportunities = opportunities
        self.person = person
        self.seed = seed
        self.decisions = list[Decision]()
        self.before = before
        self._shown = before.copy()

    @property
    def is_done(self) -> bool:
        return len(self.decisions) == len(self.opportunities)

    def next_opportunity(self) -> Opportunity:
        return self._shown.next_opportunity(self.opportunities[len(self.decisions)])

    def add(self, decision: Decision) -> None:
        self.decisions.append(decision)
        self._shown.add(decision)


@final
class MailChooser:
    """
    Chooses for one call, each ad by the snapshot of that moment: only the newest keeps its indexes. *now_ms*: of the
    call. *life_s*: of its mails, whose cost is held as long. *can_show*: whether the mails can show an ad; one that
    they cannot is no candidate.
    """

    def __init__(
        self,
        edge: EdgeContext,
        now_ms: int,
        life_s: int,
        can_show: Callable[[Fill], bool],
    ) -> None:
        self._edge = edge
        self._now_ms = now_ms
        self._can_show = can_show
        self._limits: AdLimits | None = None
        self._until_day = last_day(now_ms, life_s)
        self._until_s = edge.clock.monotonic_s() + _MAX_GRANTS_S

    async def choose(self, turns: Sequence[RecipientAds]) -> None:
        """
        Decides every slot of *turns*, in slices of the event loop. Where leases run out it waits for larger ones, and
        decides the slots that they left empty again.
        """
        slices = TimeSlice()
        for start in range(0, len(turns), _AT_ONCE):
            waiting = list[RecipientAds]()
            for turn in turns[start : start + _AT_ONCE]:
                if not self._decide(turn, None):
                    waiting.append(turn)
                await slices.checkpoint()
            if waiting:
                await self._decide_capped(waiting, slices)
        await self._fill_up(turns, slices)
        await self._flush_caps()
        for turn in turns:
            for opportunity, decision in zip(turn.opportunities, turn.decisions, strict=True):
                self._count(opportunity, decision)
            await slices.checkpoint()

    async def choose_for_all(
        self, opportunity: Opportunity, copies: int, seed: int, ad_id: str | None
    ) -> Decision:
        """
        Chooses one ad for *copies* mails, which its lease must cover together. *ad_id*: the ad that other mails of the
        send have: no other is chosen.
        """
        while True:
            gates = self._gates(None, copies)
            decision = self._decide_all(opportunity, gates, seed, ad_id)
            if not _waits(decision) or not await self._is_granted_more():
                break
        return decision

    def commit_copies(self, opportunity: Opportunity, decision: Decision, copies: int) -> None:
        for _ in range(copies):
            if isinstance(decision, Fill):
                self._commit(opportunity, decision, None)
            self._count(opportunity, decision)

    def _decide_all(
        self, opportunity: Opportunity, gates: Gates, seed: int, ad_id: str | None
    ) -> Decision:
        snapshot = self._edge.snapshots.current()
        move_to(snapshot, opportunity)
        if ad_id is not None and ad_id == opportunity.slot.house_ad_id:
            opportunity.limits = AdLimits(only_ad_id=ad_id)
            decision = decide(snapshot, opportunity, gates, self._now_ms, seed)
            if isinstance(decision, Fill) and self._can_show(decision):
                return decision
        decision = self._decide_shown(opportunity, gates, seed)
        if ad_id is None or (isinstance(decision, Fill) and decision.ad.id == ad_id):
            return decision
        ad = snapshot.ads.get(ad_id)
        campaign = None if ad is None else snapshot.campaigns.get(ad.campaign_id)
        for line in explain(snapshot, opportunity, gates, self._now_ms, seed).considered:
            if line.ad_id == ad_id and ad is not None and campaign is not None:
                if line.dropped_by is not None:
                    return NoFill(line.dropped_by)
                return Fill(campaign, ad, SOURCE_OF[campaign.priority], campaign.bid_micros)
        return NoFill(NoFillReason.NO_CANDIDATE)

    def _decide_shown(self, opportunity: Opportunity, gates: Gates, seed: int) -> Decision:
        """Decides among the ads that the mails can show, and learns which those are."""
        snapshot = self._edge.snapshots.current()
        move_to(snapshot, opportunity)
        while True:
            opportunity.limits = self._limits
            decision = decide(snapshot, opportunity, gates, self._now_ms, seed)
            if isinstance(decision, NoFill) or self._can_show(decision):
                return decision
            excluded = frozenset() if self._limits is None else self._limits.excluded_ad_ids
            self._limits = AdLimits(excluded_ad_ids=excluded | {decision.ad.id})

    def _decide(self, turn: RecipientAds, counts: Lookup | None) -> bool:
        """Decides the remaining slots. False, with the rest undecided, where the person's counts are needed first."""
        while not turn.is_done:
            probe = CapProbe() if turn.person is not None and counts is None else None
            opportunity = turn.next_opportunity()
            gates = self._gates(counts if probe is None else probe)
            decision = self._decide_shown(opportunity, gates, turn.seed)
            if probe is not None and probe.was_called:
                return False
            self._take(turn, opportunity, decision)
        return True

    def _take(self, turn: RecipientAds, opportunity: Opportunity, decision: Decision) -> None:
        turn.add(decision)
        if isinstance(decision, Fill):
            self._commit(opportunity, decision, turn.person)

    async def _decide_capped(self, turns: Sequence[RecipientAds], slices: TimeSlice) -> None:
        people = [turn.person for turn in turns if turn.person is not None]
        find = self._edge.frequency_caps.find_cached
        found = await asyncio.gather(
            *(find(person, self._now_ms, wait_s=_COUNTS_WAIT_S) for person in people)
        )
        for turn, counts in zip(turns, found, strict=True):
            self._decide(turn, _UNKNOWN if counts is None else counts)
            await slices.checkpoint()

    async def _fill_up(self, turns: Sequence[RecipientAds], slices: TimeSlice) -> None:
        """Decides slots again that no lease was large enough for, while leases grow."""
        short = [turn for turn in turns if _is_short(turn)]
        while short and await self._is_granted_more():
            for turn in short:
                await self._decide_again(turn)
                await slices.checkpoint()
            before, short = len(short), [turn for turn in short if _is_short(turn)]
            if len(short) == before:
                self._until_s = min(self._until_s, self._edge.clock.monotonic_s() + _STEP_S)

    async def _decide_again(self, turn: RecipientAds) -> None:
        """Its filled slots stay as they are."""
        before = turn.before.copy()
        for decision in turn.decisions:  # a slot is decided with what later slots show, too
            before.add(decision)
        again = RecipientAds(turn.opportunities, turn.person, turn.seed, before)
        counts = None
        if turn.person is not None:
            counts = await self._edge.frequency_caps.find_cached(
                turn.person, self._now_ms, wait_s=_COUNTS_WAIT_S
            )
        for decision in turn.decisions:
            if not _waits(decision):
                again.add(decision)
                continue
            opportunity = again.next_opportunity()
            found = self._decide_shown(opportunity, self._gates(counts), turn.seed)
            self._take(again, opportunity, found)
        turn.decisions = again.decisions

    async def _is_granted_more(self) -> bool:
        """Waits for the next grants. False where the call has waited long enough."""
        next_grants = self._edge.next_grants
        if next_grants is None or self._edge.clock.monotonic_s() >= self._until_s:
            return False
        await next_grants()
        return True

    async def _flush_caps(self) -> None:
        """Other workers count what was chosen before the call is answered."""
        while self._edge.frequency_caps.waiting and await self._edge.frequency_caps.flush():
            pass

    def _gates(self, counts: Lookup | None, copies: int = 1) -> Gates:
        snapshot = self._edge.snapshots.current()
        gates = current_gates(self._edge, snapshot, self._now_ms, counts)
        if copies > 1:
            gates.available_micros = _Divided(gates.available_micros, copies)
        return gates

    def _commit(self, opportunity: Opportunity, fill: Fill, person: bytes | None) -> None:
        snapshot = self._edge.snapshots.current()
        commit_cost(self._edge, snapshot, opportunity, fill, self._now_ms, self._until_day)
        if person is not None and fill.campaign.frequency_caps:
            self._edge.frequency_caps.count_issued(person, fill.campaign, fill.ad, self._now_ms)

    def _count(self, opportunity: Opportunity, decision: Decision) -> None:
        if isinstance(decision, Fill):
            ids = decision.campaign.id, decision.ad.id
            count_decision(self._edge, opportunity, *ids, "fill", decision.ad.format)
        else:
            count_decision(self._edge, opportunity, None, None, decision.reason, opportunity.format)


def _is_short(turn: RecipientAds) -> bool:
    return any(_waits(one) for one in turn.decisions)


def _waits(decision: Decision) -> bool:
    """Whether a larger lease may fill the slot."""
    return (
        isinstance(decision, NoFill) and (decision.of_candidates or decision.reason) in _OF_BUDGET
    )


@final
class _Divided:
    """A `Lookup` of what each of *copies* mails may cost."""

    def __init__(self, available_micros: Lookup, copies: int) -> None:
        self._available_micros = available_micros
        self._copies = copies

    def get(self, name: str, default: int, /) -> int:
        micros = self._available_micros.get(name, default)
        return micros if micros < 0 else micros // self._copies


@final
class _Capped:
    """A `Lookup` for a person whose counts are unavailable: every cap is reached."""

    def get(self, _name: str, _default: int, /) -> int:
        return 1 << 62


_UNKNOWN: Final = _Capped()
