"""The readers, addresses and pages that calls came from lately, and how they are got to know."""

from dataclasses import replace
from itertools import count
from typing import Final, final

from common.decision.eligibility import account_serves
from common.decision.index import indexes_of
from common.decision.opportunity import Signals
from common.errors import ApiError
from common.http.answer import StandingHeaders
from common.http.quick_head import HeadReader
from common.keys import KeyKind
from common.snapshot.snapshot import Snapshot
from common.vocabulary import SlotStatus
from edge.context import EdgeContext
from edge.endpoints.asking import Asking, look
from edge.http.call import Call, quick_call
from edge.opportunity.device import Device
from edge.snapshots.handle import SnapshotMissing
from edge.usual.memory import Memory
from edge.usual.met import Page, Reader, Site, Source
from edge.usual.slot_line import SlotLine
from edge.usual.split import Split

_MOST_READERS: Final = 8192
_MOST_SOURCES: Final = 32_768
_MOST_PAGES: Final = 8192
_MOST_LINES: Final = 1024
_MOST_SITES: Final = 4096
_MOST_NUMBERED: Final = 65_536
_MOST_STRANGE: Final = 4096
_MOST_CHARS: Final = 2048
"""Of a page's or a reader's text: longer ones are read whole each time, so that strangers cannot fill the memory."""
_MOST_ADDRESS_CHARS: Final = 200
_TARGET_AT: Final = len("/v1/serve?")
_SHIFT: Final = 32

Known = tuple[Reader, Source, Page]


