"""
Usual calls answered from memory: of a reader, an address and a page met before, a call costs a few look-ups.

What is here follows from what `edge.serving.serve_flow` does with the same call, and whatever is not usual goes there:
a uid or a counter of one's own, a secret key, several slots, a candidate with a cap or a share of voice, no fill.
"""

import sys
from collections.abc import Callable
from typing import Final, final

from common.http.answer import StaticHeaders
from common.http.chosen_id import chosen_id
from common.snapshot.snapshot import Snapshot
from common.values.clock import SystemClock
from common.values.ids import new_id_at
from edge.admission.keys import Admission, Door, count_call, refuse
from edge.context import EdgeContext
from edge.fastpath.serve_cache.consent_key import split_consent
from edge.fastpath.serve_cache.entries import SegmentMatch
from edge.fastpath.serve_cache.head_parts import HeadParts, split_head
from edge.fastpath.serve_cache.native_cache import (
    MISS_AD,
    MISS_CLIENT,
    MISS_NEXT_SEGMENT,
    MISS_NONE,
    NativeServeCache,
)
from edge.fastpath.serve_cache.prepared_ad import PreparedAd
from edge.fastpath.serve_cache.request_caches import MAX_STRETCHES, LookupResult, RequestCaches

_FILL: Final = "fill"
_MAX_TOLD: Final = 64
"""Things the native cache is told in one call: the first ones on a slot bring runs of ads, one by one."""

LookupCached = Callable[[bytes, int, int, str], bytes | None]
"""Of a head's bytes, from where to where in them, and the peer's address."""


