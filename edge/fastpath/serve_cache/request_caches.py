"""The readers, addresses and pages that calls came from lately, and how they are got to know."""

from dataclasses import replace
from itertools import count
from typing import Final, final

from common.decision.index import PropertyIndex, indexes_of
from common.decision.rules.eligibility import account_serves
from common.decision.rules.opportunity import Signals
from common.http.answer import StaticHeaders
from common.http.fast_head import FastHead, HeadReader, StableHeaders
from common.snapshot.snapshot import Snapshot
from common.values.enums import SlotStatus
from common.values.errors import ApiError
from common.values.keys import KeyKind
from edge.admission.client_address import client_at, library_surface, surface_of
from edge.context import EdgeContext
from edge.fastpath.serve_cache.consent_key import split_consent
from edge.fastpath.serve_cache.entries import (
    AddressEntry,
    ClientEntry,
    KeyEntry,
    PageEntry,
    SegmentMatch,
    are_same,
    has_changed,
    parts_of,
)
from edge.fastpath.serve_cache.generation_cache import GenerationCache
from edge.fastpath.serve_cache.head_parts import HeadParts
from edge.fastpath.serve_cache.slot_candidates import SlotCandidates
from edge.request.call import Call, quick_call
from edge.serving.serve_request import ServeRequest, build_uncounted
from edge.snapshots.handle import SnapshotMissing

_MAX_READERS: Final = 8192
_MAX_SOURCES: Final = 16_384
_MAX_PAGES: Final = 8192
_MAX_VERDICTS: Final = 8192
_MAX_LINES: Final = 4096
_MAX_SITES: Final = 4096
_MAX_NUMBERED: Final = 65_536
_MAX_STRANGE: Final = 4096
_MAX_CHARS: Final = 2048
"""Of a page's or a reader's text: longer ones are read whole each time, so that strangers cannot fill the memory."""
_MAX_ADDRESS_CHARS: Final = 200
MAX_STRETCHES: Final = 8
"""Blocks of a slot's ads in line; whoever finds nobody in them is read whole."""
_TARGET_AT: Final = len("/v1/serve?")
_SHIFT: Final = 32

_NO_HEADERS: Final = FastHead("", StableHeaders({}), {})
"""A call's are not looked at again where its caller is known."""

LookupResult = tuple[ClientEntry, AddressEntry, PageEntry]


