"""
A slot's candidates in rank order, updated by the snapshot's deltas, and the candidates that match an opportunity.

A property's ads are stored in blocks of bitmaps, best first. A match ANDs the few bitmaps that the request's signals
select. It works block by block, and only for as many candidates as the caller reads. Results are cached by those
signals that any ad targets.
"""

from common.decision.index.build import build_steps
from common.decision.index.index_registry import (
    SearchCounts,
    indexes_of,
    match,
    owned_parts,
    search_counts,
)
from common.decision.index.leaf_view import SlotLeafView
from common.decision.index.match_cache import NOBODY, Matches
from common.decision.index.property_index import PropertyIndex
from common.decision.index.targeting_bitmaps import SignalKey
from common.decision.rules.candidate import Candidate, DropReason, SlotIndex, slot_index

__all__ = [
    "NOBODY",
    "Candidate",
    "DropReason",
    "Matches",
    "PropertyIndex",
    "SearchCounts",
    "SignalKey",
    "SlotIndex",
    "SlotLeafView",
    "build_steps",
    "indexes_of",
    "match",
    "owned_parts",
    "search_counts",
    "slot_index",
]
