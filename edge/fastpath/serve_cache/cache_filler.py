"""
Fills the native cache: parses what a request lacked there, inserts it, and looks the request up again.

Requests that cannot be cached are left to `edge.serving.serve_flow`: one with a uid or the client's own counter, a
secret key, several slots, a candidate with a cap or a share of voice, or no fill.
"""

import sys
from collections.abc import Callable
from typing import Final, final

from common.http.answer import StaticHeaders
from common.snapshot.snapshot import Snapshot
from common.values.clock import SystemClock
from common.values.ids import new_id_at
from edge.admission.keys import refuse
from edge.context import EdgeContext
from edge.fastpath.serve_cache.entries import AddressEntry, ClientEntry, PageEntry
from edge.fastpath.serve_cache.head_parts import HeadParts, split_head
from edge.fastpath.serve_cache.native_cache import (
    MISS_AD,
    MISS_ADDRESS,
    MISS_CLIENT,
    MISS_NEXT_SEGMENT,
    MISS_NONE,
    MISS_PAGE,
    MISS_UNCACHEABLE,
    NativeServeCache,
)
from edge.fastpath.serve_cache.request_caches import RequestCaches
from edge.fastpath.serve_cache.slot_candidates import SlotCandidates

_MAX_INSERTS: Final = 64
"""During one request. The first requests of a slot insert runs of ads one by one."""

LookupCached = Callable[[bytes, int, int, str], bytes | None]
"""Takes bytes, the start and end of a head in them, and the peer's address."""


@final
class _Miss:
    """A request that the cache could not answer; its parts as far as they were needed. ``head``: ends at its end."""

    def __init__(
        self, head: bytes, peer: str, split: HeadParts, snapshot: Snapshot, now_ms: int
    ) -> None:
        self.head = head
        self.peer = peer
        self.split = split
        self.snapshot = snapshot
        self.now_ms = now_ms
        self.client: ClientEntry | None = None
        self.page: PageEntry | None = None
        self.is_page_parsed = False
        """For this request: where ``page`` is None then, it cannot be cached."""


@final
class CacheFiller:
    """Owns the native cache of one live edge. Belongs to one event loop."""

    def __init__(self, edge: EdgeContext, static_headers: StaticHeaders) -> None:
        self._edge = edge
        self._caches = RequestCaches(edge, static_headers)
        self._behind_proxies: bool = edge.settings.proxies_count > 0
        self._native_cache = NativeServeCache(
            edge, refuse, SystemClock, new_id_at, self._behind_proxies
        )
        self.lookup_cached: LookupCached = self._native_cache.answer
        """
        Answers a head of a serve request, without its empty line, which begins with `head_parts.START`.

        Returns None, with nothing changed, where the cache cannot answer. Raises `Refused` where the request exceeds
        its rate limit.
        """

    def fill_and_retry(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """`lookup_cached`, called right after that returned None for the request. Inserts what the request lacked."""
        native_cache = self._native_cache
        snapshot = self._edge.snapshots.find_current()
        if native_cache.miss_reason == MISS_UNCACHEABLE or snapshot is None:
            return None
        split = split_head(data, start, end)
        if split is None:
            return None
        now_ms: int = self._edge.clock.now_ms()
        miss = _Miss(data[start:end], peer, split, snapshot, now_ms)
        inserted = MISS_NONE, 0
        for _ in range(_MAX_INSERTS):
            lacked = native_cache.miss_reason, native_cache.at
            if (lacked == inserted and lacked[0] != MISS_AD) or not self._insert(miss):
                return None
            inserted = lacked
            answer = native_cache.answer(data, start, end, peer)
            if answer is not None:
                return answer
        return None

    def _insert(self, miss: _Miss) -> bool:
        """Inserts what the native cache lacked in its last lookup; False where it cannot."""
        reason = self._native_cache.miss_reason
        if reason == MISS_UNCACHEABLE:
            return False
        if reason == MISS_ADDRESS:
            self._put_address(miss)
            return True
        client = self._get_client(miss)
        if client is None or reason == MISS_CLIENT:
            return client is not None
        page = self._get_page(miss, client)
        return page is not None and self._insert_matches(miss, client, page, reason)

    def _insert_matches(
        self, miss: _Miss, client: ClientEntry, page: PageEntry, reason: int
    ) -> bool:
        """Inserts which ads of a segment page or client allow, or the segment's ads."""
        native_cache, snapshot = self._native_cache, miss.snapshot
        number = native_cache.at if reason >= MISS_AD else 0
        match = self._caches.find_segment(client, page, snapshot, miss.now_ms, number)
        if match is None:
            return False
        segment, native = match.segment, match.segment.native
        if reason == MISS_AD:
            available_micros = self._edge.budgets.available_micros(snapshot, miss.now_ms)
            return segment.insert_missing(snapshot, available_micros)
        group, effect, page_text = client.group, page.effect, miss.split[0]
        if reason == MISS_PAGE:
            kind = page.languages_kind
            native_cache.put_page(group, effect, page_text, kind, native, match.mask)
            return True
        if reason == MISS_NEXT_SEGMENT:
            native_cache.put_page_mask(group, effect, page_text, native, match.mask)
        self._put_client_mask(miss, client, page, segment)
        return True

    def _get_client(self, miss: _Miss) -> ClientEntry | None:
        """Inserts the client where the request lacked it, or where it was parsed anew."""
        if miss.client is not None:
            return miss.client
        client_text = miss.split[2]
        client = self._caches.find_client(client_text, miss.snapshot, miss.now_ms)
        is_lacked = self._native_cache.miss_reason == MISS_CLIENT
        if client is None:
            added = self._caches.add_client(miss.head, miss.peer, miss.split, miss.snapshot)
            if added is None:
                return None
            client, is_lacked = added[0], True
            self._keep_page(miss, client, added[1])
        miss.client = client
        if is_lacked:
            self._native_cache.put_client(
                client_text,
                client.key_entry.native,
                client.caller.device.type,
                client.group,
                client.kind,
                client.device_kind,
            )
        return client

    def _get_page(self, miss: _Miss, client: ClientEntry) -> PageEntry | None:
        if miss.page is None and not miss.is_page_parsed:
            effect = self._native_cache.effect
            miss.page = self._caches.find_page(client, miss.split[0], effect)
            if miss.page is None:
                page = self._caches.add_page(client, miss.peer, miss.split, miss.snapshot)
                self._keep_page(miss, client, page)
        return miss.page

    def _keep_page(self, miss: _Miss, client: ClientEntry, page: PageEntry | None) -> None:
        miss.page, miss.is_page_parsed = page, True
        consent_text = miss.split[1]
        if page is not None and consent_text:
            self._native_cache.put_consent(client.group, consent_text, page.effect)

    def _put_address(self, miss: _Miss) -> AddressEntry:
        forwarded_for = miss.split[3] if self._behind_proxies else b""
        address = self._caches.make_address(miss.peer, forwarded_for)
        country = address.place.country
        self._native_cache.put_address(
            miss.peer,
            forwarded_for,
            address.network,
            None if country is None else sys.intern(country),
            address.kind,
            address.edition,
        )
        return address

    def _put_client_mask(
        self, miss: _Miss, client: ClientEntry, page: PageEntry, segment: SlotCandidates
    ) -> None:
        """The address is inserted again: its place may have another number by now."""
        address = self._put_address(miss)
        mask = self._caches.mask_for_client(segment, client, address, page, miss.snapshot)
        kind = client.device_kind if page.languages else client.kind
        self._native_cache.put_mask(segment.native, kind, page.languages_kind, address.kind, mask)
