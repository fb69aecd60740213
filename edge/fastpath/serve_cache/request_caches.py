"""Clients and pages of recent requests, parsed once, from which the entries of the native cache are made."""

from dataclasses import replace
from itertools import count
from typing import Final, final

from common.decision.index import PropertyIndex, indexes_of
from common.decision.rules.eligibility import account_serves
from common.http.answer import StaticHeaders
from common.http.client_address import client_at
from common.http.fast_head import FastHead, HeadReader, StableHeaders
from common.snapshot.snapshot import Snapshot
from common.values.enums import SlotStatus
from common.values.errors import ApiError
from common.values.generation_cache import GenerationCache
from common.values.keys import KeyKind
from edge.context import EdgeContext
from edge.fastpath.serve_cache.entries import (
    AddressEntry,
    ClientEntry,
    KeyEntry,
    PageEntry,
    SegmentMatch,
    are_same,
    has_changed,
)
from edge.fastpath.serve_cache.head_parts import HeadParts
from edge.fastpath.serve_cache.slot_candidates import SlotCandidates
from edge.ports import NOWHERE
from edge.request.call import Call, quick_call
from edge.request.device import UNKNOWN_DEVICE
from edge.serving.opportunity import client_signals, surface_of
from edge.serving.serve_request import ServeRequest, build_request
from edge.snapshots.handle import SnapshotMissing

_MAX_CLIENTS: Final = 8192
_MAX_PAGES: Final = 8192
_MAX_SLOT_SEGMENTS: Final = 4096
_MAX_KEYS: Final = 4096
_MAX_NUMBERED: Final = 65_536
_MAX_UNCACHEABLE: Final = 4096
_MAX_CHARS: Final = 2048
"""Longest text of a page, a consent or a client that is cached, so that clients cannot fill the memory."""
_MAX_SEGMENTS: Final = 8
"""Blocks of a slot that the cache tries; a request that finds no ad in them takes the slow path."""
_TARGET_AT: Final = len("/v1/serve?")

_NO_HEADERS: Final = FastHead("", StableHeaders({}), {})
"""Stands in for the headers of a request whose client is cached: they are not read again."""


