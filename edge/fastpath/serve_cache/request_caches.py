"""Caches of the clients, addresses and pages of recent requests, and how their entries are created."""

from dataclasses import replace
from itertools import count
from typing import Final, final

from common.decision.index import PropertyIndex, indexes_of
from common.decision.rules.eligibility import account_serves
from common.decision.rules.opportunity import Signals
from common.http.answer import StaticHeaders
from common.http.client_address import client_at
from common.http.fast_head import FastHead, HeadReader, StableHeaders
from common.snapshot.snapshot import Snapshot
from common.values.enums import SlotStatus
from common.values.errors import ApiError
from common.values.generation_cache import GenerationCache
from common.values.keys import KeyKind
from edge.context import EdgeContext
from edge.fastpath.serve_cache.consent_key import split_consent
from edge.fastpath.serve_cache.entries import (
    AddressEntry,
    ClientEntry,
    KeyEntry,
    PageEntry,
    SegmentMatch,
    are_same,
    device_parts,
    has_changed,
)
from edge.fastpath.serve_cache.head_parts import HeadParts
from edge.fastpath.serve_cache.slot_candidates import SlotCandidates
from edge.request.call import Call, quick_call
from edge.serving.opportunity import surface_of
from edge.serving.serve_request import ServeRequest, build_request
from edge.snapshots.handle import SnapshotMissing

_MAX_CLIENTS: Final = 8192
_MAX_ADDRESSES: Final = 16_384
_MAX_PAGES: Final = 8192
_MAX_VERDICTS: Final = 8192
_MAX_SLOT_SEGMENTS: Final = 4096
_MAX_KEYS: Final = 4096
_MAX_NUMBERED: Final = 65_536
_MAX_UNCACHEABLE: Final = 4096
_MAX_CHARS: Final = 2048
"""Longest text of a page or a client that is cached, so that strangers cannot fill the memory."""
_MAX_ADDRESS_CHARS: Final = 200
MAX_SEGMENTS: Final = 8
"""Blocks of a slot that the cache tries; a request that finds no ad in them takes the slow path."""
_TARGET_AT: Final = len("/v1/serve?")
_SHIFT: Final = 32

_NO_HEADERS: Final = FastHead("", StableHeaders({}), {})
"""Stands in for the headers of a request whose client is cached: they are not read again."""

LookupResult = tuple[ClientEntry, AddressEntry, PageEntry]


