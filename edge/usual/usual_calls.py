"""
Usual calls answered from memory: of a reader, an address and a page met before, a call costs a few look-ups.

What is here follows from what `edge.endpoints.serving` does with the same call, and whatever is not usual goes there: a
uid or a counter of one's own, a secret key, several slots, a candidate with a cap or a share of voice, no fill.
"""

import sys
from collections.abc import Callable
from typing import Final, final

from common.clock import SystemClock
from common.http.answer import StandingHeaders
from common.http.chosen_id import chosen_id
from common.ids import new_id_at
from common.snapshot.snapshot import Snapshot
from edge.admission.keys import Admission, Door, count_call, refuse
from edge.context import EdgeContext
from edge.usual.acquaintances import Acquaintances, Known
from edge.usual.consent_apart import find_apart
from edge.usual.doorman import A_LEFT, AN_AD, Doorman
from edge.usual.met import Page, Reader, Source
from edge.usual.ready_ad import ReadyAd
from edge.usual.split import Split, split_head

_FILL: Final = "fill"

FindMet = Callable[[bytes, int, int, str], bytes | None]
"""Of a head's bytes, from where to where in them, and the peer's address."""


@final
class UsualCalls:
    """One live edge's. Belongs to one event loop."""

    def __init__(self, edge: EdgeContext, standing: StandingHeaders) -> None:
        self._edge = edge
        self._met = Acquaintances(edge, standing)
        self._behind_proxies: bool = edge.settings.proxies_count > 0
        self._doorman = Doorman(edge, refuse, SystemClock, new_id_at, self._behind_proxies)
        self.find_met: FindMet = self._doorman.answer
        """`find_answer` of whom the doorman knows."""

    def find_answer(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """
        *data* from *start* to *end*: a head without its empty line, begins with `split.START`. None, with nothing
        changed, where the call is not for here. Raises `Refused` where it is one call too many.
        """
        answer = self.find_met(data, start, end, peer)
        return self.find_unmet(data, start, end, peer) if answer is None else answer

    def find_unmet(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """The same, right after the doorman did not know the call."""
        edge, met = self._edge, self._met
        split = split_head(data, start, end)
        snapshot = edge.snapshots.find_current()
        if split is None or snapshot is None:
            return None
        now_ms: int = edge.clock.now_ms()
        page_text, reader_text, forwarded_for, request_id = split
        if not self._behind_proxies:
            forwarded_for = b""
        reader = met.find_reader(reader_text, snapshot, now_ms)
        if reader is None:
            reader = met.learn_reader(data[start:end], peer, split, snapshot)
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
        source = met.get_source(peer, forwarded_for)
        ad = self._choose(snapshot, reader, source, page, now_ms)
        self._tell((reader, source, page), split, peer, snapshot)
        if ad is None:
            page.note_in_vain()
            return None
        page.in_vain = 0
        site = reader.site
        admission = Admission(snapshot, site.key, site.property, source.client, key_in_url=False)
        count_call(edge, Door.SERVE, admission, now_ms)
        edge.take_seed()
        return self._show(snapshot, (reader, source, page), ad, now_ms, request_id)

    def _choose(
        self, snapshot: Snapshot, reader: Reader, source: Source, page: Page, now_ms: int
    ) -> ReadyAd | None:
        """Pure, but for what is remembered."""
        edge = self._edge
        if edge.spool.nearly_full or edge.snapshots.age_s(now_ms) > edge.settings.dead_after_s:
            return None
        line = page.line
        if line is None or not line.holds(snapshot, now_ms):
            line = self._met.find_line(reader, page, snapshot, now_ms)
            if line is None:
                return None
        kind = self._met.kind_on(page, reader, source)
        left = line.find_left(kind)
        if left is None:
            left = self._met.left_by_reader(line, kind, page, (reader, source, snapshot))
        seed = edge.peek_seed()
        if edge.decisions.wants(seed, debug=False):
            return None
        budgets = edge.budgets
        open_micros = budgets.open_micros(snapshot, now_ms)
        return line.choose(page.left & left, snapshot, open_micros, budgets.passes, seed)

    def _tell(self, known: Known, split: Split, peer: str, snapshot: Snapshot) -> None:
        """What the doorman lacked to answer the same call."""
        reader, source, page = known
        doorman, line, lacks = self._doorman, page.line, self._doorman.lacks
        if line is None or page.languages or find_apart(split[0]) is not None:
            return
        if lacks == AN_AD:
            line.tell(snapshot)
        elif 0 < lacks <= A_LEFT:
            device, client = reader.caller.device.type, source.client
            doorman.keep_reader(split[1], reader.site.met, device, reader.group, reader.kind)
            said = split[2] if self._behind_proxies else b""
            country = _interned(source.place.country)
            doorman.keep_source(peer, said, client.network, country, source.kind, source.edition)
            doorman.keep_page(reader.group, split[0], line.met, line.bits(page.left))
            left = line.find_left(self._met.kind_on(page, reader, source))
            if left is not None:
                doorman.keep_left(line.met, reader.kind, source.kind, line.bits(left))

    def _show(
        self, snapshot: Snapshot, known: Known, ad: ReadyAd, now_ms: int, request_id: bytes | None
    ) -> bytes:
        """Everything that an answer changes, and the answer."""
        reader, source, page = known
        edge, fill = self._edge, ad.fill
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
            opportunity.surface,
            fill.ad.format,
        )
        edge.metrics.count_decision(_FILL)
        edge.metrics.answered_at_once += 1
        given = None if request_id is None else request_id.decode("ascii")
        return ad.answer(token_id.bytes, str(token_id), now_ms, chosen_id(given))


def _interned(text: str | None) -> str | None:
    return None if text is None else sys.intern(text)