@final
class CachedServe:
    """One live edge's. Belongs to one event loop."""

    def __init__(self, edge: EdgeContext, standing: StaticHeaders) -> None:
        self._edge = edge
        self._met = RequestCaches(edge, standing)
        self._behind_proxies: bool = edge.settings.proxies_count > 0
        self._native_cache = NativeServeCache(
            edge, refuse, SystemClock, new_id_at, self._behind_proxies
        )
        self.lookup_cached: LookupCached = self._native_cache.answer
        """`find_answer` of whom the native cache knows."""

    def find_answer(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """
        *data* from *start* to *end*: a head without its empty line, begins with `split.START`. None, with nothing
        changed, where the call is not for here. Raises `Refused` where it is one call too many.
        """
        answer = self.lookup_cached(data, start, end, peer)
        return self.serve_uncached(data, start, end, peer) if answer is None else answer

    def serve_uncached(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """The same, right after the native cache did not know the call."""
        split = split_head(data, start, end)
        snapshot = self._edge.snapshots.find_current()
        if split is None or snapshot is None:
            return None
        now_ms: int = self._edge.clock.now_ms()
        known = self._meet(data[start:end], peer, split, snapshot, now_ms)
        if known is None:
            return None
        page = known[2]
        answer = self._ask_again(known, data[start:end], peer, split, snapshot)
        if answer is None:
            ad = self._choose(snapshot, known, now_ms)
            if ad is None:
                page.note_in_vain()
                return None
            answer = self._show(snapshot, known, ad, now_ms, split[3])
        page.in_vain = 0
        return answer

    def _meet(
        self, head: bytes, peer: str, split: HeadParts, snapshot: Snapshot, now_ms: int
    ) -> LookupResult | None:
        """None where the call is not usual, or its page rests."""
        met = self._met
        page_text, reader_text, forwarded_for, _ = split
        if not self._behind_proxies:
            forwarded_for = b""
        reader = met.find_reader(reader_text, snapshot, now_ms)
        if reader is None:
            reader = met.learn_reader(head, peer, split, snapshot)
            if reader is None:
                return None
        page = met.find_page(reader, page_text)
        if page is None:
            page = met.learn_page(reader, page_text, peer, forwarded_for, snapshot)
            if page is None:
                return None
        if page.rests > 0:
            page.rests -= 1
            return None
        return reader, met.get_source(peer, forwarded_for), page

    def _ask_again(
        self, known: LookupResult, head: bytes, peer: str, split: HeadParts, snapshot: Snapshot
    ) -> bytes | None:
        """The native cache's answer, as soon as it is told what it lacked; None where that is not known here."""
        native_cache, length, now_ms = self._native_cache, len(head), self._edge.clock.now_ms()
        if known[2].languages or split_consent(split[0]) is not None:
            return None
        told = MISS_NONE, 0
        for _ in range(_MAX_TOLD):
            lacked = native_cache.lacks, native_cache.at
            if (lacked == told and lacked[0] != MISS_AD) or not self._tell(
                known, split, peer, snapshot, now_ms
            ):
                return None
            told = lacked
            answer = native_cache.answer(head, 0, length, peer)
            if answer is not None:
                return answer
        return None

    def _choose(self, snapshot: Snapshot, known: LookupResult, now_ms: int) -> PreparedAd | None:
        """Pure, but for what is remembered."""
        edge = self._edge
        if (
            edge.spool.nearly_full
            or edge.snapshots.age_s(now_ms) > edge.settings.snapshot_max_age_s
        ):
            return None
        seed = edge.peek_seed()
        if edge.decisions.wants(seed, debug=False):
            return None
        budgets = edge.budgets
        open_micros = budgets.open_micros(snapshot, now_ms)
        for number in range(MAX_STRETCHES):
            stretch = self._met.find_stretch(known, snapshot, now_ms, number)
            if stretch is None:
                return None
            line, left = stretch.line, self._met.left_on(stretch.line, known, snapshot)
            fits = stretch.left & left
            ad = line.choose(fits, snapshot, open_micros, budgets.passes, seed)
            if ad is not None or not line.is_past:
                return ad
        return None

    def _tell(
        self, known: LookupResult, split: HeadParts, peer: str, snapshot: Snapshot, now_ms: int
    ) -> bool:
        """What the native cache lacked to answer the same call; False where it cannot be told."""
        native_cache, lacks = self._native_cache, self._native_cache.lacks
        if not MISS_CLIENT <= lacks <= MISS_NEXT_SEGMENT:
            return False
        number = native_cache.at if lacks >= MISS_AD else 0
        stretch = self._met.find_stretch(known, snapshot, now_ms, number)
        if stretch is None:
            return False
        if lacks == MISS_AD:
            open_micros = self._edge.budgets.open_micros(snapshot, now_ms)
            return stretch.line.tell(snapshot, open_micros)
        left = stretch.line.bits(self._met.left_on(stretch.line, known, snapshot))
        if number == 0:
            self._tell_parts(known, split, peer, stretch, left)
        else:
            reader, source = known[0], known[1]
            on_page = stretch.line.bits(stretch.left)
            kinds = reader.kind, source.kind
            native_cache.put_next_segment(
                reader.group, split[0], stretch.line.met, on_page, *kinds, left
            )
        return True

    def _tell_parts(
        self, known: LookupResult, split: HeadParts, peer: str, stretch: SegmentMatch, left: bytes
    ) -> None:
        """*left*: by reader and source."""
        reader, source, _ = known
        native_cache, line = self._native_cache, stretch.line
        device, client = reader.caller.device.type, source.client
        native_cache.put_client(split[1], reader.site.met, device, reader.group, reader.kind)
        said = split[2] if self._behind_proxies else b""
        country = _interned(source.place.country)
        native_cache.put_address(peer, said, client.network, country, source.kind, source.edition)
        native_cache.put_page(reader.group, split[0], line.met, line.bits(stretch.left))
        native_cache.put_mask(line.met, reader.kind, source.kind, left)

    def _show(
        self,
        snapshot: Snapshot,
        known: LookupResult,
        ad: PreparedAd,
        now_ms: int,
        request_id: bytes | None,
    ) -> bytes:
        """Everything that an answer changes, and the answer."""
        reader, source, page = known
        edge, fill, site = self._edge, ad.fill, reader.site
        admission = Admission(snapshot, site.key, site.property, source.client, key_in_url=False)
        count_call(edge, Door.SERVE, admission, now_ms)
        edge.take_seed()
        if ad.commits:
            edge.budgets.commit(snapshot, fill.campaign, ad.expected_micros, now_ms)
        token_id = edge.new_token_id(now_ms)
        opportunity = page.opportunity
        edge.counters.count(
            opportunity.property.id,
            opportunity.slot.id,
            fill.campaign.id,
            fill.ad.id,
            _FILL,
            source.place.country,
            reader.caller.device.type,
            opportunity.surface_of(fill.ad.format),
            fill.ad.format,
        )
        edge.metrics.count_decision(_FILL)
        edge.metrics.fast_path_requests += 1
        given = None if request_id is None else request_id.decode("ascii")
        return ad.answer(token_id.bytes, str(token_id), now_ms, chosen_id(given))


def _interned(text: str | None) -> str | None:
    return None if text is None else sys.intern(text)
