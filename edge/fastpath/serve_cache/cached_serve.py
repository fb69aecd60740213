"""
Answers serve requests from the cache: where client, address and page are cached, a request costs a few look-ups.

The answer equals that of `edge.serving.serve_flow`, which handles every other request: one with a uid or the client's
own counter, a secret key, several slots, a candidate with a cap or a share of voice, or no fill.
"""

import sys
from collections.abc import Callable
from typing import Final, final

from common.http.answer import StaticHeaders, chosen_id
from common.snapshot.snapshot import Snapshot
from common.values.clock import SystemClock
from common.values.ids import new_id_at
from edge.admission.keys import Admission, RouteGroup, count_call, refuse
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
from edge.fastpath.serve_cache.request_caches import MAX_SEGMENTS, LookupResult, RequestCaches

_FILL: Final = "fill"
_MAX_FEEDS: Final = 64
"""Inserts into the native cache during one request: the first requests of a slot insert runs of ads one by one."""

LookupCached = Callable[[bytes, int, int, str], bytes | None]
"""Takes bytes, the start and end of a head in them, and the peer's address."""


@final
class CachedServe:
    """The serve cache of one live edge. Belongs to one event loop."""

    def __init__(self, edge: EdgeContext, static_headers: StaticHeaders) -> None:
        self._edge = edge
        self._caches = RequestCaches(edge, static_headers)
        self._behind_proxies: bool = edge.settings.proxies_count > 0
        self._native_cache = NativeServeCache(
            edge, refuse, SystemClock, new_id_at, self._behind_proxies
        )
        self.lookup_cached: LookupCached = self._native_cache.answer
        """`find_answer` by the native cache alone."""

    def find_answer(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """
        *data* from *start* to *end*: a head without its empty line, which begins with `head_parts.START`.

        Returns None, with nothing changed, where the cache cannot answer. Raises `Refused` where the request exceeds
        its rate limit.
        """
        answer = self.lookup_cached(data, start, end, peer)
        return self.serve_uncached(data, start, end, peer) if answer is None else answer

    def serve_uncached(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """`find_answer`, called right after the native cache returned None for the request."""
        split = split_head(data, start, end)
        snapshot = self._edge.snapshots.find_current()
        if split is None or snapshot is None:
            return None
        now_ms: int = self._edge.clock.now_ms()
        known = self._lookup_parts(data[start:end], peer, split, snapshot, now_ms)
        if known is None:
            return None
        page = known[2]
        answer = self._retry_native(known, data[start:end], peer, split, snapshot)
        if answer is None:
            ad = self._pick_ad(snapshot, known, now_ms)
            if ad is None:
                page.record_miss()
                return None
            answer = self._serve_ad(snapshot, known, ad, now_ms, split[3])
        page.consecutive_misses = 0
        return answer

    def _lookup_parts(
        self, head: bytes, peer: str, split: HeadParts, snapshot: Snapshot, now_ms: int
    ) -> LookupResult | None:
        """Returns None where the request cannot be cached, or its page is in backoff."""
        caches = self._caches
        page_text, client_text, forwarded_for, _ = split
        if not self._behind_proxies:
            forwarded_for = b""
        client = caches.find_client(client_text, snapshot, now_ms)
        if client is None:
            client = caches.add_client(head, peer, split, snapshot)
            if client is None:
                return None
        page = caches.find_page(client, page_text)
        if page is None:
            page = caches.add_page(client, page_text, peer, forwarded_for, snapshot)
            if page is None:
                return None
        if page.backoff > 0:
            page.backoff -= 1
            return None
        return client, caches.get_address(peer, forwarded_for), page

    def _retry_native(
        self, known: LookupResult, head: bytes, peer: str, split: HeadParts, snapshot: Snapshot
    ) -> bytes | None:
        """Inserts what the native cache lacks, then looks up again; None where the missing parts are unknown."""
        native_cache, length, now_ms = self._native_cache, len(head), self._edge.clock.now_ms()
        if known[2].languages or split_consent(split[0]) is not None:
            return None
        fed = MISS_NONE, 0
        for _ in range(_MAX_FEEDS):
            missed = native_cache.miss_reason, native_cache.at
            if (missed == fed and missed[0] != MISS_AD) or not self._feed(
                known, split, peer, snapshot, now_ms
            ):
                return None
            fed = missed
            answer = native_cache.answer(head, 0, length, peer)
            if answer is not None:
                return answer
        return None

    def _pick_ad(self, snapshot: Snapshot, known: LookupResult, now_ms: int) -> PreparedAd | None:
        """Pure except for caching."""
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
        available_micros = budgets.available_micros(snapshot, now_ms)
        for number in range(MAX_SEGMENTS):
            match = self._caches.find_segment(known, snapshot, now_ms, number)
            if match is None:
                return None
            segment, mask = match.segment, self._caches.mask_for(match.segment, known, snapshot)
            eligible = match.mask & mask
            ad = segment.pick_ad(eligible, snapshot, available_micros, budgets.pass_rates, seed)
            if ad is not None or not segment.exhausted:
                return ad
        return None

    def _feed(
        self, known: LookupResult, split: HeadParts, peer: str, snapshot: Snapshot, now_ms: int
    ) -> bool:
        """Inserts what the native cache lacked for this request; False where it cannot."""
        native_cache, miss_reason = self._native_cache, self._native_cache.miss_reason
        if not MISS_CLIENT <= miss_reason <= MISS_NEXT_SEGMENT:
            return False
        number = native_cache.at if miss_reason >= MISS_AD else 0
        match = self._caches.find_segment(known, snapshot, now_ms, number)
        if match is None:
            return False
        if miss_reason == MISS_AD:
            available_micros = self._edge.budgets.available_micros(snapshot, now_ms)
            return match.segment.feed_native(snapshot, available_micros)
        mask = match.segment.bits(self._caches.mask_for(match.segment, known, snapshot))
        if number == 0:
            self._feed_parts(known, split, peer, match, mask)
        else:
            client, address = known[0], known[1]
            page_mask = match.segment.bits(match.mask)
            kinds = client.kind, address.kind
            native_cache.put_next_segment(
                client.group, split[0], match.segment.native, page_mask, *kinds, mask
            )
        return True

    def _feed_parts(
        self, known: LookupResult, split: HeadParts, peer: str, match: SegmentMatch, mask: bytes
    ) -> None:
        """*mask*: of the client at its address."""
        client, address, _ = known
        native_cache, segment = self._native_cache, match.segment
        device, network = client.caller.device.type, address.client.network
        native_cache.put_client(
            split[1], client.key_entry.native, device, client.group, client.kind
        )
        said = split[2] if self._behind_proxies else b""
        country = _interned(address.place.country)
        native_cache.put_address(peer, said, network, country, address.kind, address.edition)
        native_cache.put_page(client.group, split[0], segment.native, segment.bits(match.mask))
        native_cache.put_mask(segment.native, client.kind, address.kind, mask)

    def _serve_ad(
        self,
        snapshot: Snapshot,
        known: LookupResult,
        ad: PreparedAd,
        now_ms: int,
        request_id: bytes | None,
    ) -> bytes:
        """Counts, commits and renders: everything that an answer changes, and the answer."""
        client, address, page = known
        edge, fill, key_entry = self._edge, ad.fill, client.key_entry
        admission = Admission(
            snapshot, key_entry.key, key_entry.property, address.client, key_in_url=False
        )
        count_call(edge, RouteGroup.SERVE, admission, now_ms)
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
            address.place.country,
            client.caller.device.type,
            opportunity.surface_of(fill.ad.format),
            fill.ad.format,
        )
        edge.metrics.count_decision(_FILL)
        edge.metrics.fast_path_requests += 1
        given = None if request_id is None else request_id.decode("ascii")
        return ad.render(token_id.bytes, str(token_id), now_ms, chosen_id(given))


def _interned(text: str | None) -> str | None:
    return None if text is None else sys.intern(text)
