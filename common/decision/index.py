"""A slot's candidates in rank order, worked out once per snapshot, and those of them that fit an opportunity."""

from collections.abc import Iterator
from dataclasses import dataclass

from common.decision.eligibility import fit_drop, standing_drop
from common.decision.opportunity import Opportunity
from common.decision.outcome import NoFillReason
from common.decision.ranking import ecpm_micros, rank_of
from common.snapshot.model import Ad, Campaign, Slot
from common.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Candidate:
    """``dropped``: place and reason of the standing gate that keeps it out, None where it stands."""

    campaign: Campaign
    ad: Ad
    rank: int
    ecpm_micros: int
    dropped: tuple[int, NoFillReason] | None


@dataclass(frozen=True, slots=True)
class SlotIndex:
    """
    ``groups``: candidates that stand, best first; within a group rank and eCPM are equal.
    ``furthest``: what dropped the candidate that came furthest among those that do not stand.
    """

    candidates: tuple[Candidate, ...]
    groups: tuple[tuple[Candidate, ...], ...]
    furthest: tuple[int, NoFillReason]


class Matches:
    """The candidates of a slot that fit one opportunity, found as far as they are asked for."""

    def __init__(self, index: SlotIndex, opportunity: Opportunity, now_ms: int) -> None:
        self._index = index
        self._opportunity = opportunity
        self._now_ms = now_ms
        self.furthest = index.furthest
        """Of those that do not fit, what dropped the one that came furthest; whole when `groups` is at its end."""

    def groups(self) -> Iterator[tuple[Candidate, ...]]:
        """Best first; within a group priority and eCPM are equal, ordered by ad id."""
        for group in self._index.groups:
            fitting = []
            for candidate in group:
                drop = fit_drop(self._opportunity, self._now_ms, candidate.campaign, candidate.ad)
                if drop is None:
                    fitting.append(candidate)
                elif drop > self.furthest:
                    self.furthest = drop
            if fitting:
                yield tuple(fitting)


def match(snapshot: Snapshot, opportunity: Opportunity, now_ms: int) -> Matches:
    return Matches(slot_index(snapshot, opportunity.slot), opportunity, now_ms)


def slot_index(snapshot: Snapshot, slot: Slot) -> SlotIndex:
    """Kept with *snapshot*; the first call for a slot costs a walk over its property's ads."""
    known: SlotIndex | None = snapshot.derived.get(slot.id)
    if known is None:
        known = snapshot.derived[slot.id] = _build(snapshot, slot)
    return known


def _build(snapshot: Snapshot, slot: Slot) -> SlotIndex:
    candidates = tuple(
        Candidate(
            campaign,
            ad,
            rank_of(campaign),
            ecpm_micros(campaign, ad, snapshot.rates.get(ad.id), slot.id),
            standing_drop(snapshot, slot, campaign, ad),
        )
        for campaign in snapshot.campaigns_by_property.get(slot.property_id, ())
        for ad in snapshot.ads_by_campaign.get(campaign.id, ())
    )
    furthest = max(
        (c.dropped for c in candidates if c.dropped is not None),
        default=(-1, NoFillReason.NO_CANDIDATE),
    )
    return SlotIndex(candidates, _grouped(candidates), furthest)


def _grouped(candidates: tuple[Candidate, ...]) -> tuple[tuple[Candidate, ...], ...]:
    """Inside a group by ad id, so that a seed means the same ad on every machine."""
    groups: dict[tuple[int, int], list[Candidate]] = {}
    for candidate in candidates:
        if candidate.dropped is None:
            groups.setdefault((candidate.rank, -candidate.ecpm_micros), []).append(candidate)
    return tuple(tuple(sorted(groups[key], key=lambda c: c.ad.id)) for key in sorted(groups))