@final
class RequestCaches:
    """
    Caches of one edge. Entries refer to each other by small numbers, each of which is assigned once.

    A client or page is parsed by the slow path's own code, with nothing counted.
    """

    def __init__(self, edge: EdgeContext, static_headers: StaticHeaders) -> None:
        self._edge = edge
        self._static_headers = static_headers
        self._heads = HeadReader()
        self._key_entries: dict[str, KeyEntry] = {}
        self._clients = GenerationCache(_MAX_CLIENTS)
        self._pages = GenerationCache(_MAX_PAGES)
        self._uncacheable = GenerationCache(_MAX_UNCACHEABLE)
        """Clients, and pages of a group of clients, whose requests take the slow path."""
        self._numbers = count(1)
        self._numbered: dict[tuple[object, ...], int] = {}

    def find_client(self, text: bytes, snapshot: Snapshot, now_ms: int) -> ClientEntry | None:
        """Returns None also where the key's objects have changed or the key has expired."""
        client: ClientEntry | None = self._clients.get(text)
        if client is None:
            return None
        key_entry = client.key_entry
        if key_entry.generation != self._edge.snapshots.generation and not self._follow(
            key_entry, snapshot
        ):
            return None
        return client if now_ms < key_entry.until_ms else None

    def add_client(
        self, head: bytes, peer: str, split: HeadParts, snapshot: Snapshot
    ) -> tuple[ClientEntry, PageEntry | None] | None:
        """
        Parses the whole request and caches its client and its page. Returns None where the client cannot be cached;
        in place of the page where that cannot be.
        """
        page_text, consent_text, client_text, _, _ = split
        uncacheable = self._uncacheable.get(client_text)
        if uncacheable is not None and not has_changed(uncacheable, snapshot):
            return None
        if len(client_text) > _MAX_CHARS:
            return None
        found = self._heads.read_head(head)
        if found is None:
            return None
        proxies_count = self._edge.settings.proxies_count
        call = quick_call(found, found.target[_TARGET_AT:], peer, proxies_count)
        request = _build_request(self._edge, call, snapshot)
        if request is None:
            return None
        admission, caller = request.admission, call.caller
        if admission.is_believed or admission.key_in_url:
            self._uncacheable.put(client_text, admission.property)
            return None
        key_entry = self._get_key_entry((caller.service_key or "").strip(" \t"), request)
        surface = surface_of(admission.key.kind, admission.property.kind, caller.user_agent)
        group = self._number((key_entry.number, caller.gpc, caller.dnt, surface, caller.library))
        own = client_signals(NOWHERE, caller.device, caller.signals)
        kind = self._number(own.of_client())
        own.languages = ()
        device_kind = self._number(own.of_client())
        client = ClientEntry(key_entry, caller, group, kind, device_kind)
        self._clients.put(client_text, client)
        return client, self._put_page(client, page_text, consent_text, request)

    def find_page(self, client: ClientEntry, text: bytes, effect: int) -> PageEntry | None:
        """*effect*: of the consent; -1 where it is unknown."""
        page: PageEntry | None = self._pages.get((client.group, text, effect))
        return page

    def add_page(
        self, client: ClientEntry, peer: str, split: HeadParts, snapshot: Snapshot
    ) -> PageEntry | None:
        """Parses page and consent of a *client* that is already cached. Returns None where they cannot be cached."""
        page_text, consent_text, _, forwarded_for, _ = split
        if self._uncacheable.get((client.group, page_text)) is not None:
            return None
        text = b"&".join((page_text, consent_text)) if consent_text else page_text
        proxies_count = self._edge.settings.proxies_count
        asker = client_at(peer, forwarded_for.decode("ascii"), proxies_count)
        call = Call(_NO_HEADERS, client.caller, text.decode("ascii"), asker)
        request = _build_request(self._edge, call, snapshot)
        if request is None:
            return None
        return self._put_page(client, page_text, consent_text, request)

    def make_address(self, peer: str, forwarded_for: bytes) -> AddressEntry:
        """*forwarded_for*: ASCII; empty where no proxy is trusted."""
        edge = self._edge
        edition = edge.geo.edition
        client = client_at(peer, forwarded_for.decode("ascii"), edge.settings.proxies_count)
        place = edge.geo.find(client.ip)
        kind = self._number(client_signals(place, UNKNOWN_DEVICE, ()).of_client())
        return AddressEntry(client.network, place, kind, edition)

    def find_segment(
        self, client: ClientEntry, page: PageEntry, snapshot: Snapshot, now_ms: int, number: int
    ) -> SegmentMatch | None:
        """
        Returns the segment of block *number*, after those before it.

        None where the slot is not active, has no such block, or where its property has no index yet.
        """
        if number >= _MAX_SEGMENTS:
            return None
        segments = page.segments
        for at in range(number + 1):
            if at >= len(segments) or not segments[at].segment.holds(snapshot, now_ms):
                found = self._find_segment(client, page, snapshot, now_ms, at)
                if found is None:
                    return None
                segments[at:] = [found]
            if at > 0:
                segments[at - 1].segment.native.put_next(segments[at].segment.native)
        return segments[number]

    def mask_for_client(
        self,
        segment: SlotCandidates,
        client: ClientEntry,
        address: AddressEntry,
        page: PageEntry,
        snapshot: Snapshot,
    ) -> bytes:
        """The ads of *segment* that *client* at *address* allows, in the languages of *page* if it names some."""
        index = self._find_index(client.key_entry, snapshot)
        if index is None:
            return b""
        caller = client.caller
        signals = client_signals(address.place, caller.device, caller.signals)
        if page.languages:
            signals.languages = page.languages
        return segment.mask_for_client(index, replace(page.opportunity, signals=signals))

    def _find_segment(
        self, client: ClientEntry, page: PageEntry, snapshot: Snapshot, now_ms: int, number: int
    ) -> SegmentMatch | None:
        key_entry, opportunity = client.key_entry, page.opportunity
        slot = snapshot.slots.get(opportunity.slot.id)
        index = self._find_index(key_entry, snapshot)
        if slot is None or slot.status is not SlotStatus.ACTIVE:
            return None
        if index is None or number >= len(index.leaves) or index.slots.get(slot.id) != slot:
            return None
        if slot is not opportunity.slot:
            opportunity = page.opportunity = opportunity.in_slot(slot)
        named = opportunity.surface_named
        limits = (opportunity.consent_limited, opportunity.measured)
        key = (slot.id, opportunity.surface, named, limits, number)
        segment = key_entry.segments.get(key)
        if segment is None or not segment.holds(snapshot, now_ms):
            if len(key_entry.segments) >= _MAX_SLOT_SEGMENTS:
                key_entry.drop_segments()
            if segment is not None:
                segment.end()
            segment = SlotCandidates(
                self._edge, self._static_headers, index, opportunity, now_ms, number=number
            )
            key_entry.segments[key] = segment
        return SegmentMatch(segment, segment.mask_for_page(index, opportunity))

    def _follow(self, key_entry: KeyEntry, snapshot: Snapshot) -> bool:
        """Whether *key_entry* is unchanged in *snapshot*; ends it where it is not."""
        cached = snapshot.derived.get((KeyKind.PUBLISHABLE, key_entry.text))
        if key_entry.is_over or cached is None or not are_same(cached, key_entry.objects):
            key_entry.end()
            return False
        index = self._find_index(key_entry, snapshot)
        if not all(
            index is not None and segment.is_of(index) for segment in key_entry.segments.values()
        ):
            key_entry.drop_segments()
        key_entry.follow(self._edge.snapshots.generation)
        return True

    def _find_index(self, key_entry: KeyEntry, snapshot: Snapshot) -> PropertyIndex | None:
        return indexes_of(snapshot, self._edge.settings.ranking).find(key_entry.property.id)

    def _put_page(
        self, client: ClientEntry, text: bytes, consent_text: bytes, request: ServeRequest
    ) -> PageEntry | None:
        params = request.params
        if request.several or params.output != "json" or len(text) > _MAX_CHARS:
            self._uncacheable.put((client.group, text), params)
            return None
        if len(consent_text) > _MAX_CHARS:
            return None
        consent, effect = request.consent, 0
        if consent_text:
            effect = self._number(
                (consent.limited, consent.child_directed, consent.personal, consent.measurement)
            )
        page = self.find_page(client, text, effect)
        if page is None:
            languages = params.languages
            languages_kind = self._number(languages) if languages else 0
            page = PageEntry(effect, request.opportunity, languages, languages_kind)
            self._pages.put((client.group, text, effect), page)
        return page

    def _get_key_entry(self, key_text: str, request: ServeRequest) -> KeyEntry:
        admission = request.admission
        key_entry, generation = self._key_entries.get(key_text), self._edge.snapshots.generation
        if (
            key_entry is not None
            and key_entry.generation != generation
            and not self._follow(key_entry, admission.snapshot)
        ):
            key_entry = None
        if key_entry is None or key_entry.is_over:
            account = admission.snapshot.accounts[admission.property.account_id]
            objects = admission.key, admission.property, account
            if len(self._key_entries) >= _MAX_KEYS:
                self._key_entries.clear()
            key_entry = KeyEntry(next(self._numbers), generation, key_text, objects)
            self._key_entries[key_text] = key_entry
        return key_entry

    def _number(self, of: tuple[object, ...]) -> int:
        """Equal values get the same number while they are cached. A number is never used for another value."""
        number = self._numbered.get(of)
        if number is None:
            if len(self._numbered) >= _MAX_NUMBERED:
                self._numbered.clear()
            number = self._numbered[of] = next(self._numbers)
        return number


def _build_request(edge: EdgeContext, call: Call, snapshot: Snapshot) -> ServeRequest | None:
    """
    Returns None where the request is at fault or its account may not serve.

    The slow path, which counts the request, reports a fault.
    """
    try:
        request = build_request(edge, call, is_counted=False)
    except (ApiError, SnapshotMissing):
        return None
    admission = request.admission
    if admission.snapshot is not snapshot:
        return None
    return request if account_serves(snapshot, admission.property.account_id) else None
