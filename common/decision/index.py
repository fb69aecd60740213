"""A slot's candidates in rank order, worked out once per snapshot, and those of them that fit an opportunity."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from common.decision.eligibility import fit_drop, standing_drop
from common.decision.gates import Ranking
from common.decision.group import Group
from common.decision.opportunity import Opportunity
from common.decision.outcome import NoFillReason
from common.decision.ranking import rank_of, worth_of
from common.decision.thompson import bound_micros
from common.snapshot.model import Ad, Campaign, Slot
from common.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Candidate:
    """
    ``spread``, ``objective_ppb``: as in `common.decision.ranking.Worth`. ``dropped``: place and reason of the standing
    gate that keeps it out, None where it stands.
    """

    campaign: Campaign
    ad: Ad
    rank: int
    ecpm_micros: int
    spread: float
    objective_ppb: int
    dropped: tuple[int, NoFillReason] | None


@dataclass(frozen=True, slots=True)
class SlotIndex:
    """
    ``groups``: candidates that stand, best first; within a group rank, eCPM and, for Thompson's ranking, spread are
    equal.
    ``furthest``: what dropped the candidate that came furthest among those that do not stand.
    """

    candidates: tuple[Candidate, ...]
    groups: tuple[Group, ...]
    furthest: tuple[int, NoFillReason]


class Matches:
    """The candidates of a slot that fit one opportunity, found as far as they are asked for."""

    def __init__(self, index: SlotIndex, opportunity: Opportunity, now_ms: int) -> None:
        self._index = index
        self._opportunity = opportunity
        self._now_ms = now_ms
        self.furthest = index.furthest
        """Of those that do not fit, what dropped the one that came furthest; whole when `groups` is at its end."""

    def groups(self) -> Iterator[Group]:
        """
        By rank, then by eCPM; for Thompson's ranking by the most a draw may give. Within a group they are equal,
        ordered by ad id.
        """
        for group in self._index.groups:
            fitting = []
            for candidate in group.candidates:
                drop = fit_drop(self._opportunity, self._now_ms, candidate.campaign, candidate.ad)
                if drop is None:
                    fitting.append(candidate)
                elif drop > self.furthest:
                    self.furthest = drop
            if len(fitting) == len(group.candidates):
                yield group
            elif fitting:
                yield Group(fitting)


def match(
    snapshot: Snapshot, opportunity: Opportunity, now_ms: int, ranking: Ranking = Ranking.GREEDY
) -> Matches:
    return Matches(slot_index(snapshot, opportunity.slot, ranking), opportunity, now_ms)


def slot_index(snapshot: Snapshot, slot: Slot, ranking: Ranking = Ranking.GREEDY) -> SlotIndex:
    """Kept with *snapshot*; the first call for a slot costs a walk over its property's ads."""
    known: SlotIndex | None = snapshot.derived.get((slot.id, ranking))
    if known is None:
        known = snapshot.derived[(slot.id, ranking)] = _build(snapshot, slot, ranking)
    return known


def _build(snapshot: Snapshot, slot: Slot, ranking: Ranking) -> SlotIndex:
    candidates = tuple(
        _candidate(snapshot, slot, campaign, ad)
        for campaign in snapshot.campaigns_by_property.get(slot.property_id, ())
        for ad in snapshot.ads_by_campaign.get(campaign.id, ())
    )
    furthest = max(
        (c.dropped for c in candidates if c.dropped is not None),
        default=(-1, NoFillReason.NO_CANDIDATE),
    )
    return SlotIndex(candidates, _grouped(candidates, ranking), furthest)


def _candidate(snapshot: Snapshot, slot: Slot, campaign: Campaign, ad: Ad) -> Candidate:
    worth = worth_of(campaign, ad, snapshot.rates.get(ad.id), slot.id)
    return Candidate(
        campaign,
        ad,
        rank_of(campaign),
        worth.ecpm_micros,
        worth.spread,
        worth.objective_ppb,
        standing_drop(snapshot, slot, campaign, ad),
    )


def _grouped(candidates: tuple[Candidate, ...], ranking: Ranking) -> tuple[Group, ...]:
    """Inside a group by ad id, so that a seed means the same ad on every machine."""
    place = _PLACE[ranking]
    groups: dict[tuple[float, ...], list[Candidate]] = {}
    for candidate in candidates:
        if candidate.dropped is None:
            groups.setdefault(place(candidate), []).append(candidate)
    return tuple(Group(sorted(groups[key], key=lambda c: c.ad.id)) for key in sorted(groups))


def _by_value(candidate: Candidate) -> tuple[float, ...]:
    return candidate.rank, -candidate.ecpm_micros


def _by_bound(candidate: Candidate) -> tuple[float, ...]:
    bound = bound_micros(candidate.ecpm_micros, candidate.spread)
    return candidate.rank, -bound, -candidate.ecpm_micros, candidate.spread


_PLACE: dict[Ranking, Callable[[Candidate], tuple[float, ...]]] = {
    Ranking.GREEDY: _by_value,
    Ranking.THOMPSON: _by_bound,
}