@final
class RequestCaches:
    """One edge's. What they are to each other is told by small numbers, which are given once."""

    def __init__(self, edge: EdgeContext, standing: StaticHeaders) -> None:
        self._edge = edge
        self._standing = standing
        self._heads = HeadReader()
        self._sites: dict[str, KeyEntry] = {}
        self._readers = GenerationCache(_MAX_READERS)
        self._sources = GenerationCache(_MAX_SOURCES)
        self._pages = GenerationCache(_MAX_PAGES)
        self._verdicts = GenerationCache(_MAX_VERDICTS)
        """What a reader's consent string came to, with the other signals beside it."""
        self._strange = GenerationCache(_MAX_STRANGE)
        """Readers, and pages of a group of them, whose calls are read whole."""
        self._numbers = count(1)
        self._numbered: dict[tuple[object, ...], int] = {}

    def find_reader(self, text: bytes, snapshot: Snapshot, now_ms: int) -> ClientEntry | None:
        """None where the key may not stand for what it did, too."""
        reader: ClientEntry | None = self._readers.get(text)
        if reader is None:
            return None
        site = reader.site
        if site.turn != self._edge.snapshots.turns and not self._follow(site, snapshot):
            return None
        return reader if now_ms < site.until_ms else None

    def get_source(self, peer: str, forwarded_for: bytes) -> AddressEntry:
        """*forwarded_for*: ASCII."""
        edge = self._edge
        known: AddressEntry | None = self._sources.get((peer, forwarded_for))
        if known is not None and known.edition == edge.geo.edition:
            return known
        edition = edge.geo.edition
        client = client_at(peer, forwarded_for.decode("ascii"), edge.settings.proxies_count)
        place = edge.geo.find(client.ip)
        source = AddressEntry(client, place, self._number((place.country, place.region)), edition)
        if len(forwarded_for) <= _MAX_ADDRESS_CHARS:
            self._sources.put((peer, forwarded_for), source)
        return source

    def find_page(self, reader: ClientEntry, text: bytes) -> PageEntry | None:
        apart = split_consent(text)
        if apart is None:
            return self._get_page((reader.group, text))
        said, rest = apart
        verdict = self._verdicts.get((reader.group, said))
        return None if verdict is None else self._get_page((reader.group, rest, verdict))

    def learn_reader(
        self, head: bytes, peer: str, split: HeadParts, snapshot: Snapshot
    ) -> ClientEntry | None:
        """Reads the whole call, its page too. None, with nothing counted, where it is not usual."""
        strange = self._strange.get(split[1])
        if strange is not None and not has_changed(strange, snapshot):
            return None
        if len(split[1]) > _MAX_CHARS:
            return None
        found = self._heads.find_get(head)
        if found is None:
            return None
        call = quick_call(found, found.target[_TARGET_AT:], peer)
        asking = _look(self._edge, call, snapshot)
        if asking is None:
            return None
        admission, caller = asking.admission, call.caller
        if admission.is_believed or admission.key_in_url:
            self._strange.put(split[1], admission.property)
            return None
        site = self._know_site((caller.service_key or "").strip(" \t"), asking)
        surface = surface_of(admission.key.kind, admission.property.kind, caller.user_agent)
        library = None if caller.client is None else library_surface(caller.client)
        group = self._number((site.number, caller.gpc, caller.dnt, surface, library))
        kind = self._number((*parts_of(caller.device), caller.languages))
        reader = ClientEntry(site, caller, group, kind)
        self._readers.put(split[1], reader)
        self._know_page(reader, split[0], asking)
        return reader

    def learn_page(
        self, reader: ClientEntry, text: bytes, peer: str, forwarded_for: bytes, snapshot: Snapshot
    ) -> PageEntry | None:
        """*reader* is met already. None, with nothing counted, where calls of the page are not usual."""
        if self._strange.get((reader.group, text)) is not None or len(text) > _MAX_CHARS:
            return None
        query, address = text.decode("ascii"), forwarded_for.decode("ascii")
        call = Call(_NO_HEADERS, reader.caller, query, peer, address)
        asking = _look(self._edge, call, snapshot)
        return None if asking is None else self._know_page(reader, text, asking)

    def find_stretch(
        self, known: LookupResult, snapshot: Snapshot, now_ms: int, number: int
    ) -> SegmentMatch | None:
        """
        That of the block of *number*, and those before. None where the slot is closed, it has no such block, or nobody
        asked for its property yet.
        """
        if number >= MAX_STRETCHES:
            return None
        reader, _, page = known
        stretches = page.stretches
        for at in range(number + 1):
            if at >= len(stretches) or not stretches[at].line.holds(snapshot, now_ms):
                found = self._find_line(reader, page, snapshot, now_ms, at)
                if found is None:
                    return None
                stretches[at:] = [found]
            if at > 0:
                stretches[at - 1].line.met.put_next(stretches[at].line.met)
        return stretches[number]

    def _find_line(
        self, reader: ClientEntry, page: PageEntry, snapshot: Snapshot, now_ms: int, number: int
    ) -> SegmentMatch | None:
        site, opportunity = reader.site, page.opportunity
        slot = snapshot.slots.get(opportunity.slot.id)
        index = self._find_index(site, snapshot)
        if slot is None or slot.status is not SlotStatus.ACTIVE:
            return None
        if index is None or number >= len(index.blocks) or index.slots.get(slot.id) != slot:
            return None
        if slot is not opportunity.slot:
            opportunity = page.opportunity = opportunity.in_slot(slot)
        named = opportunity.surface_named
        limits = (opportunity.consent_limited, opportunity.measured)
        key = (slot.id, opportunity.surface, named, limits, number)
        line = site.lines.get(key)
        if line is None or not line.holds(snapshot, now_ms):
            if len(site.lines) >= _MAX_LINES:
                site.forget_lines()
            if line is not None:
                line.end()
            line = SlotCandidates(
                self._edge, self._standing, index, opportunity, now_ms, number=number
            )
            site.lines[key] = line
        return SegmentMatch(line, line.left_by_page(index, opportunity))

    def _kind_on(self, page: PageEntry, reader: ClientEntry, source: AddressEntry) -> int:
        """A number for what is targeted of *reader* at *source*."""
        if page.languages:
            parts = parts_of(reader.caller.device)
            return self._number((*parts, page.languages)) << _SHIFT | source.kind
        return reader.kind << _SHIFT | source.kind

    def left_on(self, line: SlotCandidates, known: LookupResult, snapshot: Snapshot) -> int:
        """Whom of *line* the reader leaves, where it is."""
        reader, source, page = known
        kind = self._kind_on(page, reader, source)
        left = line.find_left(kind)
        return self._left_by_reader(line, kind, known, snapshot) if left is None else left

    def _left_by_reader(
        self, line: SlotCandidates, kind: int, known: LookupResult, snapshot: Snapshot
    ) -> int:
        reader, source, page = known
        index = self._find_index(reader.site, snapshot)
        if index is None:
            return 0
        device, place = reader.caller.device, source.place
        signals = Signals(
            place.country,
            place.region,
            device.type,
            device.os,
            device.browser,
            page.languages or reader.caller.languages,
        )
        return line.put_mask(index, kind, replace(page.opportunity, signals=signals))

    def _follow(self, site: KeyEntry, snapshot: Snapshot) -> bool:
        """Whether *site* is the same in *snapshot*."""
        known = snapshot.derived.get((KeyKind.PUBLISHABLE, site.text))
        if site.is_over or known is None or not are_same(known, site.standing):
            site.end()
            return False
        index = self._find_index(site, snapshot)
        if not all(index is not None and line.is_of(index) for line in site.lines.values()):
            site.forget_lines()
        site.follow(self._edge.snapshots.turns)
        return True

    def _find_index(self, site: KeyEntry, snapshot: Snapshot) -> PropertyIndex | None:
        return indexes_of(snapshot, self._edge.settings.ranking).find(site.property.id)

    def _know_page(
        self, reader: ClientEntry, text: bytes, asking: ServeRequest
    ) -> PageEntry | None:
        asked = asking.asked
        if asking.several or asked.output != "json" or len(text) > _MAX_CHARS:
            self._strange.put((reader.group, text), asked)
            return None
        page = PageEntry(asking.opportunity, asked.languages)
        apart = split_consent(text)
        if apart is None:
            self._pages.put((reader.group, text), page)
            return page
        said, rest = apart
        consent = asking.consent
        verdict = self._number(
            (consent.limited, consent.child_directed, consent.personal, consent.measurement)
        )
        self._verdicts.put((reader.group, said), verdict)
        known = self._get_page((reader.group, rest, verdict))
        if known is not None:
            return known
        self._pages.put((reader.group, rest, verdict), page)
        return page

    def _get_page(self, key: tuple[object, ...]) -> PageEntry | None:
        page: PageEntry | None = self._pages.get(key)
        return page

    def _know_site(self, key_text: str, asking: ServeRequest) -> KeyEntry:
        admission = asking.admission
        site, turn = self._sites.get(key_text), self._edge.snapshots.turns
        if site is not None and site.turn != turn and not self._follow(site, admission.snapshot):
            site = None
        if site is None or site.is_over:
            account = admission.snapshot.accounts[admission.property.account_id]
            standing = admission.key, admission.property, account
            if len(self._sites) >= _MAX_SITES:
                self._sites.clear()
            site = KeyEntry(next(self._numbers), turn, key_text, standing)
            self._sites[key_text] = site
        return site

    def _number(self, of: tuple[object, ...]) -> int:
        """The same for equals, as long as they are remembered; never one that stood for something else."""
        number = self._numbered.get(of)
        if number is None:
            if len(self._numbered) >= _MAX_NUMBERED:
                self._numbered.clear()
            number = self._numbered[of] = next(self._numbers)
        return number


def _look(edge: EdgeContext, call: Call, snapshot: Snapshot) -> ServeRequest | None:
    """None where there is a fault, which is told where the call is counted, or where nobody may serve."""
    try:
        asking = build_uncounted(edge, call)
    except (ApiError, SnapshotMissing):
        return None
    admission = asking.admission
    if admission.snapshot is not snapshot:
        return None
    return asking if account_serves(snapshot, admission.property.account_id) else None
