"""
A slot's candidates in rank order, kept along the snapshot's deltas, and those of them that fit an opportunity.

A property's ads stand in blocks of bitmaps, best first; a match ANDs the few bitmaps that the caller's signals name,
block by block, as far as it is asked for candidates, and is remembered by what of the signals anybody targets.
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