@final
class RequestCaches:
    """Caches of one edge. Entries refer to each other by small numbers, each of which is assigned once."""

    def __init__(self, edge: EdgeContext, static_headers: StaticHeaders) -> None:
        self._edge = edge
        self._static_headers = static_headers
        self._heads = HeadReader()
        self._key_entries: dict[str, KeyEntry] = {}
        self._clients = GenerationCache(_MAX_CLIENTS)
        self._addresses = GenerationCache(_MAX_ADDRESSES)
        self._pages = GenerationCache(_MAX_PAGES)
        self._verdicts = GenerationCache(_MAX_VERDICTS)
        """The effect of a client's consent string together with the other signals."""
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

    def get_address(self, peer: str, forwarded_for: bytes) -> AddressEntry:
        """*forwarded_for*: ASCII."""
        edge = self._edge
        known: AddressEntry | None = self._addresses.get((peer, forwarded_for))
        if known is not None and known.edition == edge.geo.edition:
            return known
        edition = edge.geo.edition
        client = client_at(peer, forwarded_for.decode("ascii"), edge.settings.proxies_count)
        place = edge.geo.find(client.ip)
        address = AddressEntry(client, place, self._number((place.country, place.region)), edition)
        if len(forwarded_for) <= _MAX_ADDRESS_CHARS:
            self._addresses.put((peer, forwarded_for), address)
        return address

    def find_page(self, client: ClientEntry, text: bytes) -> PageEntry | None:
        consent_key = split_consent(text)
        if consent_key is None:
            return self._get_page((client.group, text))
        said, rest = consent_key
        verdict = self._verdicts.get((client.group, said))
        return None if verdict is None else self._get_page((client.group, rest, verdict))

    def add_client(
        self, head: bytes, peer: str, split: HeadParts, snapshot: Snapshot
    ) -> ClientEntry | None:
        """
        Parses the whole request and caches its client and its page.

        Returns None, with nothing counted, where the request cannot be cached.
        """
        uncacheable = self._uncacheable.get(split[1])
        if uncacheable is not None and not has_changed(uncacheable, snapshot):
            return None
        if len(split[1]) > _MAX_CHARS:
            return None
        found = self._heads.find(head)
        if found is None:
            return None
        proxies_count = self._edge.settings.proxies_count
        call = quick_call(found, found.target[_TARGET_AT:], peer, proxies_count)
        request = _build_request(self._edge, call, snapshot)
        if request is None:
            return None
        admission, caller = request.admission, call.caller
        if admission.is_believed or admission.key_in_url:
            self._uncacheable.put(split[1], admission.property)
            return None
        key_entry = self._get_key_entry((caller.service_key or "").strip(" \t"), request)
        surface = surface_of(admission.key.kind, admission.property.kind, caller.user_agent)
        group = self._number((key_entry.number, caller.gpc, caller.dnt, surface, caller.library))
        kind = self._number((*device_parts(caller.device), caller.languages))
        client = ClientEntry(key_entry, caller, group, kind)
        self._clients.put(split[1], client)
        self._put_page(client, split[0], request)
        return client

    def add_page(
        self, client: ClientEntry, text: bytes, peer: str, forwarded_for: bytes, snapshot: Snapshot
    ) -> PageEntry | None:
        """
        Parses the page of a *client* that is already cached.

        Returns None, with nothing counted, where requests of the page cannot be cached.
        """
        if self._uncacheable.get((client.group, text)) is not None or len(text) > _MAX_CHARS:
            return None
        proxies_count = self._edge.settings.proxies_count
        asker = client_at(peer, forwarded_for.decode("ascii"), proxies_count)
        call = Call(_NO_HEADERS, client.caller, text.decode("ascii"), asker)
        request = _build_request(self._edge, call, snapshot)
        return None if request is None else self._put_page(client, text, request)

    def find_segment(
        self, known: LookupResult, snapshot: Snapshot, now_ms: int, number: int
    ) -> SegmentMatch | None:
        """
        Returns the segment of block *number*, after those before it.

        None where the slot is not active, has no such block, or where its property has no index yet.
        """
        if number >= MAX_SEGMENTS:
            return None
        client, _, page = known
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

    def _client_kind(self, page: PageEntry, client: ClientEntry, address: AddressEntry) -> int:
        """A number for everything of *client* at *address* that targeting reads."""
        if page.languages:
            parts = device_parts(client.caller.device)
            return self._number((*parts, page.languages)) << _SHIFT | address.kind
        return client.kind << _SHIFT | address.kind

    def mask_for(self, segment: SlotCandidates, known: LookupResult, snapshot: Snapshot) -> int:
        """Mask of the ads of *segment* that are allowed for the client at its place."""
        client, address, page = known
        kind = self._client_kind(page, client, address)
        mask = segment.find_mask(kind)
        return self._mask_for_client(segment, kind, known, snapshot) if mask is None else mask

    def _mask_for_client(
        self, segment: SlotCandidates, kind: int, known: LookupResult, snapshot: Snapshot
    ) -> int:
        client, address, page = known
        index = self._find_index(client.key_entry, snapshot)
        if index is None:
            return 0
        device, place = client.caller.device, address.place
        signals = Signals(
            place.country,
            place.region,
            device.type,
            device.os,
            device.browser,
            page.languages or client.caller.languages,
        )
        return segment.put_mask(index, kind, replace(page.opportunity, signals=signals))

    def _follow(self, key_entry: KeyEntry, snapshot: Snapshot) -> bool:
        """Whether *key_entry* is unchanged in *snapshot*; ends it where it is not."""
        known = snapshot.derived.get((KeyKind.PUBLISHABLE, key_entry.text))
        if key_entry.is_over or known is None or not are_same(known, key_entry.objects):
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
        self, client: ClientEntry, text: bytes, request: ServeRequest
    ) -> PageEntry | None:
        params = request.params
        if request.several or params.output != "json" or len(text) > _MAX_CHARS:
            self._uncacheable.put((client.group, text), params)
            return None
        page = PageEntry(request.opportunity, params.languages)
        consent_key = split_consent(text)
        if consent_key is None:
            self._pages.put((client.group, text), page)
            return page
        said, rest = consent_key
        consent = request.consent
        verdict = self._number(
            (consent.limited, consent.child_directed, consent.personal, consent.measurement)
        )
        self._verdicts.put((client.group, said), verdict)
        known = self._get_page((client.group, rest, verdict))
        if known is not None:
            return known
        self._pages.put((client.group, rest, verdict), page)
        return page

    def _get_page(self, key: tuple[object, ...]) -> PageEntry | None:
        page: PageEntry | None = self._pages.get(key)
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