@final
class Acquaintances:
    """One edge's. What they are to each other is told by small numbers, which are given once."""

    def __init__(self, edge: EdgeContext, standing: StandingHeaders) -> None:
        self._edge = edge
        self._standing = standing
        self._heads = HeadReader()
        self._sites: dict[str, Site] = {}
        self._readers = Memory(_MOST_READERS)
        self._sources = Memory(_MOST_SOURCES)
        self._pages = Memory(_MOST_PAGES)
        self._strange = Memory(_MOST_STRANGE)
        """Pages of readers whose calls are read whole."""
        self._numbers = count(1)
        self._numbered: dict[tuple[object, ...], int] = {}

    def find_reader(self, text: bytes, snapshot: Snapshot, now_ms: int) -> Reader | None:
        """None where the key may not stand for what it did, too."""
        reader: Reader | None = self._readers.get(text)
        if reader is None:
            return None
        site = reader.site
        if site.snapshot is not snapshot and not self._follow(site, snapshot):
            return None
        return reader if now_ms < site.until_ms else None

    def find_source(self, peer: str, forwarded_for: bytes) -> Source | None:
        source: Source | None = self._sources.get((peer, forwarded_for))
        if source is None or source.edition != self._edge.geo.edition:
            return None
        return source

    def find_page(self, reader: Reader, text: bytes) -> Page | None:
        page: Page | None = self._pages.get((reader.group, text))
        return page

    def learn(self, head: bytes, peer: str, split: Split, snapshot: Snapshot) -> Known | None:
        """Reads the whole call. None, with nothing counted, where it is not usual."""
        page_text, reader_text, forwarded_for, _ = split
        if self._strange.get((page_text, reader_text)) is not None:
            return None
        found = self._heads.find_get(head)
        if found is None or len(page_text) + len(reader_text) > _MOST_CHARS:
            return None
        call = quick_call(found, found.target[_TARGET_AT:], peer)
        try:
            asking = look(self._edge, call)
        except (ApiError, SnapshotMissing):
            return None
        if not _is_usual(asking, snapshot):
            self._strange.put((page_text, reader_text), asking)
            return None
        reader = self._know_reader(reader_text, call, asking)
        page = Page(asking.opportunity, asking.asked.languages)
        self._pages.put((reader.group, page_text), page)
        return reader, self._know_source(peer, forwarded_for, asking), page

    def find_line(
        self, reader: Reader, page: Page, snapshot: Snapshot, now_ms: int
    ) -> SlotLine | None:
        """That of *page* from now on; None where the slot is closed, or nobody asked for its property yet."""
        site, opportunity = reader.site, page.opportunity
        slot = snapshot.slots.get(opportunity.slot.id)
        index = site.index or indexes_of(snapshot, self._edge.settings.ranking).find(
            site.property.id
        )
        site.index = index
        if slot is None or slot.status is not SlotStatus.ACTIVE:
            return None
        if index is None or not index.blocks or index.slots.get(slot.id) != slot:
            return None
        if slot is not opportunity.slot:
            opportunity = page.opportunity = opportunity.in_slot(slot)
        key = (slot.id, opportunity.surface, opportunity.consent_limited)
        line = site.lines.get(key)
        if line is None or not line.holds(snapshot, now_ms):
            if len(site.lines) >= _MOST_LINES:
                site.forget_lines()
            line = SlotLine(
                self._edge, self._standing, index, opportunity, snapshot=snapshot, now_ms=now_ms
            )
            site.lines[key] = line
        page.line = line
        page.left = line.left_by_page(opportunity)
        return line

    def kind_on(self, page: Page, reader: Reader, source: Source) -> int:
        """A number for what is targeted of *reader* at *source*."""
        if page.languages:
            return self._number((*_parts(reader.device), page.languages)) << _SHIFT | source.kind
        return reader.kind << _SHIFT | source.kind

    def left_by_reader(
        self, line: SlotLine, kind: int, page: Page, reader: Reader, source: Source
    ) -> int:
        """What `SlotLine.find_left` gives for *kind* from now on."""
        device, place = reader.device, source.place
        signals = Signals(
            place.country,
            place.region,
            device.type,
            device.os,
            device.browser,
            page.languages or reader.languages,
        )
        return line.keep_left(kind, replace(page.opportunity, signals=signals))

    def _follow(self, site: Site, snapshot: Snapshot) -> bool:
        """Whether *site* is the same in *snapshot*."""
        known = snapshot.derived.get((KeyKind.PUBLISHABLE, site.text))
        if site.is_over or known is None or not _are_same(known, site.standing):
            site.is_over = True
            return False
        index = indexes_of(snapshot, self._edge.settings.ranking).find(site.property.id)
        if index is not site.index:
            site.forget_lines()
            site.index = index
        site.snapshot = snapshot
        return True

    def _know_reader(self, text: bytes, call: Call, asking: Asking) -> Reader:
        caller, surface = call.caller, asking.opportunity.surface
        site = self._know_site((caller.service_key or "").strip(" \t"), asking)
        group = self._number((site.number, caller.gpc, caller.dnt, surface.value))
        device, languages = caller.device, caller.languages
        kind = self._number((*_parts(device), languages))
        reader = Reader(site, group, device, languages, kind)
        self._readers.put(text, reader)
        return reader

    def _know_site(self, key_text: str, asking: Asking) -> Site:
        admission = asking.admission
        site = self._sites.get(key_text)
        if site is None or site.is_over or site.snapshot is not admission.snapshot:
            account = admission.snapshot.accounts[admission.property.account_id]
            standing = admission.key, admission.property, account
            if len(self._sites) >= _MOST_SITES:
                self._sites.clear()
            site = Site(next(self._numbers), admission.snapshot, key_text, standing)
            self._sites[key_text] = site
        return site

    def _know_source(self, peer: str, forwarded_for: bytes, asking: Asking) -> Source:
        edge, client = self._edge, asking.admission.client
        edition = edge.geo.edition
        place = edge.geo.find(client.ip)
        source = Source(client, place, self._number((place.country, place.region)), edition)
        if len(forwarded_for) <= _MOST_ADDRESS_CHARS:
            self._sources.put((peer, forwarded_for), source)
        return source

    def _number(self, of: tuple[object, ...]) -> int:
        """The same for equals, as long as they are remembered; never one that stood for something else."""
        number = self._numbered.get(of)
        if number is None:
            if len(self._numbered) >= _MOST_NUMBERED:
                self._numbered.clear()
            number = self._numbered[of] = next(self._numbers)
        return number


def _is_usual(asking: Asking, snapshot: Snapshot) -> bool:
    asked, admission, opportunity = asking.asked, asking.admission, asking.opportunity
    if admission.is_server or admission.key_in_url or asking.several or asking.person is not None:
        return False
    if asked.debug or asked.preview_ad_id is not None or asked.output != "json":
        return False
    return admission.snapshot is snapshot and account_serves(
        snapshot, opportunity.property.account_id
    )


def _parts(device: Device) -> tuple[str | None, str | None, str | None]:
    return (
        None if device.type is None else device.type.value,
        None if device.os is None else device.os.value,
        None if device.browser is None else device.browser.value,
    )


def _are_same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return one[0] is other[0] and one[1] is other[1] and one[2] is other[2]
